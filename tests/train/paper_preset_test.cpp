// preset=paper: the algorithm as the paper prints it.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"
#include "train/problem.h"

namespace summand {
namespace {

using test::clustered;

TEST(PaperPreset, IsTheRecipeAsPrinted) {
    const CompositeOptions options = paper_options(Constraint::near_orthogonal, 8);
    EXPECT_EQ(options.start, WarmStart::pq);
    EXPECT_EQ(options.rule, PenaltyRule::validate);
    EXPECT_EQ(options.translation, Translation::none);
    EXPECT_EQ(options.effort, Effort::fast);
    EXPECT_EQ(options.recipe->sweeps, 1);
    EXPECT_EQ(options.recipe->perturbations, 0);
    EXPECT_EQ(options.recipe->lbfgs.iterations, 10);
    EXPECT_EQ(options.recipe->lbfgs.line_searches, 5);
    EXPECT_EQ(options.recipe->penalty.ramp, 0);
    EXPECT_EQ(paper_options(Constraint::none, 8).recipe->solver, Solver::iterative);
    test::expect_error([] { paper_options(Constraint::learnt_offsets, 8); }, {"a preset of NOCQ and CQ"});
}

TEST(PaperPreset, OfASpecIsThatOfTheOptions) {
    const Matrix<float> vectors = clustered(600, 8);
    CompositeOptions nocq = paper_options(Constraint::near_orthogonal, 3), cq = paper_options(Constraint::none, 3);
    nocq.words = cq.words = 8;
    EXPECT_EQ(train(vectors.view(), parse_spec("NOCQ3x3(preset=paper)")), train(vectors.view(), nocq));
    EXPECT_EQ(train(vectors.view(), parse_spec("CQ3x3(preset=paper)")), train(vectors.view(), cq));
    nocq.rule = PenaltyRule::fixed;
    nocq.penalty = 0.02;
    nocq.translation = Translation::mean;
    nocq.recipe->sweeps = 3;
    EXPECT_EQ(train(vectors.view(), parse_spec("NOCQ3x3(preset=paper,mu=0.02,translation=mean,sweeps=3)")),
              train(vectors.view(), nocq));
}

TEST(PaperPreset, TheObjectiveFallsWeaklyFromTheFirstIterationOn) {
    for (const std::uint64_t seed : {1, 2, 3})
        for (const char* spec :
             {"NOCQ3x3(preset=paper,mu=0.02,iterations=8)", "NOCQ3x3(preset=paper,mu=0.02,iterations=8,epsilon=0)",
              "CQ3x3(preset=paper,iterations=8)", "CQ3x3(solver=iterative,iterations=8)"}) {
            const std::vector<double> objective =
                train(clustered(600, 8, seed).view(), parse_spec(spec)).training.objective;
            ASSERT_EQ(objective.size(), 8u);
            for (std::size_t i = 1; i < 8; ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6)) << spec;
            EXPECT_LT(objective.back(), objective.front()) << spec;
        }
}

TEST(PaperPreset, HoldsTheGivenPenaltyAndSubtractsNothing) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), parse_spec("NOCQ3x3(preset=paper,mu=0.02)"));
    EXPECT_EQ(model.encoder.penalty, 0.02f);
    EXPECT_EQ(model.encoder.effort, Effort::fast);
    EXPECT_EQ(model.centre, std::vector<float>(8, 0.0f));
}

TEST(Translation, NoneSubtractsNothing) {
    Matrix<float> vectors = clustered(200, 4);
    vectors[0][0] = 3e7f;  // makes a mean that takes the last digits of the others with it, once added back
    const auto problem_of = [&](Translation translation) {
        return pose(vectors.view(), {.constraint = Constraint::none, .words = 128, .translation = translation});
    };
    std::multiset<float> given(vectors.values().begin(), vectors.values().end());
    const Problem problem = problem_of(Translation::none);
    const std::vector<float>& rows = problem.vectors->vectors.values();
    EXPECT_EQ(std::multiset<float>(rows.begin(), rows.end()), given);  // none is held out of so few
    EXPECT_EQ(problem.centre, std::vector<float>(4, 0.0f));
    EXPECT_NE(problem_of(Translation::mean).centre, problem.centre);
}

}  // namespace
}  // namespace summand
