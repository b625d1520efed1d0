#include "summand/living_index.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "build/source.h"
#include "build/train_index.h"
#include "io/atomic_file.h"
#include "io/file_calls.h"
#include "io/user_ids.h"
#include "store/living_state.h"
#include "summand/error.h"

namespace summand {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<FileLock> lock_of(const std::string& folder) {
    return std::make_unique<FileLock>(lock_path(folder),
                                      folder +
                                          ": another process or object writes to this index; there is one writer "
                                          "at a time");
}

void require_new(const std::string& folder) {
    require(!fs::exists(folder) || fs::is_directory(folder), folder, ": is no folder");
    require(!LivingIndex::is_at(folder), folder, ": holds an index already");
    if (!fs::exists(folder)) return;
    const std::string other = foreign_file(folder);
    require(other.empty(), folder, ": expected an empty folder, or none, got one that holds ", other);
}

void make_folder(const std::string& folder) {
    if (fs::is_directory(folder)) return;
    require_written(file_calls::make_folder(folder.c_str()), folder);
}

void check_ids(const char* what, std::span<const std::int64_t> ids, const VectorSource& vectors) {
    require(ids.size() == vectors.rows, what, ": expected an id for each of ", vectors.rows, " vectors, got ",
            ids.size());
    std::unordered_set<std::int64_t> seen;
    for (const std::int64_t id : ids) {
        require(id >= 0 && id <= kLargestId, what, ": expected ids from 0 to 2^63 - 2, got ", id);
        require(seen.insert(id).second, what, ": the id ", id, " is given twice");
    }
}

}  // namespace

// A second layer of codes is learnt from what the first one leaves of the sample.
IndexModel learnt_model(const VectorSource& learn, std::string_view text, const BuildSettings& settings) {
    const IndexSpec spec = spec_of(text, settings);
    if (!spec.refine) return train_index(learn, text, settings);
    require(spec.refine->code || (spec.refine->rows && spec.refine->rows != RowFormat::sq8),
            "create: ", to_string(spec),
            ": an index that lives takes Refine(fp32), Refine(fp16), Refine(u8) or codes, as in "
            "Refine(LOCQ8)");
    if (spec.refine->rows) {
        IndexModel model = train_index(learn, to_string(IndexSpec{spec.cells, spec.code}), settings);
        model.second = RefineModel{.rows = spec.refine->rows};
        return model;
    }
    const Matrix<float> sample = sample_vectors(learn, learn_count(spec, learn, settings), settings.seed);
    return model_of(build(VectorSource(sample), text, settings));
}

