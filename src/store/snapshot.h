// What a search looks at: segments, and which of their rows are dead. It does not change once it is made, and lives as
// long as somebody searches it, whatever happens to the files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "store/row_set.h"
#include "store/segment.h"
#include "summand/search.h"

namespace summand {

struct LiveSegment {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const RowSet> dead = {};    ///< null: none
    std::shared_ptr<const IdFilter> live = {};  ///< the rows that are not; null: all

    std::size_t dead_count() const { return dead ? dead->count() : 0; }
    std::size_t size() const { return segment->ids.size - dead_count(); }
};

/// Prepares the filter of what is not dead.
LiveSegment live_segment(std::shared_ptr<const Segment> segment, std::shared_ptr<const RowSet> dead);

struct Snapshot {
    std::shared_ptr<const StoreModel> model;
    std::vector<LiveSegment> segments = {};

    std::size_t size() const;  ///< live vectors

    /// Where the vector with that id is; none: it is not there, or dead.
    struct Place {
        std::size_t segment, row;
    };
    std::optional<Place> find(std::int64_t id) const;

    Neighbors search(MatrixView<float> queries, const SearchOptions& options) const;
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const;
};

/// The live vector of that name; none: it is not there.
std::optional<Snapshot::Place> find_name(const Snapshot& snapshot, std::string_view name);

/// The name of an id, even if its vector is dead by now; empty: no segment has it.
std::string_view name_of(const Snapshot& snapshot, std::int64_t id);

}  // namespace summand
