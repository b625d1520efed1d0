// Changes that are not committed yet: rows in memory, and rows of committed segments that are dead by now.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

    /// None of the ids may be there.
    void add(const SegmentRows& rows);

    /// False where it is not there.
    bool remove(std::int64_t id);

    /// What is committed, with these changes.
    Snapshot snapshot() const;

    SegmentRows rows() const;                                            ///< that were added
    const std::map<std::size_t, RowSet>& dead() const { return dead_; }  ///< all dead rows of segments that lost some

private:
    std::shared_ptr<const Snapshot> committed_;
    std::int64_t next_id_;
    SegmentRows rows_ = {};  // also those that were removed again
    std::unordered_map<std::int64_t, std::size_t> row_of_ = {};
    std::map<std::size_t, RowSet> dead_ = {};  // by the segment's place in the snapshot
};

}  // namespace summand
