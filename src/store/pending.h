// Changes that are not committed yet: rows in memory, and rows of committed segments that are dead by now.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/snapshot.h"

namespace summand {

class Pending {
public:
    Pending(std::shared_ptr<const Snapshot> committed, std::int64_t next_id)
        : committed_(std::move(committed)), next_id_(next_id) {}

    bool empty() const { return row_of_.empty() && dead_.empty(); }
    std::int64_t next_id() const { return next_id_; }  ///< larger than any id that ever was

    bool contains(std::int64_t id) const;
    bool named() const { return !rows_.names.empty(); }
    std::optional<std::int64_t> find(std::string_view name) const;  ///< its id; none: it is not there

    /// None of the ids may be there.
    void add(const SegmentRows& rows);

    /// False where it is not there.
    bool remove(std::int64_t id);

    /// What is committed, with these changes.
    Snapshot snapshot() const;

    SegmentRows rows() const;                                            ///< that were added
    const std::map<std::size_t, RowSet>& dead() const { return dead_; }  ///< all dead rows of segments that lost some

private:
    bool is_live(const Snapshot::Place& place) const;

    std::shared_ptr<const Snapshot> committed_;
    std::int64_t next_id_;
    SegmentRows rows_ = {};  // also those that were removed again
    std::unordered_map<std::int64_t, std::size_t> row_of_ = {};
    std::unordered_map<std::string, std::int64_t> id_of_ = {};  // of names
    std::map<std::size_t, RowSet> dead_ = {};                   // by the segment's place in the snapshot
};

}  // namespace summand
