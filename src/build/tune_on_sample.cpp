#include "build/tune_on_sample.h"

#include <algorithm>

#include "build/source.h"
#include "build/train_index.h"
#include "summand/evaluate.h"
#include "summand/tune.h"

namespace summand {
namespace {

constexpr std::size_t kQueries = 300, kLeastVectors = 200;

// By distances a vector of the base is its own nearest neighbour, and every search finds it. It is one neighbour and
// one answer more than was asked for, and does not count.
class Counted {
public:
    Counted(const TuneTarget& target, Metric metric) : target_(target), own_(is_distance(metric) ? 1 : 0) {}

    TuneTarget with_own() const {
        return {target_.answers + own_, target_.truths + own_,
                (own() + truths() * target_.recall) / (own() + truths())};
    }
    double without_own(double recall) const { return std::max(0.0, recall * (own() + truths()) - own()) / truths(); }

private:
    double own() const { return static_cast<double>(own_); }
    double truths() const { return static_cast<double>(target_.truths); }

    TuneTarget target_;
    std::size_t own_;
};

}  // namespace

std::optional<double> tune_on_sample(const VectorSource& base, const BuildSettings& settings, Index& index) {
    if (base.rows < std::max(kLeastVectors, 4 * settings.target.answers)) return std::nullopt;
    const Counted counted(settings.target, index.metric());
    const TuneTarget target = counted.with_own();
    const Matrix<float> queries = sample_vectors(base, kQueries, settings.seed + 1);
    const Execution execution = silent(settings.execution);
    const Matrix<std::int64_t> truth =
        exact_neighbors(base, VectorSource(queries), target.truths, index.metric(), execution).ids;
    const Tuning tuning = tune(index, queries.view(), truth.view(), target, execution);
    if (tuning.chosen) {
        index.set_defaults(tuning.chosen->parameters);
        return counted.without_own(tuning.chosen->recall);
    }
    const Neighbors found = index.search(queries.view(), {.k = target.answers, .execution = execution});
    return counted.without_own(recall(found, truth.view(), target.answers, target.truths));
}

}  // namespace summand