SegmentRows encoded(const StoreModel& model, const VectorSource& vectors, std::vector<std::int64_t> ids,
                    const Execution& execution) {
    require(vectors.rows < kMostRows, vectors.name, ": expected fewer than ", kMostRows, " vectors at once, got ",
            vectors.rows);
    SegmentRows rows;
    for_each_chunk(vectors, execution, [&](const Matrix<float>& chunk, std::size_t first, const Execution& inner) {
        if (model.metric() == Metric::cosine)
            require_directions(chunk.view(), vectors, [&](std::size_t i) { return first + i; });
        SegmentRows part = model.encode(chunk.view(), inner);
        const auto own = ids.begin() + static_cast<std::ptrdiff_t>(first);
        part.ids.assign(own, own + static_cast<std::ptrdiff_t>(chunk.rows()));
        part.sample = reservoir_of(chunk.view(), part.ids, model.metric());
        std::vector<std::size_t> all(part.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        append(part, all, rows);
        rows.sample.shrink(kLargestReservoir);
    });
    return rows;
}

LivingIndex::State::State(std::string where, Access how)
    : folder(std::move(where)),
      access(how),
      lock(how == Access::write ? lock_of(folder) : nullptr),
      committed(load_current(folder)),
      pending(committed.snapshot, committed.manifest.next_id),
      next_segment(committed.manifest.next_segment) {
    if (access == Access::write) remove_unnamed(folder, committed.manifest);
}

LivingIndex::State::State(std::string where, std::unique_ptr<FileLock> held)
    : folder(std::move(where)),
      access(Access::write),
      lock(std::move(held)),
      committed(load_current(folder)),
      pending(committed.snapshot, committed.manifest.next_id),
      next_segment(committed.manifest.next_segment) {}

std::shared_ptr<const Snapshot> LivingIndex::State::visible() {
    const std::lock_guard own(guard);
    if (!shown) shown = pending.empty() ? committed.snapshot : std::make_shared<const Snapshot>(pending.snapshot());
    return shown;
}

void LivingIndex::State::require_writer(const char* what) const {
    require(access == Access::write, what, ": ", folder, " was opened for reading, expected Access::write");
}

LivingIndex::LivingIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
LivingIndex::LivingIndex(LivingIndex&&) noexcept = default;
LivingIndex& LivingIndex::operator=(LivingIndex&&) noexcept = default;
LivingIndex::~LivingIndex() = default;

LivingIndex LivingIndex::create(const std::string& folder, const VectorSource& learn, std::string_view spec,
                                const BuildSettings& settings) {
    require_new(folder);
    return create(folder, learnt_model(learn, spec, settings), metric_of(settings), settings.seed);
}

LivingIndex LivingIndex::create(const std::string& folder, const IndexModel& model, std::optional<Metric> metric,
                                std::uint64_t seed) {
    require_new(folder);
    make_folder(folder);
    auto lock = lock_of(folder);
    require_new(folder);  // another process may have made one meanwhile
    remove_unnamed(folder, {});
    write_folder(folder, model, metric.value_or(model.metric().value_or(Metric::euclidean)), seed);
    return LivingIndex(std::make_unique<State>(folder, std::move(lock)));
}

bool LivingIndex::is_at(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error) && fs::exists(manifest_path(path), error);
}

LivingIndex LivingIndex::open(const std::string& folder, Access access) {
    require(fs::is_directory(folder), folder, ": is no folder, expected one made by create");
    require(is_at(folder), folder, ": holds no index: there is no manifest.smd");
    return LivingIndex(std::make_unique<State>(folder, access));
}

std::size_t LivingIndex::size() const { return state_->visible()->size(); }
Metric LivingIndex::metric() const { return state_->visible()->model->metric(); }
std::size_t LivingIndex::dimensions() const { return state_->visible()->model->dimensions(); }
std::string LivingIndex::spec() const { return state_->visible()->model->empty().spec(); }
IndexModel LivingIndex::model() const { return state_->visible()->model->model(); }

RowModel LivingIndex::row_model() const {
    const std::shared_ptr<const StoreModel> model = state_->visible()->model;
    return RowModel({.first = model->model().first}, model->metric(), model->seed());
}

bool LivingIndex::contains(std::int64_t id) const {
    const std::lock_guard own(state_->guard);
    return state_->pending.contains(id);
}

LivingInfo LivingIndex::info() const {
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    LivingInfo info{.spec = snapshot->model->empty().spec(), .metric = snapshot->model->metric()};
    for (const LiveSegment& live : snapshot->segments) {
        info.vectors += live.size();
        info.dead += live.dead_count();
        info.segments.push_back(
            {live.segment->number, live.segment->ids.size, live.dead_count(), live.segment->stamp.bytes});
    }
    const std::lock_guard own(state_->guard);
    info.named = state_->named();
    info.commit = state_->committed.manifest.commit;
    info.next_id = state_->pending.next_id();
    return info;
}

Neighbors LivingIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    return state_->visible()->search(queries, options);
}

RangeNeighbors LivingIndex::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    return state_->visible()->search_range(queries, radius, options);
}

bool LivingIndex::refresh() const {
    if (state_->access == Access::write) return false;
    const std::lock_guard exclusive(state_->changing);
    if (read_manifest(state_->folder) == state_->committed.manifest) return false;
    Committed now = load_current(state_->folder, &state_->committed);
    const std::lock_guard own(state_->guard);
    state_->committed = std::move(now);
    state_->pending = Pending(state_->committed.snapshot, state_->committed.manifest.next_id);
    state_->shown.reset();
    return true;
}

