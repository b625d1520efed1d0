#include "train/offset_rule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"

namespace summand {
namespace {

constexpr std::size_t kFewestQueries = 512;  // fewer say too little
constexpr std::size_t kMostQueries = 2048;
constexpr std::size_t kGrowth = 4;  // a base is that many times as large as what can be learnt from
constexpr double kTie = 0.005;      // of a cost: expectations that differ by less are as good
constexpr double kExpectations[] = {0.8, 0.9, 1};
constexpr double kTilts[] = {0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0, -0.1, -0.2};  // of |r|², on average, above |ȳ|²

// All tilts for the first expectation, then for the next; both from far queries to near ones. As y·r is |r|² on
// average, a rule wants |ȳ|² + (2 (1 - a) - θ)|r|².
std::vector<OffsetRule> candidates(const GivenRule& given) {
    std::vector<OffsetRule> rules;
    for (const double one : kExpectations)
        for (const double tilt : kTilts) {
            const double expectation = given.expectation.value_or(one);
            rules.push_back({expectation, given.theta.value_or(2 * (1 - expectation) - tilt)});
        }
    return rules;
}

// What each rule wants the offsets of each vector to add up to; a row per rule.
Matrix<float> wanted_offsets(MatrixView<float> vectors, MatrixView<float> sums, const std::vector<OffsetRule>& rules,
                             const Execution& execution) {
    const std::size_t D = vectors.columns();
    Matrix<float> wanted(rules.size(), vectors.rows());
    parallel_ranges(execution, vectors.rows(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            const double norm = static_cast<double>(kernels().dot(vectors.row(n), vectors.row(n), D));
            const double product = norm - static_cast<double>(kernels().dot(vectors.row(n), sums.row(n), D));
            const double error = static_cast<double>(kernels().squared_distance(vectors.row(n), sums.row(n), D));
            for (std::size_t i = 0; i < rules.size(); ++i)
                wanted[i][n] =
                    static_cast<float>(norm - 2 * rules[i].expectation * product + (1 - rules[i].theta) * error);
        }
    });
    return wanted;
}

// Row of the true nearest neighbour, from the products q·y.
std::size_t nearest(const float* products, const std::vector<float>& norms) {
    std::size_t best = 0;
    for (std::size_t n = 1; n < norms.size(); ++n)
        if (norms[n] - 2 * products[n] < norms[best] - 2 * products[best]) best = n;
    return best;
}

// How many rows score below row `own`.
std::size_t rank_of(std::size_t own, const float* offsets, const float* products, std::size_t rows) {
    const float score = offsets[own] - 2 * products[own];
    std::size_t rank = 0;
    for (std::size_t n = 0; n < rows; ++n) rank += offsets[n] - 2 * products[n] < score ? 1 : 0;
    return rank;
}

// Of the costs the first that is nearly the smallest.
std::size_t first_good(const std::vector<double>& costs) {
    const double limit = (1 + kTie) * *std::min_element(costs.begin(), costs.end());
    return static_cast<std::size_t>(
        std::find_if(costs.begin(), costs.end(), [&](double cost) { return cost <= limit; }) - costs.begin());
}

}  // namespace

std::vector<double> search_costs(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                                 const Matrix<float>& offsets, const Execution& execution) {
    std::vector<float> norms(vectors.rows());
    for (std::size_t n = 0; n < norms.size(); ++n)
        norms[n] = kernels().dot(vectors.row(n), vectors.row(n), vectors.columns());
    const std::size_t asked = std::min(kMostQueries, queries.rows());
    Matrix<double> costs(asked, offsets.rows());
    for (std::size_t first = 0; first < asked; first += kRowBlock) {
        const MatrixView<float> group = queries.slice(first, std::min(kRowBlock, asked - first));
        const Matrix<float> exact = multiply_transposed(group, vectors, execution),
                            coded = multiply_transposed(group, sums, execution);
        parallel_for(execution, group.rows(), [&](std::size_t q) {
            const std::size_t own = nearest(exact.row(q), norms);
            for (std::size_t i = 0; i < offsets.rows(); ++i)
                costs[first + q][i] =
                    std::log2(1.0 + static_cast<double>(rank_of(own, offsets.row(i), coded.row(q), vectors.rows())));
        });
    }
    std::vector<double> means(offsets.rows(), 0.0);
    for (std::size_t q = 0; q < costs.rows(); ++q)
        for (std::size_t i = 0; i < means.size(); ++i) means[i] += costs[q][i] / static_cast<double>(costs.rows());
    return means;
}

OffsetRule best_offset_rule(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                            const GivenRule& given, const Execution& execution) {
    if (queries.rows() < kFewestQueries || (given.expectation && given.theta)) return usual_offset_rule(given);
    const std::vector<OffsetRule> rules = candidates(given);
    vectors = vectors.slice(0, std::min(kJudgedVectors, vectors.rows()));
    sums = sums.slice(0, vectors.rows());
    const Matrix<float> wanted = wanted_offsets(vectors, sums, rules, execution);
    const auto costs_among = [&](std::size_t rows) {
        return search_costs(queries, vectors.slice(0, rows), sums.slice(0, rows), wanted, execution);
    };
    const std::vector<double> costs = costs_among(vectors.rows());
    const std::vector<double> fewer = costs_among(std::max<std::size_t>(1, vectors.rows() / kGrowth));
    const std::size_t first = first_good(costs) / std::size(kTilts) * std::size(kTilts);
    std::size_t best = first;
    const auto foretold = [&](std::size_t i) { return 2 * costs[i] - fewer[i]; };
    for (std::size_t i = first; i < first + std::size(kTilts); ++i)
        if (foretold(i) < foretold(best)) best = i;
    return rules[best];
}

OffsetRule usual_offset_rule(const GivenRule& given) {
    return {given.expectation.value_or(0.9), given.theta.value_or(0)};
}

}  // namespace summand
