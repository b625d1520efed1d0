// Orthogonal composite quantization: minimise
//
//     1/N Σ_n |x_n - Σ_m c[m][code_nm]|² + penalty · Σ_{i≠j} |C_iᵀ·C_j|²
//
// with a rising penalty. Where the penalty has done its work the dictionaries span subspaces that are orthogonal to
// each other; their sizes, which Cartesian k-means fixes beforehand, have been learnt. The last step makes that
// exact: an orthonormal basis is dealt to the dictionaries, the words are projected onto their own part, and the
// rotation and the words are polished together with that block structure.
#include "train/ocq.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "model/composite_encoder.h"
#include "summand/error.h"
#include "train/blocks.h"
#include "train/dictionary_step.h"
#include "train/prepare.h"
#include "train/rotated_blocks.h"
#include "train/warm_start.h"

namespace summand {
namespace {

constexpr int kDescentIterations = 6;
constexpr double kFirstPenalty = 0.1, kLastPenalty = 30;  // of the natural one
// For each iteration of the penalised problem.
constexpr int kStartSteps = 4, kFirstPolish = 1, kLastPolish = 4;

// Usage-weighted second moments of one dictionary: the directions it needs.
Matrix<double> second_moments(const Dictionaries& words, std::size_t m, const Matrix<std::uint8_t>& codes) {
    const std::size_t D = words.dimensions();
    std::vector<double> used(words.words, 0.0);
    for (std::size_t n = 0; n < codes.rows(); ++n) used[codes[n][m]] += 1;
    std::vector<double> mean(D, 0.0);
    for (std::size_t k = 0; k < words.words; ++k)
        for (std::size_t d = 0; d < D; ++d)
            mean[d] += used[k] * static_cast<double>(words.word(m, k)[d]) / static_cast<double>(codes.rows());
    Matrix<double> moments(D, D);
    for (std::size_t k = 0; k < words.words; ++k)
        for (std::size_t i = 0; i < D; ++i) {
            const double a = used[k] * (static_cast<double>(words.word(m, k)[i]) - mean[i]);
            for (std::size_t j = 0; j < D; ++j)
                moments[i][j] += a * (static_cast<double>(words.word(m, k)[j]) - mean[j]);
        }
    return moments;
}

// One direction of one dictionary, with its share of the energy.
struct Direction {
    double energy;
    std::size_t dictionary, rank;
};

// The D strongest directions over all dictionaries, at least one each, as an orthonormal basis ordered by dictionary.
RotatedBlocks orthogonal_blocks(const Dictionaries& words, const Matrix<std::uint8_t>& codes) {
    const std::size_t M = words.count, D = words.dimensions();
    std::vector<Eigen> eigen;
    std::vector<Direction> directions;
    for (std::size_t m = 0; m < M; ++m) {
        eigen.push_back(symmetric_eigen(second_moments(words, m, codes)));
        for (std::size_t r = 0; r < D; ++r) directions.push_back({eigen[m].values[r], m, r});
    }
    std::stable_sort(directions.begin(), directions.end(), [](const Direction& a, const Direction& b) {
        return (a.rank == 0) != (b.rank == 0) ? a.rank == 0 : a.energy > b.energy;
    });
    directions.resize(D);
    std::stable_sort(directions.begin(), directions.end(),
                     [](const Direction& a, const Direction& b) { return a.dictionary < b.dictionary; });
    Matrix<double> basis(D, D);
    std::vector<std::size_t> begin(M + 1, 0);
    for (std::size_t i = 0; i < D; ++i) {
        std::copy_n(eigen[directions[i].dictionary].vectors.row(directions[i].rank), D, basis.row(i));
        ++begin[directions[i].dictionary + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());

    RotatedBlocks blocks{nearest_orthogonal(std::move(basis)), block_dictionaries(words.words, begin)};
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t k = 0; k < words.words; ++k)
            for (std::size_t d = begin[m]; d < begin[m + 1]; ++d)
                blocks.dictionaries.word(m, k)[d] = kernels().dot(blocks.rotation.row(d), words.word(m, k), D);
    return blocks;
}

}  // namespace

Quantizer train_orthogonal(MatrixView<float> vectors, const CompositeOptions& options) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    const Execution quiet{.threads = execution.threads, .stop = execution.stop};
    const Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const MatrixView<float> x = data.vectors.view();
    // A finished solution of Cartesian k-means, so that the result is never a worse one.
    const StartOptions start_options{.dictionaries = options.dictionaries,
                                     .words = options.words,
                                     .seed = options.seed,
                                     .execution = quiet,
                                     .finished = kStartSteps * options.iterations};
    CompositeStart start = options.start == WarmStart::pq ? pq_start(x, start_options) : opq_start(x, start_options);
    const CompositeInput input = composite_input(data.vectors);
    double energy = 0;
    for (std::size_t n = 0; n < x.rows(); ++n)
        energy += static_cast<double>(input.squared_norms[n]) / static_cast<double>(x.rows());
    // Words of random directions would have Σ|C_iᵀC_j|² ≈ K²·energy²/D: the penalty that weighs it like the energy.
    const double natural = static_cast<double>(x.columns()) /
                           (static_cast<double>(options.words * options.words) * std::max(energy, 1e-30));

    CompositeModel model{.dictionaries = std::move(start.dictionaries)};
    model.word_offsets.assign(model.dictionaries.rows.rows(), 0.0f);
    std::vector<double> objective;
    RotatedBlocks best;
    double lowest = 0;
    const auto keep_better = [&](RotatedBlocks candidate, int polish) {
        std::vector<double> ignored;
        alternate(x, {0, polish, polish, "OCQ"}, quiet, watch, candidate, ignored);
        const double error = distortion_of(x, candidate, execution);
        if (best.rotation.empty() || error < lowest) {
            lowest = error;
            best = std::move(candidate);
        }
    };
    keep_better(orthogonal_blocks(model.dictionaries, start.codes), kFirstPolish * options.iterations);
    for (int step = 0; step < options.iterations; ++step) {
        const double share = options.iterations > 1 ? static_cast<double>(step) / (options.iterations - 1) : 1;
        const double penalty = natural * kFirstPenalty * std::pow(kLastPenalty / kFirstPenalty, share);
        objective.push_back(
            descend_orthogonal({input.view(), start.codes}, penalty, kDescentIterations, execution, model));
        CompositeEncoder(model.dictionaries, model.word_offsets, {}, execution)
            .improve(input.view(), {.sweeps = 1, .seed = static_cast<std::uint64_t>(step)}, execution, start.codes);
        report_step(execution, "OCQ", step + 1, options.iterations, objective.back(), watch);
    }
    keep_better(orthogonal_blocks(model.dictionaries, start.codes), kLastPolish * options.iterations);

    Quantizer result{.method = "OCQ", .unit_length = options.unit_length, .centre = data.centre};
    result.training = {.vectors = vectors.rows(), .distortion = lowest, .objective = std::move(objective)};
    result.rotation = std::move(best.rotation);
    result.word_offsets = squared_word_norms(best.dictionaries);
    result.dictionaries = std::move(best.dictionaries);
    return result;
}

}  // namespace summand
