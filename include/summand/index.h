// What users hold: vectors in a few bytes each, to be searched. Made by `build` (summand/build.h) or from parts, kept
// in one file.
//
//     Index index = build(base.view(), "IVF1024,LOCQ8,Refine(LOCQ8)");
//     index.save("index.smd");
//     Neighbors found = Index::open("index.smd").search(queries.view(), {.k = 10, .probes = 32, .refine = 100});
//
// The first layer is flat or inverted. A second one, where there is one, scores the best candidates again:
//
//     score(q, x) = |q - x̄ - r̄|²      x̄: approximation of the first layer, r̄: that of x - x̄ by a second quantizer
//     score(q, x) = |q - x|²           x: read from a file, or held in the index as floats, halves or bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "summand/flat_index.h"
#include "summand/inverted_index.h"
#include "summand/search.h"

namespace summand {

/// A second layer of codes. Row `id` is the code of what the first layer leaves of that vector.
struct RefineCodes {
    Quantizer quantizer = {};
    std::span<const std::uint8_t> rows = {};  ///< n × M, one byte each
    std::shared_ptr<const void> owner = {};   ///< of the rows
};

/// Throws `Error` where the codes were made by another model.
RefineCodes refine_codes(Quantizer quantizer, Codes codes);

/// The vectors themselves, in a file; see `refine_file` in io.h. Row `id` is that vector.
struct RefineFile {
    std::string path = {};  ///< a relative one is meant from the folder of the index
    std::size_t rows = 0;
    std::size_t columns = 0;
    Matrix<float> sample = {};  ///< some rows, by which a file that has changed is recognised
    std::function<Matrix<float>(std::span<const std::int64_t> ids)> read = {};  ///< by several threads at once
};

/// The vectors themselves, held in the index in the order of its lists: row p is the vector at position p, so that the
/// candidates of a cell lie together; those of an index without cells are in the order of ids. For cosine, vectors are
/// scaled to length one before, but for u8.
struct RefineRows {
    RowFormat format = RowFormat::fp32;
    std::span<const std::byte> rows = {};    ///< n × row_bytes(format, D), aligned to 64
    std::span<const float> ranges = {};      ///< sq8: D smallest values, D steps; byte b stands for smallest + b·step
    std::shared_ptr<const void> owner = {};  ///< of both
};

using Refinement = std::variant<RefineCodes, RefineFile, RefineRows>;

/// What `add` does with an id that is there already.
enum class Duplicates : std::uint8_t { refuse, replace };

struct AddOptions {
    Duplicates duplicates = Duplicates::refuse;
    std::uint64_t seed = 1;  ///< that of the build, for codes that one build of all vectors would have made
    Execution execution = {};
};

class SecondLayer;
class StoreModel;
struct VectorSource;

/// What an index file does not say.
struct OpenOptions {
    std::string vectors = {};  ///< where the vectors of Refine(flat) are now; empty: where the index says
};

/// Any number of threads may search one index at once; their searches run side by side. `add`, `remove`,
/// `set_refinement` and `set_defaults` change it, and need it for themselves. Copies are cheap and share the codes; a
/// change of one leaves the others as they are.
///
/// Ids are row numbers of the base until `add` is given others or `remove` leaves gaps; the file keeps them. Every
/// change passes over all codes once, so many vectors belong into one call; an index that changes all the time is a
/// `LivingIndex` (summand/living_index.h).
class Index {
public:
    Index(FlatIndex first);
    Index(InvertedIndex first);

    /// The file is mapped: codes and ids stay in it, larger than memory if need be, and processes share its pages. It
    /// must not be changed or cut while the index lives; replacing it (as `save` does) is safe. Throws `Error` for no
    /// index or a damaged one (damaged codes are told by the search that needs them) and where the vectors of
    /// Refine(flat) are others than they were; where they are missing, searches throw but those with `refine = 0`.
    static Index open(const std::string& path, const OpenOptions& options = {});

    /// The same from memory, which is copied; `name` begins error messages.
    static Index from_bytes(std::span<const std::byte> bytes, std::string_view name = "memory");

    /// Atomic: a crash leaves the old file or the new one.
    void save(const std::string& path) const;
    std::vector<std::byte> to_bytes() const;

