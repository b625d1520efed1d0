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
#include "train/composite.h"
#include "train/dictionary_step.h"
#include "train/prepare.h"
#include "train/rotated_blocks.h"
#include "train/warm_start.h"

namespace summand {
namespace {

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

// What the training changes: the penalised problem, and the best of the solutions with orthogonal dictionaries.
struct State {
    CompositeModel model;
    Matrix<std::uint8_t> codes;
    std::vector<double> objective;
    RotatedBlocks best;
};

// The training vectors, centred, with what belongs to them.
struct Task {
    const CompositeOptions& options;
    const Prepared& data;
    Recipe recipe = recipe_of(options);
    CompositeInput input = composite_input(data.vectors);
    Execution quiet = {.threads = options.execution.threads, .stop = options.execution.stop};

    MatrixView<float> x() const { return data.vectors.view(); }
};

// Words of random directions would have Σ|C_iᵀC_j|² ≈ K²·energy²/D: the penalty that weighs it like the energy.
double natural_penalty(const Task& task) {
    const double vectors = static_cast<double>(task.x().rows()), words = static_cast<double>(task.options.words);
    double energy = 0;
    for (const float norm : task.input.squared_norms) energy += static_cast<double>(norm) / vectors;
    return static_cast<double>(task.x().columns()) / (words * words * std::max(energy, 1e-30));
}

// Makes the words orthogonal, and improves that solution for some steps.
RotatedBlocks orthogonal_solution(const Task& task, const State& state, int steps) {
    RotatedBlocks blocks = orthogonal_blocks(state.model.dictionaries, state.codes);
    std::vector<double> ignored;
    alternate(task.x(), {0, steps, steps, "OCQ"}, task.quiet, Stopwatch(), blocks, ignored);
    return blocks;
}

// A finished solution of Cartesian k-means, so that the result is never a worse one.
State start(const Task& task) {
    const CompositeOptions& options = task.options;
    const StartOptions start_options{.dictionaries = options.dictionaries,
                                     .words = options.words,
                                     .seed = options.seed,
                                     .execution = task.quiet,
                                     .recipe = task.recipe.start,
                                     .finished = task.recipe.orthogonal.start_steps * task.recipe.iterations};
    BlockStart start =
        options.start == WarmStart::pq ? pq_start(task.x(), start_options) : opq_start(task.x(), start_options);
    State state{.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
    state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
    state.best = orthogonal_solution(task, state, task.recipe.orthogonal.first_polish * task.recipe.iterations);
    return state;
}

void save(const Task& task, std::uint64_t hash, const State& state) {
    if (!task.options.checkpoint) return;
    task.options.checkpoint({.task = hash,
                             .step = static_cast<int>(state.objective.size()),
                             .translation = std::vector<float>(task.x().columns(), 0.0f),
                             .dictionaries = state.model.dictionaries,
                             .word_offsets = state.model.word_offsets,
                             .codes = state.codes,
                             .objective = state.objective,
                             .rotation = state.best.rotation,
                             .blocks = state.best.dictionaries});
}

State resumed(const Task& task, std::uint64_t hash, const Checkpoint& checkpoint) {
    require_same_training(checkpoint, hash, task.options, task.x());
    require(!checkpoint.rotation.empty(), "train: the checkpoint of OCQ has no rotation; remove it");
    return {.model = {.dictionaries = checkpoint.dictionaries, .word_offsets = checkpoint.word_offsets},
            .codes = checkpoint.codes,
            .objective = checkpoint.objective,
            .best = {checkpoint.rotation, checkpoint.blocks}};
}

void iterate(const Task& task, double natural, State& state) {
    const CompositeOptions& options = task.options;
    const OrthogonalRecipe& recipe = task.recipe.orthogonal;
    const std::size_t step = state.objective.size();
    const double share = task.recipe.iterations > 1 ? static_cast<double>(step) / (task.recipe.iterations - 1) : 1;
    const double penalty = natural * recipe.first_penalty * std::pow(recipe.last_penalty / recipe.first_penalty, share);
    state.objective.push_back(descend_orthogonal({task.input.view(), state.codes}, penalty, task.recipe.lbfgs,
                                                 options.execution, state.model));
    CompositeEncoder(state.model.dictionaries, state.model.word_offsets, {}, options.execution)
        .improve(task.input.view(),
                 {.sweeps = task.recipe.sweeps, .perturbations = task.recipe.perturbations, .seed = step},
                 options.execution, state.codes);
}

}  // namespace

Quantizer train_orthogonal(MatrixView<float> vectors, const CompositeOptions& options) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    const Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const Task task{options, data};
    const std::uint64_t hash = training_hash(options, task.x(), 0);
    State state = options.resume ? resumed(task, hash, *options.resume) : start(task);
    const double natural = natural_penalty(task);
    const int before = static_cast<int>(state.objective.size());
    while (static_cast<int>(state.objective.size()) < task.recipe.iterations) {
        iterate(task, natural, state);
        report_step(execution, "OCQ", static_cast<int>(state.objective.size()), task.recipe.iterations,
                    state.objective.back(), watch, before);
        save(task, hash, state);
    }
    RotatedBlocks last = orthogonal_solution(task, state, task.recipe.orthogonal.last_polish * task.recipe.iterations);
    double lowest = distortion_of(task.x(), state.best, execution);
    if (const double error = distortion_of(task.x(), last, execution); error < lowest) {
        lowest = error;
        state.best = std::move(last);
    }

    Quantizer result{.method = "OCQ", .unit_length = options.unit_length, .centre = data.centre};
    result.training = {.vectors = vectors.rows(), .distortion = lowest, .objective = std::move(state.objective)};
    result.rotation = std::move(state.best.rotation);
    result.word_offsets = squared_word_norms(state.best.dictionaries);
    result.dictionaries = std::move(state.best.dictionaries);
    return result;
}

}  // namespace summand
