#include "train/warm_start.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "math/blas.h"
#include "math/clusters.h"
#include "summand/encoder.h"
#include "summand/train.h"
#include "train/additive_fit.h"
#include "train/subspace.h"

namespace summand {
namespace {

// Copies rows at equal distances, as many as a start needs to learn from.
Matrix<float> start_sample(MatrixView<float> vectors, const StartOptions& options) {
    const std::size_t rows = std::min(vectors.rows(), options.recipe.vectors_per_word * options.words);
    Matrix<float> sample(rows, vectors.columns());
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(vectors.row(vectors.rows() * i / rows), vectors.columns(), sample.row(i));
    return sample;
}

// Words in the space of the vectors: rotationᵀ·c, and an equal share of the centre.
BlockStart unfold(const Quantizer& model, MatrixView<float> vectors, const Execution& execution) {
    BlockStart start{
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

BlockStart pq_start(MatrixView<float> vectors, const StartOptions& options) {
    const PqOptions pq{.dictionaries = options.dictionaries,
                       .words = options.words,
                       .iterations = options.recipe.pq_iterations,
                       .seed = options.seed,
                       .execution = options.execution};
    return unfold(train(start_sample(vectors, options).view(), pq), vectors, options.execution);
}

BlockStart opq_start(MatrixView<float> vectors, const StartOptions& options) {
    const Execution& execution = options.execution;
    OpqOptions opq{.dictionaries = options.dictionaries,
                   .words = options.words,
                   .start = options.rotation,
                   .first_iterations = options.recipe.rotation_iterations,
                   .seed = options.seed,
                   .execution = execution};
    opq.iterations = options.finished > 0 ? options.finished : options.recipe.opq_iterations;
    if (options.finished > 0) return unfold(train(vectors, opq), vectors, execution);
    const Matrix<float> sample = start_sample(vectors, options);
    if (vectors.columns() <= options.recipe.dimensions) return unfold(train(sample.view(), opq), vectors, execution);
    const Subspace subspace(sample.view(), options.recipe.dimensions, execution);
    opq.start = RotationStart::pca;
    const Quantizer model = train(subspace.project(sample.view(), execution).view(), opq);
    BlockStart start = unfold(model, subspace.project(vectors, execution).view(), execution);
    start.dictionaries.rows = subspace.lift(start.dictionaries.rows.view(), execution);
    return start;
}

void append_levels(const Problem& problem, const std::vector<double>& targets, CompositeState& state) {
    const Execution& execution = problem.execution();
    const std::size_t words = problem.options.words;
    CompositeModel& model = state.model;
    Matrix<std::uint8_t>& codes = state.codes;
    Dictionaries& old = model.dictionaries;
    tie_offsets(model);
    OffsetRecipe offsets = problem.recipe.offsets;
    offsets.ridge += state.anchor->weight;
    fit_additive(codes, targets, words, execution, model.word_offsets, offsets);
    state.anchor = {};
    Matrix<float> rest(codes.rows(), 1);
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        double value = targets[n];
        for (std::size_t m = 0; m < old.count; ++m)
            value -= static_cast<double>(model.word_offsets[m * words + codes[n][m]]);
        rest[n][0] = static_cast<float>(value);
    }
    const KMeans levels = kmeans(rest.view(), {.clusters = words,
                                               .iterations = problem.recipe.level_clustering,
                                               .seed = problem.options.seed,
                                               .execution = {.threads = execution.threads, .stop = execution.stop}});
    Dictionaries grown{
        .count = old.count + 1, .words = words, .rows = Matrix<float>((old.count + 1) * words, old.dimensions())};
    std::copy_n(old.rows.data(), old.rows.size(), grown.rows.data());
    Matrix<std::uint8_t> longer(codes.rows(), grown.count);
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        std::copy_n(codes.row(n), old.count, longer.row(n));
        longer[n][old.count] = static_cast<std::uint8_t>(levels.assignment.centre[n]);
    }
    for (std::size_t k = 0; k < words; ++k) model.word_offsets.push_back(levels.centres[k][0]);
    old = std::move(grown);
    codes = std::move(longer);
}

}  // namespace summand
