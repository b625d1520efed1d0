#include "train/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "support/data.h"
#include "train/offset_rule_support.h"
#include "train/start.h"

namespace summand {
namespace {

using test::mean;
using test::plain_cost;
using Setting = test::RuleSetting;

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

TEST(RankCosts, AreThoseOfSortedScoresAmongManyRowsToo) {
    const Setting setting(3000, 40);
    const Matrix<float> offsets = test::random_matrix(2, 3000, 5);
    const std::vector<std::size_t> nearest = nearest_rows(setting.queries.view(), setting.vectors.view(), {});
    const Matrix<double> costs = rank_costs(setting.queries.view(), nearest, setting.sums.view(), offsets, {});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(mean(costs[i]), plain_cost(setting, offsets[i]), 1e-3);
    EXPECT_EQ(rank_costs(setting.queries.view(), nearest, setting.sums.view(), offsets, {.threads = 3}), costs);
}

TEST(RankCosts, AreThoseOfSortedScores) {
    const Setting setting;
    const Matrix<float> offsets = test::random_matrix(3, 400, 5);
    const Matrix<double> costs =
        rank_costs(setting.queries.view(), nearest_rows(setting.queries.view(), setting.vectors.view(), {}),
                   setting.sums.view(), offsets, {});
    ASSERT_EQ(costs.rows(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(mean(costs[i]), plain_cost(setting, offsets[i]), 1e-3);
}

TEST(RankCosts, AreZeroForExactScores) {
    const Setting setting;
    Matrix<float> norms(1, 400);
    for (std::size_t n = 0; n < 400; ++n)
        norms[0][n] = static_cast<float>(test::dot(setting.vectors.row(n), setting.vectors.row(n), 6));
    const std::vector<std::size_t> nearest = nearest_rows(setting.queries.view(), setting.vectors.view(), {});
    const Matrix<double> costs = rank_costs(setting.queries.view(), nearest, setting.vectors.view(), norms, {});
    EXPECT_EQ(costs, Matrix<double>(1, setting.queries.rows()));
}

CompositeOptions small() {
    return {.constraint = Constraint::near_orthogonal,
            .dictionaries = 3,
            .words = 8,
            .iterations = 6,
            .start = WarmStart::pq};
}

TEST(Judge, FindsOffsetsThatAreOffWorse) {
    const Matrix<float> vectors = test::clustered(3000, 8);
    Problem problem = pose(vectors.view(), small());
    problem.sample = 2000;
    const Judge judge(problem);
    const CompositeState state = start(problem);
    CompositeState off = state;
    for (std::size_t w = 0; w < off.model.word_offsets.size(); ++w)
        off.model.word_offsets[w] += w % 2 == 0 ? 20.0f : -20.0f;
    EXPECT_GT(summand::mean(judge.costs(off)), summand::mean(judge.costs(state)));
}

// The judge does not prefer words that fit the sample alone, since it searches other vectors.
TEST(Judge, SearchesVectorsOutsideTheSample) {
    const Matrix<float> vectors = test::clustered(3000, 8);
    Problem problem = pose(vectors.view(), small());
    problem.sample = 2000;
    const std::vector<double> costs = Judge(problem).costs(start(problem));
    Matrix<float> changed = problem.vectors->vectors;
    for (std::size_t i = 0; i < 2000 * 8; ++i) changed.data()[i] += 5;
    const CompositeState state = start(problem);
    problem.vectors = std::make_shared<CompositeInput>(composite_input(changed));
    CompositeState same = state;
    same.vectors = problem.vectors;
    EXPECT_EQ(Judge(problem).costs(same), costs);
}

}  // namespace
}  // namespace summand
