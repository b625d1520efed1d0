#include "train/warm_start.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/stopwatch.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "model/composite_encoder.h"
#include "summand/train.h"
#include "train/additive_fit.h"
#include "train/least_squares.h"
#include "train/subspace.h"

namespace summand {
namespace {

constexpr int kOpqIterations = 10;
constexpr int kPqIterations = 12;
constexpr std::size_t kVectorsPerWord = 64;  // a start needs no more
constexpr double kRidge = 1;
// Vectors that the start of a word may count as: estimates of real data are best from 3 to 10, of words that start far
// from where they belong with none (docs/decisions/0016-few-vectors.md).
constexpr double kHeaviestAnchor = 8;
constexpr double kAnchorWeights[] = {kHeaviestAnchor, 2, 0};

// Every so many rows, enough to learn a start from.
Matrix<float> start_sample(MatrixView<float> vectors, std::size_t words) {
    const std::size_t rows = std::min(vectors.rows(), kVectorsPerWord * words);
    Matrix<float> sample(rows, vectors.columns());
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(vectors.row(vectors.rows() * i / rows), vectors.columns(), sample.row(i));
    return sample;
}

// Words in the space of the vectors: rotationᵀ·c, and an equal share of the centre.
CompositeStart unfold(const Quantizer& model, MatrixView<float> vectors, const Execution& execution) {
    CompositeStart start{
        model.dictionaries,
        encode(model, vectors, {.execution = {.threads = execution.threads, .stop = execution.stop}}).rows};
    Dictionaries& words = start.dictionaries;
    words.block_begin.clear();
    if (!model.rotation.empty())
        words.rows = multiply_transposed(words.rows.view(), transposed(model.rotation.view()).view(), execution);
    for (std::size_t w = 0; w < words.rows.rows(); ++w)
        for (std::size_t d = 0; d < words.dimensions(); ++d)
            words.rows[w][d] += model.centre[d] / static_cast<float>(words.count);
    return start;
}

}  // namespace

CompositeStart pq_start(MatrixView<float> vectors, const StartOptions& options) {
    const PqOptions pq{.dictionaries = options.dictionaries,
                       .words = options.words,
                       .iterations = kPqIterations,
                       .seed = options.seed,
                       .execution = options.execution};
    return unfold(train(start_sample(vectors, options.words).view(), pq), vectors, options.execution);
}

CompositeStart opq_start(MatrixView<float> vectors, const StartOptions& options) {
    const Execution& execution = options.execution;
    OpqOptions opq{.dictionaries = options.dictionaries,
                   .words = options.words,
                   .start = options.rotation,
                   .seed = options.seed,
                   .execution = execution};
    opq.iterations = options.finished > 0 ? options.finished : kOpqIterations;
    if (options.finished > 0) return unfold(train(vectors, opq), vectors, execution);
    const Matrix<float> sample = start_sample(vectors, options.words);
    if (vectors.columns() <= kStartDimensions) return unfold(train(sample.view(), opq), vectors, execution);
    const Subspace subspace(sample.view(), kStartDimensions, execution);
    opq.start = RotationStart::pca;
    const Quantizer model = train(subspace.project(sample.view(), execution).view(), opq);
    CompositeStart start = unfold(model, subspace.project(vectors, execution).view(), execution);
    start.dictionaries.rows = subspace.lift(start.dictionaries.rows.view(), execution);
    return start;
}

void improve_unconstrained(const CompositeView& vectors, int iterations, const Execution& execution,
                           CompositeState& state, const std::function<void()>& finished) {
    const Stopwatch watch;
    CompositeModel& model = state.model;
    model.word_offsets.assign(model.dictionaries.rows.rows(), 0.0f);
    for (int step = static_cast<int>(state.objective.size()); step < iterations; ++step) {
        solve_dictionaries(state.data(vectors), execution, model.dictionaries);
        CompositeEncoder(model.dictionaries, model.word_offsets, {}, execution)
            .improve(vectors, {.sweeps = 2, .perturbations = 1, .seed = static_cast<std::uint64_t>(step)}, execution,
                     state.codes);
        const CompositePenalty none{.offsets = Offsets::free};
        state.objective.push_back(evaluate({vectors, state.codes}, model, none, execution).error);
        report_step(execution, "CQ", step + 1, iterations, state.objective.back(), watch);
        if (finished) finished();
    }
}

void anchor_to_start(const CompositeTask& task, CompositeState& state) {
    tie_offsets(state.model);
    const double weight = task.options.anchor.value_or(task.few() ? kHeaviestAnchor : 0);
    state.anchor = std::make_shared<Anchor>(anchor_at(state.model, weight));
}

void choose_anchor(CompositeTask& task, const std::function<void(CompositeState&)>& learn, CompositeState& state) {
    if (task.options.anchor || !task.few() || task.held_out.empty()) return;
    const std::vector<float> translation = task.translation;
    double lowest = std::numeric_limits<double>::max();
    std::shared_ptr<const Anchor> best = state.anchor;
    for (const double weight : kAnchorWeights) {
        Anchor anchor = *state.anchor;
        anchor.weight = weight;
        CompositeState trial = state;
        trial.anchor = std::make_shared<Anchor>(std::move(anchor));
        learn(trial);
        const double objective = held_out_terms(task, trial).objective(task.penalty(trial.penalty));
        if (objective < lowest) {
            lowest = objective;
            best = trial.anchor;
        }
        if (task.translation != translation) task.translate(translation);
    }
    state.anchor = best;
}

void append_levels(const std::vector<double>& targets, std::size_t words, std::uint64_t seed,
                   const Execution& execution, CompositeState& state) {
    CompositeModel& model = state.model;
    Matrix<std::uint8_t>& codes = state.codes;
    Dictionaries& old = model.dictionaries;
    tie_offsets(model);
    fit_additive(codes, targets, words, execution, model.word_offsets, kRidge + state.anchor->weight);
    Matrix<float> rest(codes.rows(), 1);
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        double value = targets[n];
        for (std::size_t m = 0; m < old.count; ++m)
            value -= static_cast<double>(model.word_offsets[m * words + codes[n][m]]);
        rest[n][0] = static_cast<float>(value);
    }
    const KMeans levels = kmeans(rest.view(), {.clusters = words,
                                               .iterations = 10,
                                               .seed = seed,
                                               .execution = {.threads = execution.threads, .stop = execution.stop}});
    Dictionaries grown{
        .count = old.count + 1, .words = words, .rows = Matrix<float>((old.count + 1) * words, old.dimensions())};
    std::copy_n(old.rows.data(), old.rows.size(), grown.rows.data());
    Matrix<std::uint8_t> longer(codes.rows(), grown.count);
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        std::copy_n(codes.row(n), old.count, longer.row(n));
        longer[n][old.count] = static_cast<std::uint8_t>(levels.assignment.centre[n]);
    }
    Anchor anchor = *state.anchor;
    std::vector<float> anchored = anchor.words.values();
    anchored.resize(grown.rows.size());
    anchor.words = Matrix<float>(grown.rows.rows(), grown.dimensions(), std::move(anchored));
    for (std::size_t k = 0; k < words; ++k) {
        model.word_offsets.push_back(levels.centres[k][0]);
        anchor.beyond.push_back(static_cast<double>(levels.centres[k][0]));
    }
    state.anchor = std::make_shared<Anchor>(std::move(anchor));
    old = std::move(grown);
    codes = std::move(longer);
}

}  // namespace summand
