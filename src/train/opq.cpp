// Cartesian k-means (optimised product quantization): a rotation R and block dictionaries C that minimise
//
//     Σ_n |R·x_n - C·y_n|²
//
// by turns: codes and centres in the rotated space, then R as the orthogonal matrix nearest to Σ_n (C·y_n)·x_nᵀ.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "model/block_encoder.h"
#include "summand/error.h"
#include "summand/train.h"
#include "train/blocks.h"
#include "train/prepare.h"

namespace summand {
namespace {

struct State {
    Matrix<float> rotation;
    Dictionaries dictionaries;
};

Matrix<float> identity_matrix(std::size_t n) {
    Matrix<float> matrix(n, n);
    for (std::size_t i = 0; i < n; ++i) matrix[i][i] = 1;
    return matrix;
}

// Principal directions dealt to the blocks so that the products of their variances are balanced: each direction,
// by descending variance, goes to the block with room whose product is the smallest so far.
Matrix<float> balanced_pca(MatrixView<float> x, const std::vector<std::size_t>& block_begin, const Execution& execution) {
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

// Centres and rotation from the sums of unrotated vectors per word: the centre of word k is R·(mean of its
// vectors) in its block, and Σ_n (C·y_n)·x_nᵀ = Σ_k c_k·(sum of its vectors)ᵀ.
void update_dictionaries_and_rotation(MatrixView<float> x, const Matrix<std::uint8_t>& codes, const Execution& execution,
                                      State& state) {
    Dictionaries& words = state.dictionaries;
    Matrix<double> correlation(x.columns(), x.columns());
    for (std::size_t m = 0; m < words.count; ++m) {
        std::vector<std::uint32_t> cluster(codes.rows());
        for (std::size_t i = 0; i < codes.rows(); ++i) cluster[i] = codes[i][m];
        const ClusterSums sums = sums_by_cluster(x, cluster, words.words, execution);
        parallel_for(execution, words.block_begin[m + 1] - words.block_begin[m], [&](std::size_t j) {
            const std::size_t d = words.block_begin[m] + j;
            for (std::size_t k = 0; k < words.words; ++k) {
                if (sums.counts[k] == 0) continue;
                const double centre = std::inner_product(sums.sums.row(k), sums.sums.row(k) + x.columns(),
                                                         state.rotation.row(d), 0.0) /
                                      static_cast<double>(sums.counts[k]);
                words.word(m, k)[d] = static_cast<float>(centre);
                for (std::size_t e = 0; e < x.columns(); ++e) correlation[d][e] += centre * sums.sums[k][e];
            }
        });
    }
    state.rotation = nearest_orthogonal(std::move(correlation));
}

double mean_error(MatrixView<float> rotated, const Dictionaries& words, const Matrix<std::uint8_t>& codes,
                  const Execution& execution) {
    std::vector<double> error(rotated.rows());
    parallel_ranges(execution, rotated.rows(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<const float*> chosen(words.count);
        std::vector<float> sum(rotated.columns());
        for (std::size_t i = first; i < last; ++i) {
            for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, codes[i][m]);
            kernels().sum_rows(chosen.data(), words.count, sum.size(), sum.data());
            error[i] = static_cast<double>(kernels().squared_distance(rotated.row(i), sum.data(), sum.size()));
        }
    });
    return std::accumulate(error.begin(), error.end(), 0.0) / static_cast<double>(error.size());
}

struct Steps {
    int first, last, all;
};

void alternate(MatrixView<float> x, Steps steps, const Execution& execution, const Stopwatch& watch, State& state,
               std::vector<double>& objective) {
    for (int step = steps.first; step < steps.last; ++step) {
        const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
        const Matrix<std::uint8_t> codes = encode_blocks(state.dictionaries, rotated.view(), execution);
        objective.push_back(mean_error(rotated.view(), state.dictionaries, codes, execution));
        report_step(execution, "OPQ", step + 1, steps.all, objective.back(), watch);
        update_dictionaries_and_rotation(x, codes, execution, state);
    }
}

double distortion_of(MatrixView<float> x, const State& state, const Execution& execution) {
    const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
    return mean_error(rotated.view(), state.dictionaries, encode_blocks(state.dictionaries, rotated.view(), execution),
                      execution);
}

State start_from(Matrix<float> rotation, MatrixView<float> x, const OpqOptions& options) {
    constexpr int kFirstIterations = 6;
    const Execution quiet{.threads = options.execution.threads, .stop = options.execution.stop};
    const Matrix<float> rotated = multiply_transposed(x, rotation.view(), quiet);
    BlockTraining blocks = train_blocks(rotated.view(), even_blocks(x.columns(), options.dictionaries), options.words,
                                        kFirstIterations, options.seed, quiet);
    return {std::move(rotation), std::move(blocks.dictionaries)};
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const OpqOptions& options) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    const Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, execution);
    const MatrixView<float> x = data.vectors.view();
    const std::vector<std::size_t> blocks = even_blocks(x.columns(), options.dictionaries);
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);

    // Both starts run for a few steps; the lower error goes on.
    const int trial = options.start == RotationStart::automatic ? std::min(8, options.iterations) : 0;
    State best;
    std::vector<double> objective;
    double lowest = 0;
    for (const RotationStart start : {RotationStart::identity, RotationStart::pca}) {
        if (options.start != RotationStart::automatic && options.start != start) continue;
        State state = start_from(start == RotationStart::identity ? identity_matrix(x.columns())
                                                                  : balanced_pca(x, blocks, execution),
                                 x, options);
        std::vector<double> errors;
        alternate(x, {0, trial, options.iterations}, execution, watch, state, errors);
        const double error = distortion_of(x, state, execution);
        if (best.rotation.empty() || error < lowest) {
            lowest = error;
            best = std::move(state);
            objective = std::move(errors);
        }
    }
    alternate(x, {trial, options.iterations, options.iterations}, execution, watch, best, objective);

    Quantizer model{.method = "OPQ", .unit_length = options.unit_length, .centre = data.centre};
    model.training = {.vectors = vectors.rows(), .distortion = distortion_of(x, best, execution),
                      .objective = std::move(objective)};
    model.rotation = std::move(best.rotation);
    model.word_offsets = squared_word_norms(best.dictionaries);
    model.dictionaries = std::move(best.dictionaries);
    return model;
}

}  // namespace summand
