// Residual quantization. Trained greedily, dictionary by dictionary, and encoded by beam search.
#include <algorithm>
#include <utility>

#include "math/clusters.h"
#include "model/beam_encoder.h"
#include "model/word_sum.h"
#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/additive.h"
#include "train/blocks.h"
#include "train/prepare.h"

namespace summand {
namespace {

constexpr std::size_t kTrainingWidth = 4;  // of the beam

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

}  // namespace

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
            .improve(vectors, kTrainingWidth, execution, state.codes);
        state.objective.push_back(mean_squared_error(state.dictionaries, vectors, state.codes, execution));
        report_step(execution, steps.stage, static_cast<int>(m + 1), static_cast<int>(steps.dictionaries),
                    state.objective.back(), watch);
    }
    return state;
}

Quantizer train(MatrixView<float> vectors, const RqOptions& options) {
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
    const Prepared data =
        prepare(vectors, {options.dictionaries, options.words}, options.unit_length, options.execution);
    AdditiveState state = residual_dictionaries(
        data.vectors.view(), {options.dictionaries, options.words, options.iterations, options.seed, "RQ"},
        options.execution);
    Quantizer model{.method = "RQ", .unit_length = options.unit_length, .bias = Bias::derived, .centre = data.centre};
    model.word_offsets = squared_word_norms(state.dictionaries);
    model.encoder = {.effort = options.effort, .search = CodeSearch::residual};
    model.training = {
        .vectors = vectors.rows(), .distortion = state.objective.back(), .objective = std::move(state.objective)};
    model.dictionaries = std::move(state.dictionaries);
    return model;
}

}  // namespace summand
