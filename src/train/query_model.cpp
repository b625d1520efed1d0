#include "train/query_model.h"

#include <algorithm>
#include <cmath>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"

namespace summand {
namespace {

constexpr std::size_t kQueries = 8 * kRowBlock;
constexpr std::size_t kCandidates = 100000;
constexpr std::size_t kNeighbors = 50;
constexpr double kFloor = 1e-3;           // of the mean eigenvalue: directions without variance keep some weight

using Near = std::pair<float, std::size_t>;   // squared distance without |q|², row

// Every (rows/count)-th row, `count` of them.
std::vector<std::size_t> spread_rows(std::size_t rows, std::size_t count) {
    std::vector<std::size_t> chosen(std::min(rows, count));
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = rows * i / chosen.size();
    return chosen;
}

Matrix<float> gather(MatrixView<float> vectors, const std::vector<std::size_t>& rows) {
    Matrix<float> result(rows.size(), vectors.columns());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(vectors.row(rows[i]), vectors.columns(), result.row(i));
    return result;
}

// Keeps the nearest in a heap whose front is the farthest of them.
void keep_nearest(const Near& near, std::vector<Near>& found) {
    if (found.size() == kNeighbors) {
        if (near >= found.front()) return;
        std::pop_heap(found.begin(), found.end());
        found.pop_back();
    }
    found.push_back(near);
    std::push_heap(found.begin(), found.end());
}


Matrix<double> scaled(Matrix<double> matrix, double factor) {
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] *= factor;
    return matrix;
}

double trace(const Matrix<double>& matrix) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) sum += matrix[i][i];
    return sum;
}

// V·diag(f(eigenvalue))·Vᵀ
template <class Function>
Matrix<float> spectral(const Eigen& eigen, Function f) {
    const std::size_t n = eigen.values.size();
    Matrix<double> result(n, n);
    for (std::size_t e = 0; e < n; ++e) {
        const double weight = f(eigen.values[e]);
        const double* v = eigen.vectors.row(e);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) result[i][j] += weight * v[i] * v[j];
    }
    return Matrix<float>(n, n, std::vector<float>(result.values().begin(), result.values().end()));
}

// A = Cov^(power/2) and its inverse, eigenvalues raised to the floor, their product scaled to one.
void set_metric(Matrix<double> covariance, double power, QueryModel& model) {
    Eigen eigen = symmetric_eigen(std::move(covariance));
    double mean = 0;
    for (const double value : eigen.values) mean += std::max(0.0, value) / static_cast<double>(eigen.values.size());
    double logs = 0;
    for (double& value : eigen.values) {
        value = std::max(value, std::max(kFloor * mean, 1e-30));
        logs += std::log(value) / static_cast<double>(eigen.values.size());
    }
    const double middle = std::exp(logs);
    model.metric = spectral(eigen, [&](double value) { return std::pow(value / middle, power / 2); });
    model.inverse = spectral(eigen, [&](double value) { return std::pow(value / middle, -power / 2); });
}

}  // namespace

NearPairs near_pairs(MatrixView<float> vectors, const Execution& execution) {
    constexpr std::size_t kTile = 1024;
    const std::vector<std::size_t> queries = spread_rows(vectors.rows(), kQueries);
    const std::vector<std::size_t> candidates = spread_rows(vectors.rows(), kCandidates);
    const Matrix<float> query_rows = gather(vectors, queries), rows = gather(vectors, candidates);
    std::vector<float> norms(rows.rows());
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = kernels().dot(rows.row(i), rows.row(i), rows.columns());
    std::vector<std::vector<Near>> found(queries.size());
    parallel_ranges(execution, queries.size(), kRowBlock, [&](std::size_t first, std::size_t last) {
        thread_local Scratch<float> scratch;
        float* products = scratch.at_least(kRowBlock * kTile);
        for (std::size_t begin = 0; begin < rows.rows(); begin += kTile) {
            const std::size_t count = std::min(kTile, rows.rows() - begin);
            row_block_products(-2, query_rows.row(first), last - first, rows.row(begin), count, rows.columns(), products);
            for (std::size_t q = first; q < last; ++q)
                for (std::size_t i = 0; i < count; ++i)
                    if (candidates[begin + i] != queries[q])
                        keep_nearest({products[(q - first) * count + i] + norms[begin + i], candidates[begin + i]}, found[q]);
        }
    });
    NearPairs pairs;
    for (std::size_t q = 0; q < queries.size(); ++q)
        for (const auto& [distance, row] : found[q]) pairs.emplace_back(row, queries[q]);
    return pairs;
}

