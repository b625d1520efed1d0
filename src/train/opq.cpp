// Cartesian k-means (optimised product quantization): PQ after a learnt rotation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stopwatch.h"
#include "math/blas.h"
#include "model/block_encoder.h"
#include "model/word_sum.h"
#include "summand/error.h"
#include "summand/train.h"
#include "train/blocks.h"
#include "train/near_pairs.h"
#include "train/prepare.h"
#include "train/rotated_blocks.h"

namespace summand {
namespace {

Matrix<float> identity_matrix(std::size_t n) {
    Matrix<float> matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) matrix[i][i] = 1;
    return matrix;
}

// Principal directions dealt to the blocks so that the products of their variances are balanced: each direction,
// by descending variance, goes to the block with room whose product is the smallest so far.
Matrix<float> balanced_pca(MatrixView<float> x, const std::vector<std::size_t>& block_begin,
                           const Execution& execution) {
    const Eigen eigen = symmetric_eigen(cross_products(x, x, execution));
    const std::size_t blocks = block_begin.size() - 1;
    const double floor = std::max(eigen.values[0], 1e-30) * 1e-9;
    std::vector<double> product(blocks, 0);
    std::vector<std::size_t> next(block_begin.begin(), block_begin.end() - 1);
    Matrix<float> rotation(x.columns(), x.columns());
    for (std::size_t i = 0; i < x.columns(); ++i) {
        std::size_t best = blocks;
        for (std::size_t m = 0; m < blocks; ++m)
            if (next[m] < block_begin[m + 1] && (best == blocks || product[m] < product[best])) best = m;
        product[best] += std::log(std::max(eigen.values[i], floor) / floor);
        std::copy(eigen.vectors.row(i), eigen.vectors.row(i) + x.columns(), rotation.row(next[best]++));
    }
    return rotation;
}

RotatedBlocks start_from(Matrix<float> rotation, MatrixView<float> x, const OpqOptions& options) {
    const Execution quiet{.threads = options.execution.threads, .stop = options.execution.stop};
    const Matrix<float> rotated = multiply_transposed(x, rotation.view(), quiet);
    BlockTraining blocks = train_blocks(rotated.view(), even_blocks(x.columns(), options.dictionaries), options.words,
                                        options.first_iterations, options.seed, quiet);
    return {std::move(rotation), std::move(blocks.dictionaries)};
}

// The two figures that compare starts after their trials.
struct Judgement {
    double distortion = 0;
    double near_error = 0;  // variance of the error of approximate distances between near neighbours
};

Judgement judge(MatrixView<float> x, const RotatedBlocks& state, const NearPairs& pairs, const Execution& execution) {
    const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
    const Matrix<std::uint8_t> codes = encode_blocks(state.dictionaries, rotated.view(), execution);
    const double distortion = mean_squared_error(state.dictionaries, rotated.view(), codes, execution);
    return {distortion, distortion * score_variance(rotated.view(), pairs, {}, state.dictionaries, codes, execution)};
}

// PCA wins where it ranks near neighbours better at no much larger distortion: neither figure decides alone
// (docs/methods/opq.md).
bool pca_is_better(const Judgement& pca, const Judgement& identity) {
    constexpr double kTolerance = 1.2;
    return pca.near_error < identity.near_error && pca.distortion < kTolerance * identity.distortion;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const OpqOptions& options) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    const Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const MatrixView<float> x = data.vectors.view();
    const std::vector<std::size_t> blocks = even_blocks(x.columns(), options.dictionaries);
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);

    // Both starts run for a few steps; the better one goes on.
    const NearPairs pairs = options.start == RotationStart::automatic ? near_pairs(x, execution) : NearPairs();
    const int trial = options.start == RotationStart::automatic ? std::min(8, (options.iterations + 1) / 2) : 0;
    RotatedBlocks best;
    std::vector<double> objective;
    Judgement first;
    for (const RotationStart start : {RotationStart::identity, RotationStart::pca}) {
        if (options.start != RotationStart::automatic && options.start != start) continue;
        RotatedBlocks state = start_from(
            start == RotationStart::identity ? identity_matrix(x.columns()) : balanced_pca(x, blocks, execution), x,
            options);
        std::vector<double> errors;
        alternate(x, {0, trial, options.iterations, "OPQ"}, execution, watch, state, errors);
        const Judgement judgement = pairs.empty() ? Judgement() : judge(x, state, pairs, execution);
        if (best.rotation.empty() || pca_is_better(judgement, first)) {
            first = judgement;
            best = std::move(state);
            objective = std::move(errors);
        }
    }
    alternate(x, {trial, options.iterations, options.iterations, "OPQ"}, execution, watch, best, objective);

    Quantizer model{.method = "OPQ", .unit_length = options.unit_length, .centre = data.centre};
    model.training = {
        .vectors = vectors.rows(), .distortion = distortion_of(x, best, execution), .objective = std::move(objective)};
    model.rotation = std::move(best.rotation);
    model.word_offsets = squared_word_norms(best.dictionaries);
    model.dictionaries = std::move(best.dictionaries);
    return model;
}

}  // namespace summand
