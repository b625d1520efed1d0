// An index that lives: a folder to which vectors are added and from which they are removed while others search it.
//
//     LivingIndex index = LivingIndex::create("photos", learn.view(), "IVF1024,LOCQ8");
//     index.add(vectors.view(), ids);                              // on the disk when it returns
//     index.remove(std::vector<std::int64_t>{17, 4});
//     Neighbors found = index.search(queries.view(), {.k = 10});
//
//     const LivingIndex reader = LivingIndex::open("photos");      // in any number of processes
//     reader.refresh();                                            // sees what the writer has committed since
//
// The folder holds immutable segments that are mapped, a bitmap of dead rows for those that lost some, the model, and
// one manifest that names them all and is replaced atomically (docs/reliability.md). All segments are of one model, and
// searching them equals searching one index of the same vectors, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/build.h"
#include "summand/index_model.h"
#include "summand/row_model.h"
#include "summand/search.h"
#include "summand/vector_source.h"

namespace summand {

enum class Access : std::uint8_t { read, write };

/// What `compact` merges: everything into one segment without dead rows, or runs of segments of similar size.
enum class Compaction : std::uint8_t { all, tiers };

/// What is in the folder, as of the snapshot that is searched.
struct LivingInfo {
    std::uint64_t commit = 0;  ///< how often the manifest was replaced
    std::size_t vectors = 0;   ///< live ones
    std::size_t dead = 0;      ///< removed or replaced, and still in a segment
    std::int64_t next_id = 0;  ///< of the next vector that is added without one
    bool named = false;        ///< whether ids are texts
    std::string spec = {};
    Metric metric = Metric::euclidean;
    struct Segment {
        std::uint64_t number = 0;
        std::size_t vectors = 0, dead = 0;
        std::uint64_t bytes = 0;
    };
    std::vector<Segment> segments = {};
};

/// How an index does on its own data, by vectors that each segment keeps as they came: in halves, one of 1,000, but at
/// least 1,000 and at most 10,000.
struct Health {
    std::size_t vectors = 0, sampled = 0, queries = 0;
    double recall =
        0;  ///< share of the 10 nearest of a sampled vector, among the sample, that a search of it finds; NaN: too few
    double training_distortion = 0;  ///< mean squared distance of vectors of the training from their codes
    double recent_distortion = 0;    ///< of the last fifth of the vectors
    struct Segment {
        std::uint64_t number = 0;
        std::size_t vectors = 0, sampled = 0;
        double distortion = 0;
    };
    std::vector<Segment> segments = {};  ///< in the order in which they were added
    bool retrain = false;
    std::string advice = {};  ///< why
};

/// What a repair did.
struct Repaired {
    std::vector<std::string> losses = {};  ///< a line each
    std::size_t vectors = 0;               ///< lost with segments
};

/// Reads all of a file or folder of ours, every checksum and what it means, and returns what is wrong, a line each;
/// nothing where it is sound. Folders may be written meanwhile.
std::vector<std::string> verify(const std::string& path);

/// Any number of threads may search one object while one of them changes or refreshes it: a search keeps the snapshot
/// that it began with. Calls that change it wait for each other. One object of one process may write to a folder at a
/// time; the lock of a writer that was killed is free.
class LivingIndex {
public:
    /// Makes the folder, or takes an empty one, and learns the model. The result may write. Throws `Error` where the
    /// folder holds an index. Specs of Refine(flat) and Refine(sq8) are refused: use fp32, fp16 or u8.
    static LivingIndex create(const std::string& folder, const VectorSource& learn, std::string_view spec = {},
                              const BuildSettings& settings = {});

    /// The same with a model that was learnt before, its codes made with `seed`.
    static LivingIndex create(const std::string& folder, const IndexModel& model, std::optional<Metric> metric = {},
                              std::uint64_t seed = 1);

    /// A writer takes the lock, or throws `Error` where another one holds it, and removes what a crash left behind.
    static LivingIndex open(const std::string& folder, Access access = Access::read);

    /// Drops what is damaged, so that the folder opens again, and says what was lost. Throws `Error` where the manifest
    /// or the model cannot be read: without them segments mean nothing.
    static Repaired repair(const std::string& folder);

    /// Whether there is such an index at that path.
    static bool is_at(const std::string& path);

    LivingIndex(LivingIndex&&) noexcept;
    LivingIndex& operator=(LivingIndex&&) noexcept;
    ~LivingIndex();  ///< what was not committed is gone

