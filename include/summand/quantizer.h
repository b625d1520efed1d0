// All that training produces, whatever the method: a plain value, and the one scoring equation
//
//     score(q, x) = offset(q) + Σ_m table[m][code_m(x)] + bias(x)            smaller is better
//
// with, for y = rotation · (x - centre) and words c[m][k] that approximate y,
//
//     euclidean        table[m][k] = word_offset[m][k] - 2 q'·c[m][k],  offset = |q'|²,  q' = rotation·(q - centre)
//     inner product    table[m][k] = -(rotation·q)·c[m][k],             offset = -q·centre
//     cosine           euclidean, of vectors of length one
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "summand/codes.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/metric.h"

namespace summand {

/// How hard the encoder searches for the best words. More effort, higher recall, slower encoding.
enum class Effort : std::uint8_t { fast, standard, best };

std::string_view name(Effort effort);
Effort parse_effort(std::string_view text);

/// How the codes of dense words are searched for.
enum class CodeSearch : std::uint8_t {
    modes,     ///< conditional modes and local search, for any penalty
    beam,      ///< beam search over all dictionaries that are not used yet (AQ)
    residual,  ///< beam search, one dictionary after the other (RQ)
    tree,      ///< exactly, where words overlap along a tree of dictionaries (OTQ)
};

std::string_view name(CodeSearch search);

/// Where the part of |ȳ|² comes from that the word offsets leave out of the euclidean score.
enum class Bias : std::uint8_t {
    none,     ///< from nowhere: the offsets make up for it, or it is left out
    stored,   ///< from a float with each code (CQ)
    derived,  ///< from the code itself: an index computes it when it is made or loaded, and holds a float (RQ, AQ, OTQ)
};

/// What the encoder of the composite family minimises for a vector y (in the space of the words) with the
/// approximation ȳ and the residual r = y - ȳ:
///     |r|² + penalty·e² + absolute_penalty·|e|
///     e = norm·|y|² - 2 expectation·y·r + (1 - theta)·|r|² - Σ_m word_offset[m][code_m]
/// where expectation·y is the query to be expected near y. With norm = expectation = 1
///     e = |ȳ|² - theta·|r|² - Σ_m word_offset[m][code_m]
/// which for theta = 0 is the near-orthogonality term of the paper. With norm = 0, theta = 1 and no offsets
///     e = -2 expectation·y·r
/// is the error of the inner product with y.
struct EncoderSettings {
    float penalty = 0;  ///< μ; 0: quantization error alone
    float theta = 0;    ///< θ
    float expectation = 1;
    float absolute_penalty = 0;
    float norm = 1;
    Effort effort = Effort::standard;
    CodeSearch search = CodeSearch::modes;  ///< all but `modes` minimise the error alone

    friend bool operator==(const EncoderSettings&, const EncoderSettings&) = default;
};

/// Figures of the training that `info` shows; they do not influence results.
struct TrainingSummary {
    std::uint64_t vectors = 0;                       ///< learnt from
    double distortion = 0;                           ///< mean squared error on them
    std::optional<double> held_out_distortion = {};  ///< on vectors kept out; empty: learnt from all (block methods)
    double cross_term_deviation = 0;     ///< standard deviation of |ȳ|² - Σ word_offset, on vectors kept out if any
    std::vector<double> objective = {};  ///< per iteration

    friend bool operator==(const TrainingSummary&, const TrainingSummary&) = default;
};

struct Quantizer {
    std::string method = {};      ///< name in the registry: "PQ", "OPQ" …
    bool unit_length = false;     ///< vectors are scaled to length one first (cosine)
    Bias bias = Bias::none;       ///< |ȳ|² - Σ word_offset
    bool binary_queries = false;  ///< words are ± values, and queries are reduced to signs too (ITQ); euclidean only
    std::vector<float> centre = {};  ///< D values that are subtracted first
    Matrix<float> rotation = {};     ///< D × D, orthogonal, or empty for the identity
    Dictionaries dictionaries = {};
    std::vector<float> word_offsets = {};  ///< M × K
    EncoderSettings encoder = {};
    TrainingSummary training = {};

    std::size_t dimensions() const { return centre.size(); }

    /// Bytes one vector takes, a stored bias included.
    std::size_t code_bytes() const;

    friend bool operator==(const Quantizer&, const Quantizer&) = default;
};

/// Hash of all that gives codes their meaning: words, offsets, centre, rotation. Codes carry it, and are refused by a
/// model with another one. How they were found (encoder, effort) plays no part.
std::uint64_t identity(const Quantizer& quantizer);

/// Tables of one query: the score of a code is a sum of M look-ups.
struct LookupTable {
    std::size_t count = 0;            ///< M
    std::size_t words = 0;            ///< K
    std::vector<float> entries = {};  ///< M × K
    float offset = 0;

    /// Summed as ((entry_0 + entry_1) + …) + bias; the offset is the caller's to add.
    float sum(const std::uint8_t* code, float bias = 0) const;
};

/// The approximations x̄ in the original space. Throws `Error` for codes of another model.
Matrix<float> decode(const Quantizer& quantizer, const Codes& codes, const Execution& execution = {});

LookupTable lookup_table(const Quantizer& quantizer, std::span<const float> query, Metric metric);

}  // namespace summand
