#include "train/gauss_newton.h"

#include <gtest/gtest.h>

#include "support/data.h"
#include "train/dictionary_step.h"
#include "train/least_squares.h"

namespace summand {
namespace {

// Random vectors, codes and words, the offsets away from where they belong.
struct Problem {
    explicit Problem(std::uint64_t seed = 1)
        : codes(test::random_code_rows(300, 3, 6, seed)),
          input(composite_input(test::random_matrix(300, 8, seed + 1))),
          model{.dictionaries = test::random_dictionaries(3, 6, 8, seed + 2)} {
        tie_offsets(model);
        for (std::size_t w = 0; w < model.word_offsets.size(); ++w)
            model.word_offsets[w] += 0.1f * static_cast<float>(w % 5);
    }

    CompositeData data() const { return {input.view(), codes}; }
    double objective(const CompositePenalty& penalty) const {
        return evaluate(data(), model, penalty, {}).objective(penalty.penalty);
    }

    Matrix<std::uint8_t> codes;
    CompositeInput input;
    CompositeModel model;
};

const CompositePenalty kPenalties[] = {{0, 0, 1, Offsets::free},
                                       {0.01, 0.4, 0.8, Offsets::free},
                                       {1, -0.2, 1, Offsets::free},
                                       {100, 0, 0.9, Offsets::free},
                                       {0.5, 1, 1, Offsets::none, 0, 0}};

TEST(NewtonStep, NeverRaisesTheObjectiveAndReturnsIt) {
    for (const CompositePenalty& penalty : kPenalties) {
        Problem problem;
        double before = problem.objective(penalty);
        for (const int iterations : {1, 2, 4, 4, 20}) {
            const double after = newton_step(problem.data(), penalty, {.iterations = iterations}, {}, problem.model);
            EXPECT_LE(after, before);
            EXPECT_NEAR(after, problem.objective(penalty), 1e-9 * after);
            before = after;
        }
    }
}

TEST(NewtonStep, WithoutAPenaltyIsTheLeastSquaresSolution) {
    const CompositePenalty none{0, 0, 1, Offsets::free};
    Problem problem, closed;
    const double error = newton_step(problem.data(), none, {.iterations = 8}, {}, problem.model);
    for (int i = 0; i < 20; ++i)  // each has a ridge towards the one before
        solve_dictionaries(closed.data(), 1, {}, closed.model.dictionaries);
    EXPECT_NEAR(error, closed.objective(none), 1e-3 * error);
}

TEST(NewtonStep, GoesAsFarAsManyIterationsOfLbfgs) {
    const CompositePenalty penalty{0.02, 0, 1, Offsets::free};
    Problem newton, lbfgs;
    const double start = newton.objective(penalty);
    for (int step = 0; step < 6; ++step) newton_step(newton.data(), penalty, {.iterations = 6}, {}, newton.model);
    for (int step = 0; step < 6; ++step) descend(lbfgs.data(), penalty, {.iterations = 40}, {}, lbfgs.model);
    EXPECT_LT(newton.objective(penalty) - lbfgs.objective(penalty), 0.02 * start);
}

TEST(NewtonStep, HasTheSameBitsForEveryThreadCount) {
    for (const CompositePenalty& penalty : kPenalties) {
        Problem one, two;
        newton_step(one.data(), penalty, {.iterations = 4}, {.threads = 1}, one.model);
        newton_step(two.data(), penalty, {.iterations = 4}, {.threads = 2}, two.model);
        EXPECT_EQ(one.model.dictionaries.rows, two.model.dictionaries.rows);
        EXPECT_EQ(one.model.word_offsets, two.model.word_offsets);
    }
}

}  // namespace
}  // namespace summand
