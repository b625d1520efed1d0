#include "train/offset_rule.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "train/judge.h"

namespace summand {
namespace {

// As y·r is |r|² on average, a rule wants |ȳ|² + (2 (1 - a) - θ)|r|².
OffsetRule tilted(double expectation, double tilt, const GivenRule& given) {
    const double a = given.expectation.value_or(expectation);
    return {a, given.theta.value_or(2 * (1 - a) - tilt)};
}

// All tilts for the first expectation, then for the next; both from far queries to near ones.
std::vector<OffsetRule> candidates(const GivenRule& given, const RuleRecipe& recipe) {
    std::vector<OffsetRule> rules;
    for (const double expectation : recipe.expectations)
        for (const double tilt : recipe.tilts) rules.push_back(tilted(expectation, tilt, given));
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

std::vector<double> row_means(const Matrix<double>& costs) {
    std::vector<double> means;
    for (std::size_t i = 0; i < costs.rows(); ++i)
        means.push_back(std::accumulate(costs.row(i), costs.row(i) + costs.columns(), 0.0) /
                        static_cast<double>(costs.columns()));
    return means;
}

// Returns the place of the first cost that is nearly the smallest.
std::size_t first_good(const std::vector<double>& costs, double tie) {
    const double limit = (1 + tie) * *std::min_element(costs.begin(), costs.end());
    return static_cast<std::size_t>(
        std::find_if(costs.begin(), costs.end(), [&](double cost) { return cost <= limit; }) - costs.begin());
}

}  // namespace

OffsetRule best_offset_rule(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                            const GivenRule& given, const Execution& execution, const Recipe& recipe) {
    const RuleRecipe& search = recipe.rule;
    const std::size_t count = std::min(recipe.judge.most_vectors, vectors.rows());
    if (queries.rows() < search.fewest_queries || count < search.growth || (given.expectation && given.theta))
        return usual_offset_rule(given, search);
    const std::vector<OffsetRule> rules = candidates(given, search);
    const auto costs_among = [&](std::size_t begin, std::size_t end) {
        const MatrixView<float> rows = vectors.slice(begin, end - begin), their_sums = sums.slice(begin, end - begin);
        return row_means(rank_costs(queries, nearest_rows(queries, rows, execution, recipe.judge), their_sums,
                                    wanted_offsets(rows, their_sums, rules, execution), execution));
    };
    const std::vector<double> costs = costs_among(0, count);
    const std::size_t tilts = search.tilts.size(), first = first_good(costs, search.tie) / tilts * tilts;
    // Among `growth` times as many vectors, by the trend from parts of the vectors to all.
    std::vector<double> larger = costs;
    for (std::size_t part = 0; search.growth > 1 && part < search.growth; ++part) {
        const std::vector<double> fewer = costs_among(count * part / search.growth, count * (part + 1) / search.growth);
        for (std::size_t i = 0; i < larger.size(); ++i)
            larger[i] += (costs[i] - fewer[i]) / static_cast<double>(search.growth);
    }
    const auto begin = larger.begin() + static_cast<std::ptrdiff_t>(first);
    const auto lowest = std::min_element(begin, begin + static_cast<std::ptrdiff_t>(tilts));
    return rules[static_cast<std::size_t>(lowest - larger.begin())];
}

OffsetRule usual_offset_rule(const GivenRule& given, const RuleRecipe& recipe) {
    return {given.expectation.value_or(recipe.usual_expectation), given.theta.value_or(recipe.usual_theta)};
}

}  // namespace summand
