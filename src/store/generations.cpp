// A new model for vectors that are there: they are encoded anew from the originals, and old segments serve until all of
// it is committed at once.
#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "build/train_index.h"
#include "store/living_state.h"
#include "summand/error.h"
#include "summand/half.h"

namespace summand {
namespace {

// Where vectors are kept: row by row in the second layers of segments.
class KeptVectors {
public:
    explicit KeptVectors(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {
        for (std::size_t s = 0; s < snapshot_->segments.size(); ++s) {
            const LiveSegment& live = snapshot_->segments[s];
            for (std::size_t row = 0; row < live.segment->ids.size; ++row)
                if (!live.dead || !live.dead->has(row)) {
                    places_.push_back({s, row});
                    ids.push_back(live.segment->ids[row]);
                }
            kept_.push_back(snapshot_->model->rows_of(live.segment->index).second);
        }
    }

    Matrix<float> read(std::size_t first, std::size_t count) const {
        const StoreModel& model = *snapshot_->model;
        Matrix<float> vectors(count, model.dimensions());
        for (std::size_t i = 0; i < count; ++i) {
            const auto& [segment, row] = places_[first + i];
            const std::byte* bytes = kept_[segment].data() + row * model.second_bytes();
            for (std::size_t d = 0; d < model.dimensions(); ++d) vectors[i][d] = value(bytes, d);
        }
        return vectors;
    }

    std::vector<std::int64_t> ids;

private:
    float value(const std::byte* row, std::size_t d) const {
        const RowFormat format = *snapshot_->model->model().second->rows;
        if (format == RowFormat::u8) return static_cast<float>(std::to_integer<int>(row[d]));
        if (format == RowFormat::fp32) {
            float number;
            std::memcpy(&number, row + d * sizeof number, sizeof number);
            return number;
        }
        std::uint16_t half;
        std::memcpy(&half, row + d * sizeof half, sizeof half);
        return half_to_float(half);
    }

    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<Snapshot::Place> places_;
    std::vector<std::vector<std::byte>> kept_;  // of each segment
};

// Vectors of the live ids, from a source in any order.
VectorSource of_live_ids(const Snapshot& snapshot, const VectorSource& vectors, std::span<const std::int64_t> given,
                         std::vector<std::int64_t>& ids) {
    require(given.size() == vectors.rows, vectors.name, ": expected an id for each of ", vectors.rows, " vectors, got ",
            given.size());
    std::unordered_map<std::int64_t, std::size_t> row_of;
    for (std::size_t row = 0; row < given.size(); ++row) row_of[given[row]] = row;
    auto rows = std::make_shared<std::vector<std::size_t>>();
    for (const LiveSegment& live : snapshot.segments)
        for (std::size_t row = 0; row < live.segment->ids.size; ++row) {
            if (live.dead && live.dead->has(row)) continue;
            const auto found = row_of.find(live.segment->ids[row]);
            require(found != row_of.end(), vectors.name, ": has no vector of the id ", live.segment->ids[row],
                    ", which is in the index");
            ids.push_back(found->first);
            rows->push_back(found->second);
        }
    const auto read = [rows, source = vectors.read, columns = vectors.columns](std::size_t first, std::size_t count) {
        Matrix<float> result(count, columns);
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(source((*rows)[first + i], 1).data(), columns, result.row(i));
        return result;
    };
    return {rows->size(), vectors.columns, read, vectors.name};
}

}  // namespace

void LivingIndex::State::retrain(const VectorSource& vectors, std::vector<std::int64_t> ids, std::string_view spec,
                                 const BuildSettings& settings) {
    require(!ids.empty(), "retrain: the index holds no vectors to learn from");
    const IndexModel model = learnt_model(vectors, spec, settings);
    const StoreModel store(model, metric_of(settings), settings.seed);
    with_new_files([&](std::vector<std::string>& files) {
        Manifest next = committed.manifest;
        ++next.commit;
        ++next.generation;
        write_model(folder, store, next, files);
        SegmentRows rows = encoded(store, vectors, std::move(ids), settings.execution);
        if (next.named)
            for (const std::int64_t id : rows.ids) rows.names.emplace_back(name_of(*committed.snapshot, id));
        next.segments = {write_new_segment(folder, store, segment_of(store, rows), next_segment++, files)};
        publish(std::move(next), files);
    });
}

void LivingIndex::retrain(std::string_view spec, const BuildSettings& given) {
    state_->require_writer("retrain");
    const std::lock_guard alone(state_->compacting);
    const std::lock_guard exclusive(state_->changing);
    state_->commit();
    const Snapshot& now = *state_->committed.snapshot;
    require(now.model->model().second && now.model->model().second->rows, "retrain: ", state_->folder,
            " keeps no vectors to encode again; give them, or make an index with Refine(fp16)");
    const KeptVectors kept(state_->committed.snapshot);
    const VectorSource vectors(
        kept.ids.size(), now.model->dimensions(),
        [&](std::size_t first, std::size_t count) { return kept.read(first, count); }, state_->folder);
    BuildSettings settings = given;
    settings.metric = now.model->metric();
    state_->retrain(vectors, kept.ids, spec.empty() ? now.model->empty().spec() : std::string(spec), settings);
}

void LivingIndex::retrain(const VectorSource& vectors, std::span<const std::int64_t> ids, std::string_view spec,
                          const BuildSettings& given) {
    state_->require_writer("retrain");
    const std::lock_guard alone(state_->compacting);
    const std::lock_guard exclusive(state_->changing);
    state_->commit();
    const Snapshot& now = *state_->committed.snapshot;
    std::vector<std::int64_t> live;
    const VectorSource own = of_live_ids(now, vectors, ids, live);
    BuildSettings settings = given;
    settings.metric = now.model->metric();
    state_->retrain(own, std::move(live), spec.empty() ? now.model->empty().spec() : std::string(spec), settings);
}

}  // namespace summand
