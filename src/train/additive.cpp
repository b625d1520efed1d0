// Sums of words found by beam search: residual quantization, one dictionary after the other, and additive quantization,
// which starts there and goes on with least-squares dictionaries and beam search by turns.
#include <algorithm>
#include <utility>

#include "base/stopwatch.h"
#include "math/clusters.h"
#include "model/beam_encoder.h"
#include "model/bias.h"
#include "model/composite_input.h"
#include "model/word_sum.h"
#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/blocks.h"
#include "train/least_squares.h"
#include "train/prepare.h"

namespace summand {
namespace {

constexpr std::size_t kResidualWidth = 4;  // of the beam in the training of RQ
constexpr std::size_t kAdditiveWidth = 8;  // and of AQ
constexpr int kStartIterations = 10;       // of k-means, for each dictionary of AQ's start
constexpr double kRidge = 1;               // a word's old value counts as so many vectors
constexpr int kLevelIterations = 25;       // of k-means, for the levels of the norm

struct AdditiveState {
    Dictionaries dictionaries = {};
    Matrix<std::uint8_t> codes = {};
    std::vector<double> objective = {};  // mean squared error after each step
};

struct ResidualSteps {
    std::size_t dictionaries, words;
    int iterations;  // of k-means
    std::uint64_t seed;
};

Matrix<float> residuals(MatrixView<float> vectors, const AdditiveState& state, const Execution& execution) {
    if (state.dictionaries.count == 0)
        return {vectors.rows(), vectors.columns(), std::vector<float>(vectors.data(), vectors.row(vectors.rows()))};
    Matrix<float> rest = word_sums(state.dictionaries, state.codes, execution);
    for (std::size_t i = 0; i < rest.size(); ++i) rest.data()[i] = vectors.data()[i] - rest.data()[i];
    return rest;
}

void append(const KMeans& clusters, AdditiveState& state) {
    const std::size_t M = state.dictionaries.count, K = clusters.centres.rows(), D = clusters.centres.columns();
    Dictionaries grown{.count = M + 1, .words = K, .rows = Matrix<float>((M + 1) * K, D)};
    std::copy_n(state.dictionaries.rows.data(), M * K * D, grown.rows.data());
    std::copy_n(clusters.centres.data(), K * D, grown.word(M, 0));
    Matrix<std::uint8_t> longer(clusters.assignment.centre.size(), M + 1);
    for (std::size_t i = 0; i < longer.rows(); ++i) {
        if (M > 0) std::copy_n(state.codes.row(i), M, longer.row(i));
        longer[i][M] = static_cast<std::uint8_t>(clusters.assignment.centre[i]);
    }
    state.dictionaries = std::move(grown);
    state.codes = std::move(longer);
}

// One dictionary after the other: k-means of the residuals, then beam search with all dictionaries so far. The error
// never rises.
AdditiveState residual_dictionaries(MatrixView<float> vectors, const ResidualSteps& steps, const Execution& execution) {
    const Stopwatch watch;
    AdditiveState state;
    for (std::size_t m = 0; m < steps.dictionaries; ++m) {
        const Matrix<float> rest = residuals(vectors, state, execution);
        append(kmeans(rest.view(), {.clusters = steps.words,
                                    .iterations = steps.iterations,
                                    .seed = steps.seed + m,
                                    .execution = {.threads = execution.threads, .stop = execution.stop}}),
               state);
        BeamEncoder(state.dictionaries, CodeSearch::residual, execution)
            .improve(vectors, kResidualWidth, execution, state.codes);
        state.objective.push_back(mean_squared_error(state.dictionaries, vectors, state.codes, execution));
        report_step(execution, "RQ", static_cast<int>(m + 1), static_cast<int>(steps.dictionaries),
                    state.objective.back(), watch);
    }
    return state;
}

// One more dictionary of zero words, whose offsets are levels of |ȳ|²; the offsets of the words become zero.
void append_norms(const Matrix<std::uint8_t>& codes, const AqOptions& options, Quantizer& model) {
    model.bias = Bias::none;
    model.word_offsets.assign(model.dictionaries.rows.rows(), 0.0f);
    const std::vector<float> norms = biases(model, codes, options.execution);
    const KMeans levels = kmeans({norms.data(), norms.size(), 1},
                                 {.clusters = options.words,
                                  .iterations = kLevelIterations,
                                  .seed = options.seed,
                                  .execution = {.threads = options.execution.threads, .stop = options.execution.stop}});
    Dictionaries& words = model.dictionaries;
    std::vector<float> rows = words.rows.values();
    rows.resize(rows.size() + words.words * words.dimensions());
    ++words.count;
    words.rows = {words.count * words.words, model.dimensions(), std::move(rows)};
    for (std::size_t k = 0; k < options.words; ++k) model.word_offsets.push_back(levels.centres[k][0]);
}

// The model of a state; its words keep their squared lengths as offsets.
template <class Options>
Quantizer model_of(const AdditiveState& state, const Prepared& data, CodeSearch search, const Options& options) {
    Quantizer model{.unit_length = options.unit_length, .bias = Bias::derived, .centre = data.centre};
    model.word_offsets = squared_word_norms(state.dictionaries);
    model.encoder = {.effort = options.effort, .search = search};
    model.training = {
        .vectors = state.codes.rows(), .distortion = state.objective.back(), .objective = state.objective};
    model.dictionaries = state.dictionaries;
    return model;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const RqOptions& options) {
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
    const Prepared data =
        prepare(vectors, {options.dictionaries, options.words}, options.unit_length, options.execution);
    const AdditiveState state = residual_dictionaries(
        data.vectors.view(), {options.dictionaries, options.words, options.iterations, options.seed},
        options.execution);
    Quantizer model = model_of(state, data, CodeSearch::residual, options);
    model.method = "RQ";
    return model;
}

Quantizer train(MatrixView<float> vectors, const AqOptions& options) {
    const Execution& execution = options.execution;
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
    require(!options.norm_byte || options.dictionaries < kMaxDictionaries,
            "train: the norm byte of AQ is one more dictionary; expected at most ", kMaxDictionaries - 1, ", got ",
            options.dictionaries);
    Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const CompositeInput input = composite_input(std::move(data.vectors));
    AdditiveState state = residual_dictionaries(
        input.vectors.view(), {options.dictionaries, options.words, kStartIterations, options.seed}, execution);
    state.objective.clear();
    const Stopwatch watch;
    for (int step = 0; step < options.iterations; ++step) {
        solve_dictionaries({input.view(), state.codes}, kRidge, execution, state.dictionaries);
        BeamEncoder(state.dictionaries, CodeSearch::beam, execution)
            .improve(input.vectors.view(), kAdditiveWidth, execution, state.codes);
        state.objective.push_back(mean_squared_error(state.dictionaries, input.vectors.view(), state.codes, execution));
        report_step(execution, "AQ", step + 1, options.iterations, state.objective.back(), watch);
    }
    Quantizer model = model_of(state, data, CodeSearch::beam, options);
    model.method = options.norm_byte ? "AQe" : "AQ";
    if (options.norm_byte) append_norms(state.codes, options, model);
    return model;
}

}  // namespace summand
