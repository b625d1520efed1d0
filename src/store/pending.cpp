#include "store/pending.h"

#include <algorithm>
#include <numeric>

namespace summand {

bool Pending::contains(std::int64_t id) const {
    if (row_of_.contains(id)) return true;
    const auto place = committed_->find(id);
    return place && is_live(*place);
}

std::optional<std::int64_t> Pending::find(std::string_view name) const {
    if (const auto added = id_of_.find(std::string(name)); added != id_of_.end()) return added->second;
    const auto place = find_name(*committed_, name);
    if (!place || !is_live(*place)) return std::nullopt;
    return committed_->segments[place->segment].segment->ids[place->row];
}

// Of what was live at the last commit.
bool Pending::is_live(const Snapshot::Place& place) const {
    const auto dead = dead_.find(place.segment);
    return dead == dead_.end() || !dead->second.has(place.row);
}

void Pending::add(const SegmentRows& rows) {
    std::vector<std::size_t> all(rows.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const std::size_t row : all) {
        row_of_[rows.ids[row]] = rows_.size() + row;
        if (!rows.names.empty()) id_of_[rows.names[row]] = rows.ids[row];
        next_id_ = std::max(next_id_, rows.ids[row] + 1);
    }
    append(rows, all, rows_);
}

bool Pending::remove(std::int64_t id) {
    if (const auto added = row_of_.find(id); added != row_of_.end()) {
        if (named()) id_of_.erase(rows_.names[added->second]);
        row_of_.erase(added);
        return true;
    }
    const auto place = committed_->find(id);
    if (!place) return false;
    const LiveSegment& live = committed_->segments[place->segment];
    const auto found = dead_.find(place->segment);
    if (found != dead_.end()) return found->second.add(place->row);
    return dead_.emplace(place->segment, live.dead ? *live.dead : RowSet(live.segment->ids.size))
        .first->second.add(place->row);
}

SegmentRows Pending::rows() const {
    std::vector<std::size_t> kept;
    for (const auto& [id, row] : row_of_) kept.push_back(row);
    std::sort(kept.begin(), kept.end());
    SegmentRows rows;
    append(rows_, kept, rows);
    return rows;
}

Snapshot Pending::snapshot() const {
    Snapshot snapshot = *committed_;
    for (const auto& [segment, dead] : dead_)
        snapshot.segments[segment] =
            live_segment(snapshot.segments[segment].segment, std::make_shared<const RowSet>(dead));
    if (!row_of_.empty())
        snapshot.segments.push_back({std::make_shared<const Segment>(segment_of(*snapshot.model, rows()))});
    return snapshot;
}

}  // namespace summand
