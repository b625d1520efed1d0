// An index of either kind, and what may come after its search: a second layer that scores the best candidates again,
// from a better approximation of each or from the vectors themselves.
//
//     score(q, x) = |q - x̄ - r̄|²      x̄: approximation of the index, r̄: that of x - x̄ by a second quantizer
//     score(q, x) = |q - x|²           x: read from a file
//
//     AnyIndex index(std::move(flat));
//     const Residuals residuals(index);
//     const Quantizer second = train(residuals(base.view(), ids).view(), parse_spec("LOCQ8"));
//     index.set_refinement(refine_codes(second, encode(second, residuals(base.view(), ids).view())));
//     Neighbors found = index.search(queries.view(), {.k = 10, .parameters = {.refine = 100}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "summand/index.h"
#include "summand/inverted.h"

namespace summand {

/// What a search may cost. Zero and empty: what the index says; where it says nothing, 16 cells, and 4·k candidates for
/// the second layer.
struct SearchParameters {
    std::size_t probes = 0;                  ///< cells to visit
    std::size_t candidates = 0;              ///< instead: visit cells until their lists hold as many vectors
    std::optional<std::size_t> refine = {};  ///< candidates that the second layer scores, at least k; 0: none

    friend bool operator==(const SearchParameters&, const SearchParameters&) = default;
};

struct AnySearchOptions {
    std::size_t k = 10;
    SearchParameters parameters = {};
    const IdFilter* filter = nullptr;  ///< borrowed; null keeps all
    Scoring scoring = Scoring::tables;
    Execution execution = {};
};

/// A second layer of codes. Row `id` is the code of what the index leaves of that vector.
struct RefineCodes {
    Quantizer quantizer = {};
    std::span<const std::uint8_t> rows = {};  ///< n × M, one byte each
    std::shared_ptr<const void> owner = {};   ///< of the rows
};

RefineCodes refine_codes(Quantizer quantizer, Codes codes);

/// The vectors themselves, in a file; see `refine_file` in io.h. Row `id` is that vector.
struct RefineFile {
    std::string path = {};  ///< a relative one is meant from the folder of the index
    std::size_t rows = 0;
    std::size_t columns = 0;
    Matrix<float> sample = {};  ///< some rows, by which a file that has changed is recognised
    std::function<Matrix<float>(std::span<const std::int64_t> ids)> read = {};
};

using Refinement = std::variant<RefineCodes, RefineFile>;

class FirstCodes;
class Decoder;

class AnyIndex {
public:
    using First = std::variant<FlatIndex, InvertedIndex>;

    explicit AnyIndex(First index);

    const FlatIndex* flat() const { return std::get_if<FlatIndex>(first_.get()); }
    const InvertedIndex* inverted() const { return std::get_if<InvertedIndex>(first_.get()); }
    const std::shared_ptr<const First>& first() const { return first_; }

    std::size_t size() const;
    Metric metric() const;
    const Quantizer& quantizer() const;  ///< of the first codes
    std::size_t dimensions() const { return quantizer().dimensions(); }
    std::size_t code_bytes() const;    ///< of one vector, both layers
    std::size_t memory_bytes() const;  ///< of all that is held

    /// Throws `Error` where it does not fit the index. Codes need ids from 0 to n - 1, each once.
    void set_refinement(Refinement refinement);
    const std::optional<Refinement>& refinement() const { return refinement_; }

    /// What a search does that is not told otherwise. Throws `Error` for cells or a second layer that are not there.
    void set_defaults(const SearchParameters& defaults);
    const SearchParameters& defaults() const { return defaults_; }

    /// What a search for k neighbours with these parameters does: every value is given.
    SearchParameters resolved(const SearchParameters& parameters, std::size_t k) const;

    /// The same ids and scores for every instruction set, thread count and batch size.
    Neighbors search(MatrixView<float> queries, const AnySearchOptions& options = {}) const;

private:
    void check(const char* what, const SearchParameters& parameters) const;
    Neighbors first_search(MatrixView<float> queries, const AnySearchOptions& options,
                           const SearchParameters& resolved) const;
    Matrix<float> refined_vectors(std::span<const std::int64_t> ids) const;

    std::shared_ptr<const First> first_;
    std::optional<Refinement> refinement_ = {};
    std::shared_ptr<const FirstCodes> first_codes_ = {};  // with codes of a second layer
    std::shared_ptr<const Decoder> second_words_ = {};    // those codes put together
    SearchParameters defaults_ = {};
};

/// What an index leaves of vectors, for a second layer to learn and to encode: x - x̄, with x of length one for cosine.
class Residuals {
public:
    /// Throws `Error` where the ids of the index are not those from 0 to n - 1.
    explicit Residuals(const AnyIndex& index);

    /// `ids`: those of the vectors.
    Matrix<float> operator()(MatrixView<float> vectors, std::span<const std::int64_t> ids,
                             const Execution& execution = {}) const;

private:
    std::shared_ptr<const FirstCodes> first_codes_;
    Metric metric_;
};

}  // namespace summand
