// Ids that are texts. The index gives each name a number in the order of coming, and never twice; everything else goes
// by the numbers, and segments keep the names of their rows.
#include <unordered_set>

#include "store/living_state.h"
#include "summand/error.h"

namespace summand {
namespace {

void check_names(const char* what, std::span<const std::string> names, const VectorSource& vectors) {
    require(names.size() == vectors.rows, what, ": expected a name for each of ", vectors.rows, " vectors, got ",
            names.size());
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const char* problem = problem_of_name(names[i]);
        require(!problem, what, ": vector ", i, " ", problem ? problem : "",
                "; expected from 1 to 1,024 bytes of UTF-8 without control characters");
        require(seen.insert(names[i]).second, what, ": the id '", names[i], "' is given twice");
    }
}

}  // namespace

std::optional<Snapshot::Place> find_name(const Snapshot& snapshot, std::string_view name) {
    for (std::size_t s = snapshot.segments.size(); s-- > 0;) {
        const LiveSegment& live = snapshot.segments[s];
        const std::optional<std::size_t> row = live.segment->names.row_of(name);
        if (row && !(live.dead && live.dead->has(*row))) return Snapshot::Place{s, *row};
    }
    return std::nullopt;
}

std::string_view name_of(const Snapshot& snapshot, std::int64_t id) {
    for (std::size_t s = snapshot.segments.size(); s-- > 0;) {
        const Segment& segment = *snapshot.segments[s].segment;
        const std::optional<std::size_t> row = segment.ids.row_of(id);
        if (row && !segment.names.empty()) return segment.names[*row];
    }
    return {};
}

bool LivingIndex::State::named() const { return committed.manifest.named || pending.named(); }

void LivingIndex::State::require_numbers(const char* what) const {
    require(!named(), what, ": the ids of ", folder, " are texts, expected one for each vector");
}

void LivingIndex::State::put_named(const char* what, const VectorSource& vectors, std::span<const std::string> names,
                                   Ids there, const Execution& execution) {
    require_writer(what);
    check_names(what, names, vectors);
    const std::lock_guard exclusive(changing);
    require(named() || pending.next_id() == 0, what, ": the ids of ", folder, " are numbers, got texts");
    std::vector<std::int64_t> ids;
    std::int64_t next = pending.next_id();
    for (const std::string& name : names) {
        const std::optional<std::int64_t> known = pending.find(name);
        require(there != Ids::none || !known, what, ": the id '", name,
                "' is in the index already; replace it, or leave it out");
        require(there != Ids::all || known, what, ": the id '", name, "' is not in the index");
        ids.push_back(known ? *known : next++);
    }
    store(vectors, std::move(ids), {names.begin(), names.end()}, execution);
}

std::vector<std::int64_t> LivingIndex::State::live_ids_of(std::span<const std::string> names) const {
    const std::lock_guard own(guard);
    std::vector<std::int64_t> ids;
    for (const std::string& name : names)
        if (const auto id = pending.find(name)) ids.push_back(*id);
    return ids;
}

void LivingIndex::add(const VectorSource& vectors, std::span<const std::string> names, Duplicates duplicates,
                      const Execution& execution) {
    const auto there = duplicates == Duplicates::refuse ? State::Ids::none : State::Ids::any;
    state_->put_named("add", vectors, names, there, execution);
}

void LivingIndex::update(const VectorSource& vectors, std::span<const std::string> names, const Execution& execution) {
    state_->put_named("update", vectors, names, State::Ids::all, execution);
}

std::size_t LivingIndex::remove(std::span<const std::string> names) { return remove(state_->live_ids_of(names)); }

bool LivingIndex::contains(std::string_view name) const {
    const std::lock_guard own(state_->guard);
    return state_->pending.find(name).has_value();
}

std::vector<std::string> LivingIndex::names(std::span<const std::int64_t> ids) const {
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    std::vector<std::string> names;
    for (const std::int64_t id : ids) names.emplace_back(name_of(*snapshot, id));
    return names;
}

IdFilter LivingIndex::filter(std::span<const std::string> names) const {
    return IdFilter::list(state_->live_ids_of(names));
}

void LivingIndex::retrain(const VectorSource& vectors, std::span<const std::string> names, std::string_view spec,
                          const BuildSettings& settings) {
    check_names("retrain", names, vectors);
    std::vector<std::int64_t> ids;
    {
        const std::lock_guard own(state_->guard);
        for (const std::string& name : names) ids.push_back(state_->pending.find(name).value_or(kNoId));
    }
    retrain(vectors, ids, spec, settings);
}

}  // namespace summand
