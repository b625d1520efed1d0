#include "math/mixture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "math/blas.h"
#include "math/clusters.h"

namespace summand {
namespace {

// Row | x² | x | 1 |: times a row of `log_densities` it is the logarithm of w_k N(x; μ_k, σ_k²).
Matrix<float> extended(MatrixView<float> points, const Execution& execution) {
    const std::size_t D = points.columns();
    Matrix<float> result(points.rows(), 2 * D + 1);
    parallel_ranges(execution, points.rows(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            for (std::size_t d = 0; d < D; ++d) result[i][d] = points[i][d] * points[i][d];
            std::copy_n(points.row(i), D, result.row(i) + D);
            result[i][2 * D] = 1;
        }
    });
    return result;
}

// Row | -1/2σ² | μ/σ² | log w - ½ Σ (μ²/σ² + log 2πσ²) |.
Matrix<float> log_densities(const Mixture& mixture) {
    const std::size_t K = mixture.means.rows(), D = mixture.means.columns();
    Matrix<float> rows(K, 2 * D + 1);
    for (std::size_t k = 0; k < K; ++k) {
        double constant = std::log(static_cast<double>(mixture.weights[k]));
        for (std::size_t d = 0; d < D; ++d) {
            const auto mean = static_cast<double>(mixture.means[k][d]);
            const auto variance = static_cast<double>(mixture.variances[k][d]);
            rows[k][d] = static_cast<float>(-0.5 / variance);
            rows[k][D + d] = static_cast<float>(mean / variance);
            constant -= 0.5 * (mean * mean / variance + std::log(2 * std::numbers::pi * variance));
        }
        rows[k][2 * D] = static_cast<float>(constant);
    }
    return rows;
}

// Replaces logarithms by the shares of their sum; returns the logarithm of the sum.
double normalise(std::span<float> logs) {
    const double largest = static_cast<double>(*std::max_element(logs.begin(), logs.end()));
    double sum = 0;
    for (float& value : logs) {
        value = static_cast<float>(std::exp(static_cast<double>(value) - largest));
        sum += static_cast<double>(value);
    }
    for (float& value : logs) value = static_cast<float>(static_cast<double>(value) / sum);
    return largest + std::log(sum);
}

Expectation expectation_of(const Mixture& mixture, const Matrix<float>& rows, const Execution& execution) {
    Matrix<float> shares = multiply_transposed(rows.view(), log_densities(mixture).view(), execution);
    std::vector<double> logs(rows.rows());
    parallel_ranges(execution, rows.rows(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) logs[i] = normalise(shares[i]);
    });
    return {cross_products(shares.view(), rows.view(), execution),
            std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(rows.rows())};
}

// The smallest variances allowed: a share of those of all points, which the sums over all Gaussians give.
std::vector<double> smallest_variances(const Matrix<double>& sums, std::size_t points) {
    constexpr double kShare = 1e-3, kLeast = 1e-12;
    std::vector<double> result(sums.columns() / 2);
    for (std::size_t d = 0; d < result.size(); ++d) {
        double squares = 0, values = 0;
        for (std::size_t k = 0; k < sums.rows(); ++k) {
            squares += sums[k][d];
            values += sums[k][result.size() + d];
        }
        const auto count = static_cast<double>(points);
        result[d] = std::max(kLeast, kShare * (squares / count - values / count * (values / count)));
    }
    return result;
}

// A Gaussian without points stays where it is.
void maximise(const Matrix<double>& sums, std::size_t points, const std::vector<double>& smallest, Mixture& mixture) {
    const std::size_t D = smallest.size();
    constexpr double kLeastShare = 1e-6;  // so that the logarithm of a weight stays finite
    for (std::size_t k = 0; k < sums.rows(); ++k) {
        const double share = sums[k][2 * D];
        mixture.weights[k] = static_cast<float>(std::max(kLeastShare, share / static_cast<double>(points)));
        if (share < 1) continue;
        for (std::size_t d = 0; d < D; ++d) {
            const double mean = sums[k][D + d] / share;
            mixture.means[k][d] = static_cast<float>(mean);
            mixture.variances[k][d] = static_cast<float>(std::max(smallest[d], sums[k][d] / share - mean * mean));
        }
    }
}

// Sums where each point belongs to one Gaussian alone.
Matrix<double> hard_sums(const std::vector<std::uint32_t>& component, std::size_t components, const Matrix<float>& rows,
                         const Execution& execution) {
    Matrix<float> shares(rows.rows(), components);
    for (std::size_t i = 0; i < rows.rows(); ++i) shares[i][component[i]] = 1;
    return cross_products(shares.view(), rows.view(), execution);
}

}  // namespace

Expectation expectation(const Mixture& mixture, MatrixView<float> points, const Execution& execution) {
    return expectation_of(mixture, extended(points, execution), execution);
}

FittedMixture fit_mixture(MatrixView<float> points, const MixtureOptions& options) {
    const KMeans start = kmeans(points, {.clusters = options.components,
                                         .iterations = options.iterations,
                                         .seed = options.seed,
                                         .execution = options.execution});
    const Stopwatch watch;
    const Matrix<float> rows = extended(points, options.execution);
    const Matrix<double> sums = hard_sums(start.assignment.centre, options.components, rows, options.execution);
    const std::vector<double> smallest = smallest_variances(sums, points.rows());
    FittedMixture fitted{{start.centres, Matrix<float>(start.centres.rows(), start.centres.columns(), 1),
                          std::vector<float>(options.components)},
                         {}};
    maximise(sums, points.rows(), smallest, fitted.mixture);
    for (int step = 0;; ++step) {
        const Expectation now = expectation_of(fitted.mixture, rows, options.execution);
        fitted.objective.push_back(-now.log_likelihood);
        report_step(options.execution, "mixture", step, options.iterations, fitted.objective.back(), watch);
        if (step == options.iterations) return fitted;
        maximise(now.sums, points.rows(), smallest, fitted.mixture);
    }
}

}  // namespace summand