std::int64_t LivingIndex::add(const VectorSource& vectors, const Execution& execution) {
    state_->require_writer("add");
    const std::lock_guard exclusive(state_->changing);
    state_->require_numbers("add");
    const std::int64_t first = state_->pending.next_id();
    require(vectors.rows <= static_cast<std::size_t>(kLargestId - first) + 1, "add: expected at most ",
            kLargestId - first + 1, " more ids, got ", vectors.rows, " vectors");
    std::vector<std::int64_t> ids(vectors.rows);
    std::iota(ids.begin(), ids.end(), first);
    state_->store(vectors, std::move(ids), {}, execution);
    return first;
}

void LivingIndex::State::put(const char* what, const VectorSource& vectors, std::span<const std::int64_t> ids,
                             Ids there, const Execution& execution) {
    require_writer(what);
    check_ids(what, ids, vectors);
    const std::lock_guard exclusive(changing);
    require_numbers(what);
    for (const std::int64_t id : ids) {
        require(there != Ids::none || !pending.contains(id), what, ": the id ", id,
                " is in the index already; replace it, or leave it out");
        require(there != Ids::all || pending.contains(id), what, ": the id ", id, " is not in the index");
    }
    store(vectors, {ids.begin(), ids.end()}, {}, execution);
}

void LivingIndex::State::store(const VectorSource& vectors, std::vector<std::int64_t> ids,
                               std::vector<std::string> names, const Execution& execution) {
    SegmentRows rows = encoded(*committed.snapshot->model, vectors, std::move(ids), execution);
    rows.names = std::move(names);
    change(rows.size(), [&](Pending& changed) {
        for (const std::int64_t id : rows.ids) changed.remove(id);
        changed.add(rows);
    });
}

void LivingIndex::add(const VectorSource& vectors, std::span<const std::int64_t> ids, Duplicates duplicates,
                      const Execution& execution) {
    state_->put("add", vectors, ids, duplicates == Duplicates::refuse ? State::Ids::none : State::Ids::any, execution);
}

void LivingIndex::update(const VectorSource& vectors, std::span<const std::int64_t> ids, const Execution& execution) {
    state_->put("update", vectors, ids, State::Ids::all, execution);
}

std::size_t LivingIndex::remove(std::span<const std::int64_t> ids) {
    state_->require_writer("remove");
    const std::lock_guard exclusive(state_->changing);
    std::size_t removed = 0;
    state_->change(ids.size(), [&](Pending& pending) {
        for (const std::int64_t id : ids) removed += pending.remove(id) ? 1 : 0;
    });
    return removed;
}

std::size_t LivingIndex::remove(const IdFilter& ids) {
    state_->require_writer("remove");
    std::vector<std::int64_t> found;
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    for (const LiveSegment& live : snapshot->segments) {
        const std::vector<std::uint64_t> kept = ids.words(live.segment->ids);
        for (std::size_t row = 0; row < live.segment->ids.size; ++row)
            if ((kept[row / 64] >> row % 64 & 1) != 0 && !(live.dead && live.dead->has(row)))
                found.push_back(live.segment->ids[row]);
    }
    return remove(found);
}

void LivingIndex::set_commit_every(std::size_t changes) {
    state_->require_writer("commit");
    const std::lock_guard exclusive(state_->changing);
    state_->commit_every = changes;
}

void LivingIndex::commit() {
    state_->require_writer("commit");
    const std::lock_guard exclusive(state_->changing);
    state_->commit();
}

void LivingIndex::compact(Compaction what, const Execution& execution) {
    state_->require_writer("compact");
    const std::lock_guard alone(state_->compacting);
    commit();
    const auto groups = [&] {
        const std::lock_guard own(state_->guard);
        return groups_to_merge(state_->committed, what);
    }();
    for (const auto& group : groups) {
        check_stop(execution);
        state_->merge(group);
    }
}

}  // namespace summand
