// How an index does on its own data: from the vectors that its segments keep as they came.
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "index/first_codes.h"
#include "kernels/kernels.h"
#include "store/living_state.h"
#include "summand/evaluate.h"
#include "summand/half.h"

namespace summand {
namespace {

constexpr std::size_t kQueries = 200;  // of the sample, for the recall
constexpr std::size_t kNeighbors = 10;
constexpr double kTooFar = 1.5;      // times the distortion of training
constexpr std::size_t kFewest = 30;  // sampled vectors of a segment that say something

// Vectors that are alive, of all segments, and their ids.
struct Sample {
    std::vector<std::int64_t> ids;
    std::vector<float> values;
    std::size_t dimensions = 0;

    MatrixView<float> view() const { return {values.data(), ids.size(), dimensions}; }
};

bool alive(const LiveSegment& live, std::size_t row) { return !live.dead || !live.dead->has(row); }

void append(const LiveSegment& live, Sample& sample) {
    const Segment& segment = *live.segment;
    for (std::size_t i = 0; i < segment.sample_rows.size(); ++i) {
        if (!alive(live, segment.sample_rows[i])) continue;
        sample.ids.push_back(segment.ids[segment.sample_rows[i]]);
        for (std::size_t d = 0; d < sample.dimensions; ++d)
            sample.values.push_back(half_to_float(segment.sample[i * sample.dimensions + d]));
    }
}

// Mean squared distance of sampled vectors from what their codes stand for.
double distortion_of(const Segment& segment, std::size_t dimensions) {
    const FirstCodes codes(IndexParts::first(segment.index));
    std::vector<float> approximation(dimensions);
    double sum = 0;
    for (std::size_t i = 0; i < segment.sample_rows.size(); ++i) {
        codes.reconstruct(static_cast<std::int64_t>(segment.sample_rows[i]), approximation.data());
        for (std::size_t d = 0; d < dimensions; ++d) {
            const double difference = static_cast<double>(half_to_float(segment.sample[i * dimensions + d])) -
                                      static_cast<double>(approximation[d]);
            sum += difference * difference;
        }
    }
    return sum / static_cast<double>(std::max<std::size_t>(1, segment.sample_rows.size()));
}

// Share of the ten nearest of a sampled vector, among the sample, that the index finds among the sample.
double recall_on(const Snapshot& snapshot, const Sample& sample, const Execution& execution, std::size_t& queries) {
    if (sample.ids.size() <= kNeighbors) return std::nan("");
    queries = std::min(kQueries, sample.ids.size());
    const std::size_t step = sample.ids.size() / queries;
    Matrix<float> asked(queries, sample.dimensions);
    for (std::size_t q = 0; q < queries; ++q) std::copy_n(sample.view().row(q * step), sample.dimensions, asked.row(q));
    const IdFilter among = IdFilter::list(sample.ids);
    const SearchOptions options{.k = kNeighbors + 1, .filter = &among, .execution = execution};
    const Neighbors found = snapshot.search(asked.view(), options);
    const Neighbors truth =
        exact_neighbors(sample.view(), asked.view(), kNeighbors + 1, snapshot.model->metric(), execution);
    std::size_t hits = 0;
    for (std::size_t q = 0; q < queries; ++q) {
        std::vector<std::int64_t> near;
        for (const std::int64_t row : truth.ids[q])
            if (static_cast<std::size_t>(row) != q * step && near.size() < kNeighbors)
                near.push_back(sample.ids[static_cast<std::size_t>(row)]);
        std::size_t others = 0;
        for (const std::int64_t id : found.ids[q]) {
            if (id == sample.ids[q * step] || others == kNeighbors) continue;
            ++others;
            hits += std::find(near.begin(), near.end(), id) != near.end() ? 1 : 0;
        }
    }
    return static_cast<double>(hits) / static_cast<double>(queries * kNeighbors);
}

void judge(Health& health) {
    double sum = 0;
    std::size_t vectors = 0;
    for (auto segment = health.segments.rbegin(); segment != health.segments.rend(); ++segment) {
        if (segment->sampled < kFewest) continue;
        sum += segment->distortion * static_cast<double>(segment->vectors);
        vectors += segment->vectors;
        if (vectors * 5 >= health.vectors) break;  // the last fifth
    }
    if (vectors == 0 || health.training_distortion <= 0) return;
    health.recent_distortion = sum / static_cast<double>(vectors);
    const double ratio = health.recent_distortion / health.training_distortion;
    if (ratio <= kTooFar) return;
    health.retrain = true;
    health.advice = concatenate("recent vectors lie ", std::round(ratio * 100) / 100,
                                " times as far from their codes as those of training did: train a new model");
}

}  // namespace

Health LivingIndex::health(const Execution& execution) const {
    const std::shared_ptr<const Snapshot> snapshot = state_->visible();
    const TrainingSummary& training = snapshot->model->model().quantizer().training;
    Health health{.vectors = snapshot->size(),
                  .training_distortion = training.held_out_distortion.value_or(training.distortion)};
    Sample sample{.dimensions = snapshot->model->dimensions()};
    for (const LiveSegment& live : snapshot->segments) {
        check_stop(execution);
        append(live, sample);
        health.segments.push_back({live.segment->number, live.size(), live.segment->sample_rows.size(),
                                   distortion_of(*live.segment, sample.dimensions)});
    }
    health.sampled = sample.ids.size();
    health.recall = recall_on(*snapshot, sample, execution, health.queries);
    judge(health);
    return health;
}

}  // namespace summand
