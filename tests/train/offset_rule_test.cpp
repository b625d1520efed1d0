#include "train/offset_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "support/data.h"

namespace summand {
namespace {

// Vectors with approximations that err at random, and queries.
struct Setting {
    explicit Setting(std::size_t rows = 400, std::size_t asked = 512, float error = 0.3f)
        : vectors(test::clustered(rows, 6)), sums(vectors), queries(test::clustered(asked, 6, 7)) {
        const Matrix<float> noise = test::random_matrix(rows, 6, 3);
        for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] += error * noise.data()[i];
    }

    Matrix<float> vectors, sums, queries;
};

// log2(1 + rank) among the vectors from `begin` on that have offsets, by sorting.
double plain_cost(const Setting& setting, std::span<const float> offsets, std::size_t begin = 0) {
    double total = 0;
    for (std::size_t q = 0; q < setting.queries.rows(); ++q) {
        const float* query = setting.queries.row(q);
        std::size_t nearest = 0;
        std::vector<double> scores;
        for (std::size_t n = 0; n < offsets.size(); ++n) {
            if (test::squared_distance(query, setting.vectors.row(begin + n), 6) <
                test::squared_distance(query, setting.vectors.row(begin + nearest), 6))
                nearest = n;
            scores.push_back(double{offsets[n]} - 2 * test::dot(query, setting.sums.row(begin + n), 6));
        }
        const double own = scores[nearest];
        std::sort(scores.begin(), scores.end());
        total += std::log2(
            1.0 + static_cast<double>(std::lower_bound(scores.begin(), scores.end(), own - 1e-6) - scores.begin()));
    }
    return total / static_cast<double>(setting.queries.rows());
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(NearestRows, AreThoseOfBruteForceWhateverTheThreads) {
    const Setting setting(5000, 300);
    const std::vector<std::size_t> nearest = nearest_rows(setting.queries.view(), setting.vectors.view(), {});
    ASSERT_EQ(nearest.size(), 300u);
    for (std::size_t q = 0; q < nearest.size(); ++q)
        for (std::size_t n = 0; n < 5000; ++n)
            EXPECT_LE(test::squared_distance(setting.queries.row(q), setting.vectors.row(nearest[q]), 6),
                      test::squared_distance(setting.queries.row(q), setting.vectors.row(n), 6) + 1e-4);
    EXPECT_EQ(nearest_rows(setting.queries.view(), setting.vectors.view(), {.threads = 3}), nearest);
}

TEST(NearestRows, OfEqualOnesIsTheFirst) {
    const Matrix<float> same(700, 4);
    for (const std::size_t row : nearest_rows(test::random_matrix(5, 4, 1).view(), same.view(), {})) EXPECT_EQ(row, 0u);
}

TEST(SearchCosts, AreThoseOfSortedScoresAmongManyRowsToo) {
    const Setting setting(3000, 40);
    const Matrix<float> offsets = test::random_matrix(2, 3000, 5);
    const std::vector<std::size_t> nearest = nearest_rows(setting.queries.view(), setting.vectors.view(), {});
    const Matrix<double> costs = search_costs(setting.queries.view(), nearest, setting.sums.view(), offsets, {});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(mean(costs[i]), plain_cost(setting, offsets[i]), 1e-3);
    EXPECT_EQ(search_costs(setting.queries.view(), nearest, setting.sums.view(), offsets, {.threads = 3}), costs);
}

TEST(SearchCosts, AreThoseOfSortedScores) {
    const Setting setting;
    const Matrix<float> offsets = test::random_matrix(3, 400, 5);
    const Matrix<double> costs =
        search_costs(setting.queries.view(), nearest_rows(setting.queries.view(), setting.vectors.view(), {}),
                     setting.sums.view(), offsets, {});
    ASSERT_EQ(costs.rows(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(mean(costs[i]), plain_cost(setting, offsets[i]), 1e-3);
}

TEST(SearchCosts, AreZeroForExactScores) {
    const Setting setting;
    Matrix<float> norms(1, 400);
    for (std::size_t n = 0; n < 400; ++n)
        norms[0][n] = static_cast<float>(test::dot(setting.vectors.row(n), setting.vectors.row(n), 6));
    const std::vector<std::size_t> nearest = nearest_rows(setting.queries.view(), setting.vectors.view(), {});
    const Matrix<double> costs = search_costs(setting.queries.view(), nearest, setting.vectors.view(), norms, {});
    EXPECT_EQ(costs, Matrix<double>(1, setting.queries.rows()));
}

// What the rule costs among the vectors [begin, end).
double cost_of(const OffsetRule& rule, const Setting& setting, std::size_t begin, std::size_t end) {
    std::vector<float> offsets;
    for (std::size_t n = begin; n < end; ++n) {
        const float *y = setting.vectors.row(n), *sum = setting.sums.row(n);
        const double norm = test::dot(y, y, 6);
        offsets.push_back(static_cast<float>(norm - 2 * rule.expectation * (norm - test::dot(y, sum, 6)) +
                                             (1 - rule.theta) * test::squared_distance(y, sum, 6)));
    }
    return plain_cost(setting, offsets, begin);
}

// The cost among four times as many vectors, if it goes on as from a quarter of them, on average, to all.
double foretold(const OffsetRule& rule, const Setting& setting) {
    double cost = 2 * cost_of(rule, setting, 0, 400);
    for (std::size_t part = 0; part < 4; ++part) cost -= cost_of(rule, setting, 100 * part, 100 * (part + 1)) / 4;
    return cost;
}

// The cubic with these values at -1, -1/3, 1/3 and 1.
double cubic_at(const std::array<double, 4>& nodes, double t) {
    double value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        double factor = nodes[i];
        for (std::size_t j = 0; j < 4; ++j)
            if (j != i)
                factor *= (3 * (t + 1) - 2 * static_cast<double>(j)) /
                          (2 * (static_cast<double>(i) - static_cast<double>(j)));
        value += factor;
    }
    return value;
}

TEST(OffsetRule, IsWhereTheCubicNearestToTheCostsIsLowest) {
    for (const float error : {0.3f, 0.6f, 1.0f}) {
        const Setting setting(400, 512, error);
        const OffsetRule best =
            best_offset_rule(setting.queries.view(), setting.vectors.view(), setting.sums.view(), {}, {});
        const auto rule = [&](double tilt) { return OffsetRule{best.expectation, 2 * (1 - best.expectation) - tilt}; };
        std::array<double, 9> costs;
        for (int i = 0; i < 9; ++i) costs[static_cast<std::size_t>(i)] = foretold(rule(0.1 * (i - 2)), setting);
        // Least squares by descent along one value after another.
        std::array<double, 4> nodes{costs[0], costs[3], costs[5], costs[8]};
        for (int round = 0; round < 2000; ++round)
            for (std::size_t k = 0; k < 4; ++k) {
                std::array<double, 4> unit{};
                unit[k] = 1;
                double slope = 0, curvature = 0;
                for (std::size_t i = 0; i < 9; ++i) {
                    const double t = static_cast<double>(i) / 4 - 1, share = cubic_at(unit, t);
                    slope += share * (costs[i] - cubic_at(nodes, t));
                    curvature += share * share;
                }
                nodes[k] += slope / curvature;
            }
        const double tilt = 2 * (1 - best.expectation) - best.theta;
        const double lowest = cubic_at(nodes, (tilt - 0.2) / 0.4);
        for (double other = -0.2; other < 0.605; other += 0.01)
            EXPECT_LE(lowest, cubic_at(nodes, (other - 0.2) / 0.4) + 1e-4) << error << " " << other;
    }
}

TEST(OffsetRule, KeepsWhatIsGiven) {
    const Setting setting;
    const OffsetRule rule =
        best_offset_rule(setting.queries.view(), setting.vectors.view(), setting.sums.view(), {.theta = 5}, {});
    EXPECT_EQ(rule.theta, 5);
}

TEST(OffsetRule, IsTheUsualOneWhereFewQueriesCanTell) {
    const Setting setting(400, 511);
    const OffsetRule rule =
        best_offset_rule(setting.queries.view(), setting.vectors.view(), setting.sums.view(), {}, {});
    EXPECT_EQ(rule.expectation, usual_offset_rule({}).expectation);
    EXPECT_EQ(rule.theta, usual_offset_rule({}).theta);
}

}  // namespace
}  // namespace summand