QueryModel query_model(MatrixView<float> vectors, const NearPairs& pairs, const QueryModelOptions& options,
                       const Execution& execution) {
    const std::size_t D = vectors.columns();
    Matrix<float> differences(pairs.size(), D);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t d = 0; d < D; ++d)
            differences[i][d] = vectors[pairs[i].second][d] - vectors[pairs[i].first][d];
    const Matrix<double> near = scaled(cross_products(differences.view(), differences.view(), execution),
                                       1 / static_cast<double>(std::max<std::size_t>(1, pairs.size())));
    Matrix<double> all = scaled(cross_products(vectors, vectors, execution), 1 / static_cast<double>(vectors.rows()));
    const double ridge = std::max(kFloor * trace(all) / static_cast<double>(D), 1e-30);
    for (std::size_t d = 0; d < D; ++d) all[d][d] += ridge;
    const Matrix<double> solved = solve_positive_definite(std::move(all), near);     // Σ⁻¹·S

    QueryModel model{.expectation = Matrix<float>(D, D)};
    Matrix<double> covariance(D, D);
    for (std::size_t i = 0; i < D; ++i)
        for (std::size_t j = 0; j < D; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < D; ++d) sum += near[i][d] * solved[d][j];
            covariance[i][j] = near[i][j] - sum / 4;
            model.expectation[i][j] = static_cast<float>((i == j ? 1 : 0) - options.lean / 2 * solved[j][i]);
        }
    set_metric(std::move(covariance), options.power, model);
    Matrix<float> transposed(D, D);
    for (std::size_t i = 0; i < D; ++i)
        for (std::size_t j = 0; j < D; ++j) transposed[j][i] = model.expectation[i][j];
    model.probe = multiply_transposed(model.inverse.view(), transposed.view(), execution);
    return model;
}

double score_variance(MatrixView<float> vectors, const NearPairs& pairs, const QueryModel* model, double theta,
                      const Dictionaries& words, const Matrix<std::uint8_t>& codes) {
    const std::size_t D = vectors.columns();
    std::vector<float> sum(D), residual(D), expected(D), weighed(D);
    std::vector<const float*> chosen(words.count);
    double values = 0, squares = 0, errors = 0;
    std::size_t last = vectors.rows();
    double error = 0;
    for (const auto& [x, q] : pairs) {
        if (x != last) {
            for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, codes[x][m]);
            kernels().sum_rows(chosen.data(), words.count, D, sum.data());
            kernels().combine(1, vectors.row(x), -1, sum.data(), 0, sum.data(), D, residual.data());
            std::copy_n(vectors.row(x), D, expected.data());
            weighed = residual;
            for (std::size_t i = 0; model && i < D; ++i) {
                expected[i] = kernels().dot(model->expectation.row(i), vectors.row(x), D);
                weighed[i] = kernels().dot(model->metric.row(i), residual.data(), D);
            }
            error = static_cast<double>(kernels().dot(weighed.data(), weighed.data(), D));
            last = x;
        }
        const double value = static_cast<double>(kernels().dot(residual.data(), vectors.row(q), D)) -
                             static_cast<double>(kernels().dot(residual.data(), expected.data(), D)) +
                             (1 - theta) / 2 * error;
        values += value;
        squares += value * value;
        errors += error;
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, pairs.size()));
    return errors > 0 ? std::max(0.0, squares - values * values / count) / errors : 0;
}

}  // namespace summand
