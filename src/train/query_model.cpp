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
constexpr std::size_t kSegment = 256;  // scores compared with the farthest neighbour at a time
constexpr double kFloor = 1e-3;        // of the mean eigenvalue: directions without variance keep some weight

using Near = std::pair<float, std::size_t>;  // squared distance without |q|², row

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

Matrix<float> transposed(const Matrix<float>& matrix) {
    Matrix<float> result(matrix.columns(), matrix.rows());
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < matrix.columns(); ++j) result[j][i] = matrix[i][j];
    return result;
}

Matrix<float> to_float(const Matrix<double>& matrix) {
    return Matrix<float>(matrix.rows(), matrix.columns(),
                         std::vector<float>(matrix.values().begin(), matrix.values().end()));
}

// V·diag(f(eigenvalue))·Vᵀ, the eigenvectors being the rows of `eigen.vectors`.
template <class Function>
Matrix<float> spectral(const Eigen& eigen, const Execution& execution, Function f) {
    const Matrix<float> v = to_float(eigen.vectors);
    Matrix<float> weighed = v;
    for (std::size_t e = 0; e < eigen.values.size(); ++e)
        for (float& x : weighed[e]) x *= static_cast<float>(f(eigen.values[e]));
    return multiply_transposed(transposed(weighed).view(), transposed(v).view(), execution);
}

// A = Cov^(power/2) and its inverse, eigenvalues raised to the floor, their product scaled to one.
void set_metric(Matrix<double> covariance, double power, const Execution& execution, QueryModel& model) {
    Eigen eigen = symmetric_eigen(std::move(covariance));
    double mean = 0;
    for (const double value : eigen.values) mean += std::max(0.0, value) / static_cast<double>(eigen.values.size());
    double logs = 0;
    for (double& value : eigen.values) {
        value = std::max(value, std::max(kFloor * mean, 1e-30));
        logs += std::log(value) / static_cast<double>(eigen.values.size());
    }
    const double middle = std::exp(logs);
    model.metric = spectral(eigen, execution, [&](double value) { return std::pow(value / middle, power / 2); });
    model.inverse = spectral(eigen, execution, [&](double value) { return std::pow(value / middle, -power / 2); });
}

// Offers a stretch of scores, unless none of them is near enough.
void offer_segment(const float* products, const float* norms, const std::size_t* rows, std::size_t count,
                   std::size_t own, std::vector<Near>& found) {
    float best;
    kernels().argmin_sum(products, norms, count, &best);
    if (found.size() == kNeighbors && best > found.front().first) return;
    for (std::size_t i = 0; i < count; ++i)
        if (rows[i] != own) keep_nearest({products[i] + norms[i], rows[i]}, found);
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
            row_block_products(-2, query_rows.row(first), last - first, rows.row(begin), count, rows.columns(),
                               products);
            for (std::size_t q = first; q < last; ++q)
                for (std::size_t s = 0; s < count; s += kSegment)
                    offer_segment(products + (q - first) * count + s, norms.data() + begin + s,
                                  candidates.data() + begin + s, std::min(kSegment, count - s), queries[q], found[q]);
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
    const Matrix<double> solved = solve_positive_definite(std::move(all), near);  // Σ⁻¹·S

    QueryModel model{.expectation = Matrix<float>(D, D)};
    const Matrix<float> product =
        multiply_transposed(to_float(near).view(), transposed(to_float(solved)).view(), execution);
    Matrix<double> covariance(D, D);
    for (std::size_t i = 0; i < D; ++i)
        for (std::size_t j = 0; j < D; ++j) {
            // Rounding must not make it unsymmetric.
            covariance[i][j] =
                near[i][j] - (static_cast<double>(product[i][j]) + static_cast<double>(product[j][i])) / 8;
            model.expectation[i][j] = static_cast<float>((i == j ? 1 : 0) - options.lean / 2 * solved[j][i]);
        }
    set_metric(std::move(covariance), options.power, execution, model);
    model.probe = multiply_transposed(model.inverse.view(), transposed(model.expectation).view(), execution);
    return model;
}

double score_variance(MatrixView<float> vectors, const NearPairs& pairs, const QueryModel* model, double theta,
                      const Dictionaries& words, const Matrix<std::uint8_t>& codes, const Execution& execution) {
    const std::size_t D = vectors.columns(), count = pairs.size();
    // Residuals r of the pairs' vectors x and expected queries B·x, a row per pair; then A·r.
    Matrix<float> residuals(count, D), expected(count, D);
    parallel_ranges(execution, count, 1024, [&](std::size_t first, std::size_t last) {
        std::vector<const float*> chosen(words.count);
        std::vector<float> sum(D);
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t x = pairs[i].first;
            for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, codes[x][m]);
            kernels().sum_rows(chosen.data(), words.count, D, sum.data());
            kernels().combine(1, vectors.row(x), -1, sum.data(), 0, sum.data(), D, residuals.row(i));
            std::copy_n(vectors.row(x), D, expected.row(i));
        }
    });
    if (model) expected = multiply_transposed(expected.view(), model->expectation.view(), execution);
    const Matrix<float> weighed =
        model ? multiply_transposed(residuals.view(), model->metric.view(), execution) : residuals;
    double values = 0, squares = 0, errors = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double error = static_cast<double>(kernels().dot(weighed.row(i), weighed.row(i), D));
        const double value = static_cast<double>(kernels().dot(residuals.row(i), vectors.row(pairs[i].second), D)) -
                             static_cast<double>(kernels().dot(residuals.row(i), expected.row(i), D)) +
                             (1 - theta) / 2 * error;
        values += value;
        squares += value * value;
        errors += error;
    }
    return errors > 0 ? std::max(0.0, squares - values * values / static_cast<double>(count)) / errors : 0;
}

}  // namespace summand
