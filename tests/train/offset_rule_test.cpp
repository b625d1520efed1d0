#include "train/offset_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/data.h"
#include "train/offset_rule_support.h"

namespace summand {
namespace {

using Setting = test::RuleSetting;

// What the rule costs among the vectors [begin, end).
double cost_of(const OffsetRule& rule, const Setting& setting, std::size_t begin = 0, std::size_t end = 400) {
    std::vector<float> offsets;
    for (std::size_t n = begin; n < end; ++n) {
        const float *y = setting.vectors.row(n), *sum = setting.sums.row(n);
        const double norm = test::dot(y, y, 6);
        offsets.push_back(static_cast<float>(norm - 2 * rule.expectation * (norm - test::dot(y, sum, 6)) +
                                             (1 - rule.theta) * test::squared_distance(y, sum, 6)));
    }
    return test::plain_cost(setting, offsets, begin);
}

// Among four times as many vectors, if the cost rises as it does from a quarter of them, on average, to all.
double cost_among_more(const OffsetRule& rule, const Setting& setting) {
    double cost = 2 * cost_of(rule, setting);
    for (std::size_t part = 0; part < 4; ++part) cost -= cost_of(rule, setting, 100 * part, 100 * (part + 1)) / 4;
    return cost;
}

TEST(OffsetRule, HasTheSmallestExpectationThatIsAsGoodAndTheTiltThatIsCheapestAmongMoreVectors) {
    for (const float error : {0.3f, 0.6f, 1.0f}) {
        const Setting setting(400, 512, error);
        const OffsetRule best =
            best_offset_rule(setting.queries.view(), setting.vectors.view(), setting.sums.view(), {}, {});
        double lowest = 1e30, lowest_smaller = 1e30, lowest_same = 1e30, lowest_among_more = 1e30;
        for (const double a : RuleRecipe().expectations)
            for (const double tilt : RuleRecipe().tilts) {
                const OffsetRule rule{a, 2 * (1 - a) - tilt};
                const double cost = cost_of(rule, setting);
                lowest = std::min(lowest, cost);
                if (a < best.expectation) lowest_smaller = std::min(lowest_smaller, cost);
                if (a != best.expectation) continue;
                lowest_same = std::min(lowest_same, cost);
                lowest_among_more = std::min(lowest_among_more, cost_among_more(rule, setting));
            }
        EXPECT_LE(lowest_same, (1 + RuleRecipe().tie) * lowest + 1e-3);
        EXPECT_GT(lowest_smaller, (1 + RuleRecipe().tie) * lowest - 1e-3);
        EXPECT_NEAR(cost_among_more(best, setting), lowest_among_more, 1e-3);
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
