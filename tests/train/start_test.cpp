#include "train/start.h"

#include <gtest/gtest.h>

#include "support/data.h"
#include "train/judge.h"

namespace summand {
namespace {

CompositeOptions options_of(Constraint constraint) {
    return {.constraint = constraint, .dictionaries = 3, .words = 8, .iterations = 6};
}

TEST(Start, OfFewVectorsLearnsInTheEndFromThoseThatTrialsSpared) {
    const Matrix<float> vectors = test::clustered(2000, 8);
    CompositeOptions options = options_of(Constraint::learnt_offsets);
    const Problem problem = pose(vectors.view(), options);
    EXPECT_EQ(problem.enough, 1900u);
    EXPECT_EQ(problem.sample, 1425u);
    EXPECT_EQ(start(problem).codes.rows(), problem.enough);
    options.rule = PenaltyRule::validate;  // judges μ by the rest
    const Problem validated = pose(vectors.view(), options);
    EXPECT_EQ(start(validated).codes.rows(), validated.sample);
    options.start = WarmStart::pq;
    options.rule = PenaltyRule::automatic;
    EXPECT_EQ(pose(vectors.view(), options).sample, 1900u);
}

TEST(Start, IsOneOfThoseTried) {
    const Matrix<float> vectors = test::clustered(2000, 8);
    for (const Constraint constraint : {Constraint::near_orthogonal, Constraint::learnt_offsets}) {
        const Problem problem = pose(vectors.view(), options_of(constraint));
        const Dictionaries chosen = start(problem).model.dictionaries;
        const auto of = [&](WarmStart kind) {
            return block_state(problem, kind, problem.enough, RotationStart::pca).model.dictionaries;
        };
        EXPECT_TRUE(chosen == of(WarmStart::pq) || chosen == of(WarmStart::opq));
    }
}

TEST(Start, OfTooFewVectorsForATrialIsPq) {
    const Matrix<float> vectors = test::clustered(180, 8);
    const Problem problem = pose(vectors.view(), options_of(Constraint::learnt_offsets));
    EXPECT_TRUE(problem.few());
    EXPECT_EQ(problem.sample, problem.vectors->vectors.rows());
    EXPECT_EQ(start(problem).model.dictionaries,
              block_state(problem, WarmStart::pq, problem.sample).model.dictionaries);
}

TEST(Start, TakesTheGivenPenaltyAndOneForUb) {
    const Matrix<float> vectors = test::clustered(600, 8);
    CompositeOptions options = options_of(Constraint::near_orthogonal);
    options.rule = PenaltyRule::fixed;
    options.penalty = 0.125;
    EXPECT_EQ(start(pose(vectors.view(), options)).penalty.penalty, 0.125);
    const CompositePenalty ub = start(pose(vectors.view(), options_of(Constraint::upper_bound))).penalty;
    EXPECT_EQ(ub.penalty, 0);
    EXPECT_EQ(ub.absolute, 1);
}

}  // namespace
}  // namespace summand
