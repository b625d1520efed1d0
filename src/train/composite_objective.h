// The objective of the composite family, its value and gradient in one pass over the data:
//
//     φ = 1/N Σ_n |r_n|² + penalty·e_n² + absolute·|e_n|
//                                            r_n = y_n - Σ_m c[m][code_nm]
//                                            e_n = norm·|y_n|² - 2 a·y_n·r_n + (1 - theta)·|r_n|² - Σ_m word_offset
//
// where a is the expectation. For norm = a = 1, e_n = |ȳ_n|² - theta·|r_n|² - Σ word_offset. In the paper (NOCQ)
// moreover theta = 0 and the offsets are tied to the words, word_offset = |c|² + ε/M, so that e_n is the cross term
// less ε; elsewhere (LOCQ) they are free. For norm = 0 and theta = 1 (anisotropic CQ) there are none, and e_n is
// -2 a·y_n·r_n. Words that are pulled to an anchor add its terms (anchor.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/aligned.h"
#include "model/composite_input.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

enum class Offsets { tied, free, none };  // none: zeros

/// What the alternation updates.
struct CompositeModel {
    Dictionaries dictionaries;
    std::vector<float> word_offsets;  ///< M × K
    double epsilon = 0;               ///< used where the offsets are tied
};

struct Anchor;  // anchor.h

struct CompositeData {
    CompositeView vectors;
    const Matrix<std::uint8_t>& codes;
    const Anchor* anchor = nullptr;  ///< what words are pulled to; borrowed
};

struct CompositePenalty {
    double penalty = 0;  ///< μ
    double theta = 0;    ///< θ
    double expectation = 1;
    Offsets offsets = Offsets::tied;
    double absolute = 0;  ///< weight of |e| (UB)
    double norm = 1;
};

struct CompositeTerms {
    double error = 0;           ///< mean |r|²
    double squared_excess = 0;  ///< mean e²
    double excess = 0;          ///< mean e
    double magnitude = 0;       ///< mean |e|
    double pull = 0;            ///< the anchor's terms

    /// Standard deviation of e.
    double deviation() const { return std::sqrt(std::max(0.0, squared_excess - excess * excess)); }
    double objective(double penalty) const { return error + penalty * squared_excess + pull; }
    double objective(const CompositePenalty& penalty) const {
        return objective(penalty.penalty) + penalty.absolute * magnitude;
    }
};

/// Sums over one part of the data.
struct WordSums {
    AlignedBuffer<float> directions;  ///< of each word
    std::vector<double> numbers;
};

struct CompositeGradient {
    std::vector<double> words;         ///< as Dictionaries::rows
    std::vector<double> offsets;       ///< as word_offsets; zeros where they are not free
    std::vector<WordSums> parts = {};  ///< of the last sum, kept to use their memory again
};

/// For each word, sums a term over the vectors that use it and multiplies the sum by `scale`. term(part, n, direction)
/// writes the D numbers of vector n to `direction` and returns one more. Parts of the data run at the same time; they
/// and their order depend on the number of vectors alone, so the sums are the same for every number of threads.
using WordTerm = std::function<double(std::size_t part, std::size_t n, float* direction)>;
void sum_by_word(const Matrix<std::uint8_t>& codes, std::size_t words, std::size_t dimensions, double scale,
                 const WordTerm& term, const Execution& execution, CompositeGradient& sums);

/// Sets word_offset = |c|² + ε/M.
void tie_offsets(CompositeModel& model);

CompositeTerms evaluate(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                        const Execution& execution, CompositeGradient* gradient = nullptr);

/// Returns e_n + Σ word_offset: what the offsets of each code should add up to.
std::vector<double> offset_targets(const CompositeData& data, const Dictionaries& dictionaries,
                                   const CompositePenalty& penalty, const Execution& execution);

}  // namespace summand