    std::size_t size() const;  ///< vectors
    Metric metric() const;
    std::size_t dimensions() const { return quantizer().dimensions(); }
    std::size_t code_bytes() const;    ///< of one vector, both layers
    std::size_t memory_bytes() const;  ///< of all that is held
    std::string spec() const;          ///< the shortest spec that names cells, method and second layer

    /// The k best, those of cells that are visited where there are cells: the same ids and scores for every instruction
    /// set, thread count and batch size. Throws `Error` for options about cells or a second layer that are not there.
    Neighbors search(MatrixView<float> queries, const SearchOptions& options = {}) const;

    /// Every id with a score below `radius` (squared for euclidean); `options.k` is not used. With a second layer the
    /// ids that the first one finds are scored again, and those that are then within the radius are returned; with
    /// `options.refine` these are the best so many candidates, and with 0 of them the scores are the first layer's.
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options = {}) const;

    /// Encodes vectors with the model of the index. Their ids go on from the largest that ever was; returns the first
    /// of them. Searches then find what an index built of all vectors with this model finds. Throws `Error`, and
    /// changes nothing, for a second layer that other vectors do not fit in: Refine(flat) and Refine(sq8).
    std::int64_t add(const VectorSource& vectors, const AddOptions& options = {});

    /// Ids from 0 to 2^63 - 2, each once. Throws `Error`, and adds nothing, for one that is there already unless it is
    /// to be replaced.
    void add(const VectorSource& vectors, std::span<const std::int64_t> ids, const AddOptions& options = {});

    /// Returns how many were there; ids that are not are no error. The same second layers are refused as by `add`.
    std::size_t remove(std::span<const std::int64_t> ids);
    std::size_t remove(const IdFilter& ids);

    bool contains(std::int64_t id) const;
    std::vector<std::int64_t> ids() const;  ///< of all vectors, ascending

    /// Throws `Error` where it does not fit the index. Row i belongs to the i-th smallest id. An inverted index that
    /// was made with other ids (`InvertedBuilder`) takes none.
    void set_refinement(Refinement refinement);
    const std::optional<Refinement>& refinement() const { return refinement_; }

    /// What a search does that is not told otherwise. Throws `Error` for cells or a second layer that are not there.
    void set_defaults(const SearchParameters& defaults);
    const SearchParameters& defaults() const { return defaults_; }

    /// What a search for k neighbours with these parameters does: every value is given.
    SearchParameters resolved(const SearchParameters& parameters, std::size_t k) const;

    /// The first layer, for those who want its parts; null where it is of the other kind.
    const FlatIndex* flat() const { return std::get_if<FlatIndex>(first_.get()); }
    const InvertedIndex* inverted() const { return std::get_if<InvertedIndex>(first_.get()); }
    const Quantizer& quantizer() const;  ///< of the first layer

private:
    friend struct IndexParts;
    using First = std::variant<FlatIndex, InvertedIndex>;

    // What users call the rows, where that is not the rows' numbers.
    struct OwnIds {
        RowIds rows;
        std::int64_t next;  // larger than any id that ever was
        std::shared_ptr<const void> owner = {};
    };

    void check(const char* what, const SearchParameters& parameters) const;
    void prepare_change(const char* what, std::uint64_t seed);
    void replace_rows(Index changed);
    std::size_t keep(const std::function<bool(std::int64_t id)>& keeps);
    Neighbors search_rows(MatrixView<float> queries, const SearchOptions& options) const;
    RangeNeighbors search_range_of_rows(MatrixView<float> queries, float radius, const SearchOptions& options) const;
    SearchOptions first_options(const SearchOptions& options, const SearchParameters& resolved) const;
    template <class Collector>
    void rescore(const float* query, std::span<std::int64_t> candidates, Collector& best) const;

    std::shared_ptr<const First> first_;
    std::optional<Refinement> refinement_ = {};
    std::shared_ptr<const SecondLayer> second_ = {};  // what scores by it
    SearchParameters defaults_ = {};
    std::optional<OwnIds> ids_ = {};                         // empty: ids are those of the first layer
    std::shared_ptr<const StoreModel> changing_model_ = {};  // what changes encode with; null before the first one
};

/// The vectors of an index, which have the ids from 0 on, in a format for `set_refinement`. Throws `Error` for a value
/// that the format cannot hold.
RefineRows refine_rows(const Index& index, MatrixView<float> vectors, RowFormat format);

}  // namespace summand