    std::size_t size() const;  ///< live vectors
    Metric metric() const;
    std::size_t dimensions() const;
    std::string spec() const;
    bool contains(std::int64_t id) const;
    bool contains(std::string_view name) const;
    LivingInfo info() const;
    IndexModel model() const;
    RowModel row_model() const;  ///< of the first layer
    Health health(const Execution& execution = {}) const;

    /// As `Index::search`. Ids are those that were given; a filter is asked about them.
    Neighbors search(MatrixView<float> queries, const SearchOptions& options = {}) const;
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options = {}) const;

    /// The texts of ids that a search has found; empty for one that is not there any more, and for kNoId.
    std::vector<std::string> names(std::span<const std::int64_t> ids) const;

    /// Keeps those that are there now, for a search.
    IdFilter filter(std::span<const std::string> names) const;

    /// Hands the first layer of the live vectors on as rows of `row_model`, segment by segment, to be kept in a table;
    /// those of a segment are in the order of their ids. Throws `Error` where ids are texts.
    void for_each_rows(const std::function<void(std::span<const std::int64_t> ids, CellCodes rows)>& take) const;

    /// Takes up what another process has committed; true where there was something. Searches that run keep what they
    /// have. Of a writer: nothing to do, it sees its own changes at once.
    bool refresh() const;

    // The rest needs Access::write.

    /// Adds vectors whose ids go on from the largest that ever was; returns the first of them.
    std::int64_t add(const VectorSource& vectors, const Execution& execution = {});

    /// Ids from 0 to 2^63 - 2, each once. Throws `Error`, and adds nothing, for one that is there already unless it is
    /// to be replaced.
    void add(const VectorSource& vectors, std::span<const std::int64_t> ids, Duplicates duplicates = Duplicates::refuse,
             const Execution& execution = {});

    /// The same with ids that are texts, from 1 to 1,024 bytes of UTF-8 without control characters. The first vectors
    /// that are added decide whether ids are numbers or texts. Searches find numbers, given in the order of coming and
    /// never again: `names` has their texts.
    void add(const VectorSource& vectors, std::span<const std::string> names,
             Duplicates duplicates = Duplicates::refuse, const Execution& execution = {});

    /// Replaces vectors in one commit. Throws `Error`, and changes nothing, for an id that is not there.
    void update(const VectorSource& vectors, std::span<const std::int64_t> ids, const Execution& execution = {});
    void update(const VectorSource& vectors, std::span<const std::string> names, const Execution& execution = {});

    /// Returns how many were there; ids that are not are no error.
    std::size_t remove(std::span<const std::int64_t> ids);
    std::size_t remove(std::span<const std::string> names);
    std::size_t remove(const IdFilter& ids);

    /// How many vectors may be added, removed or replaced before a change is committed by itself: 1, as it is at first,
    /// commits every call, 0 none. What is not committed yet is searched by this object and gone after a crash.
    void set_commit_every(std::size_t changes);

    /// Makes all changes durable and visible to others, at once. Where it throws, the index is as it was after the last
    /// commit.
    void commit();

    /// Merges segments and drops dead rows; changes that come meanwhile are kept, and searches go on. Commits.
    void compact(Compaction what = Compaction::all, const Execution& execution = {});

    /// Takes over the vectors of another index of the same model, which stays as it is. Throws `Error`, and changes
    /// nothing, for another model, for ids that both have, and where only one has texts as ids. Texts get new numbers.
    /// Commits.
    void merge(const std::string& folder);

    /// Makes an index of each part: the vector with an id goes to folder id % folders. This one stays as it is.
    void split(std::span<const std::string> folders) const;

    /// Learns a new model and encodes all vectors anew, from those that the second layer keeps (Refine(fp32), fp16,
    /// u8); an index that keeps none refuses. Searches use the old model until all of it is committed. An empty spec:
    /// the same.
    void retrain(std::string_view spec = {}, const BuildSettings& settings = {});

    /// The same from the vectors themselves: of every id of the index, in any order, and of others too.
    void retrain(const VectorSource& vectors, std::span<const std::int64_t> ids, std::string_view spec = {},
                 const BuildSettings& settings = {});
    void retrain(const VectorSource& vectors, std::span<const std::string> names, std::string_view spec = {},
                 const BuildSettings& settings = {});

private:
    struct State;
    explicit LivingIndex(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace summand
