#include "train/rotated_blocks.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "model/block_encoder.h"
#include "model/word_sum.h"

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

}  // namespace

void alternate(MatrixView<float> x, const BlockSteps& steps, const Execution& execution, const Stopwatch& watch,
               RotatedBlocks& state, std::vector<double>& objective) {
    for (int step = steps.first; step < steps.last; ++step) {
        const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
        const Matrix<std::uint8_t> codes = encode_blocks(state.dictionaries, rotated.view(), execution);
        objective.push_back(mean_squared_error(state.dictionaries, rotated.view(), codes, execution));
        report_step(execution, steps.stage, step + 1, steps.all, objective.back(), watch);
        update_dictionaries_and_rotation(x, codes, execution, state);
    }
}

double distortion_of(MatrixView<float> x, const RotatedBlocks& state, const Execution& execution) {
    const Matrix<float> rotated = multiply_transposed(x, state.rotation.view(), execution);
    return mean_squared_error(state.dictionaries, rotated.view(),
                              encode_blocks(state.dictionaries, rotated.view(), execution), execution);
}

}  // namespace summand
