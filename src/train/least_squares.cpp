#include "train/least_squares.h"

#include <utility>
#include <vector>

#include "base/parallel.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "train/anchor.h"

namespace summand {
Matrix<float> cooccurrences(const Matrix<std::uint8_t>& codes, std::size_t words, const Execution& execution) {
    const std::size_t M = codes.columns();
    Matrix<float> counts(M * words, M * words);
    parallel_for(execution, M * M, [&](std::size_t pair) {
        const std::size_t a = pair / M, b = pair % M;
        for (std::size_t n = 0; n < codes.rows(); ++n) counts[a * words + codes[n][a]][b * words + codes[n][b]] += 1;
    });
    return counts;
}

void solve_dictionaries(const CompositeData& data, double ridge, const Execution& execution,
                        Dictionaries& dictionaries) {
    const std::size_t K = dictionaries.words, D = dictionaries.dimensions(), all = dictionaries.rows.rows();
    const double weight = anchor_weight(data);
    const Matrix<float> counts = cooccurrences(data.codes, K, execution);
    Matrix<double> normal(all, all, {counts.values().begin(), counts.values().end()});
    Matrix<double> right(all, D);
    for (std::size_t m = 0; m < dictionaries.count; ++m) {
        std::vector<std::uint32_t> cluster(data.codes.rows());
        for (std::size_t n = 0; n < cluster.size(); ++n) cluster[n] = data.codes[n][m];
        const ClusterSums sums = sums_by_cluster(data.vectors.vectors, cluster, K, execution);
        for (std::size_t k = 0; k < K; ++k)
            for (std::size_t d = 0; d < D; ++d)
                right[m * K + k][d] = sums.sums[k][d] + ridge * static_cast<double>(dictionaries.word(m, k)[d]) +
                                      (weight > 0 ? weight * static_cast<double>(data.anchor->words[m * K + k][d]) : 0);
    }
    for (std::size_t w = 0; w < all; ++w) normal[w][w] += ridge + weight;
    const Matrix<double> solution = solve_positive_definite(std::move(normal), std::move(right));
    for (std::size_t i = 0; i < solution.size(); ++i)
        dictionaries.rows.data()[i] = static_cast<float>(solution.data()[i]);
}

}  // namespace summand
