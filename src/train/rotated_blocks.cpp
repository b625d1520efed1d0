#include "train/rotated_blocks.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "model/block_encoder.h"

namespace summand {
namespace {

// Centres and rotation from the sums of unrotated vectors per word: the centre of word k is R·(mean of its
// vectors) in its block, and Σ_n (C·y_n)·x_nᵀ = Σ_k c_k·(sum of its vectors)ᵀ.
void update_dictionaries_and_rotation(MatrixView<float> x, const Matrix<std::uint8_t>& codes,
                                      const Execution& execution, RotatedBlocks& state) {
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
                const double centre =
                    std::inner_product(sums.sums.row(k), sums.sums.row(k) + x.columns(), state.rotation.row(d), 0.0) /
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

}  // namespace

void alternate(MatrixView<float> x, const BlockSteps& steps, const Execution& execution, const Stopwatch& watch,
               RotatedBlocks& state, std::vector<double>& objective) {
    for (int step = steps.first; step < steps.last; ++step) {
        const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
        const Matrix<std::uint8_t> codes = encode_blocks(state.dictionaries, rotated.view(), execution);
        objective.push_back(mean_error(rotated.view(), state.dictionaries, codes, execution));
        report_step(execution, steps.stage, step + 1, steps.all, objective.back(), watch);
        update_dictionaries_and_rotation(x, codes, execution, state);
    }
}

double distortion_of(MatrixView<float> x, const RotatedBlocks& state, const Execution& execution) {
    const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
    return mean_error(rotated.view(), state.dictionaries, encode_blocks(state.dictionaries, rotated.view(), execution),
                      execution);
}

}  // namespace summand
