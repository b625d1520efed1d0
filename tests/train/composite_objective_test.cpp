#include "train/composite_objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/data.h"

namespace summand {
namespace {

constexpr std::size_t kRows = 90, kDictionaries = 3, kWords = 5, kDimensions = 7;

// Random vectors, codes and words.
struct Problem {
    explicit Problem(std::uint64_t seed = 1)
        : model{.dictionaries = test::random_dictionaries(kDictionaries, kWords, kDimensions, seed)},
          codes(test::random_code_rows(kRows, kDictionaries, kWords, seed + 1)) {
        input = composite_input(test::random_matrix(kRows, kDimensions, seed + 4));
        model.epsilon = 0.7;
        tie_offsets(model);
        Random random(seed + 5);
        for (float& offset : model.word_offsets) offset += static_cast<float>(0.3 * random.gaussian());
    }

    CompositeData data() const { return {input.view(), codes}; }

    CompositeModel model;
    Matrix<std::uint8_t> codes;
    CompositeInput input;
};

// The formulas of composite_objective.h, in double from the first number to the last.
CompositeTerms plain_terms(const Problem& problem, const CompositeModel& model, const CompositePenalty& penalty) {
    CompositeTerms terms;
    const CompositeView view = problem.input.view();
    for (std::size_t n = 0; n < kRows; ++n) {
        double error = 0, norm = 0, product = 0, offsets = 0;
        for (std::size_t d = 0; d < kDimensions; ++d) {
            double sum = 0;
            for (std::size_t m = 0; m < kDictionaries; ++m)
                sum += double{model.dictionaries.word(m, problem.codes[n][m])[d]};
            const double y = double{view.vectors[n][d]};
            error += (y - sum) * (y - sum);
            norm += y * y;
            product += y * (y - sum);
        }
        for (std::size_t m = 0; m < kDictionaries; ++m) {
            const float* word = model.dictionaries.word(m, problem.codes[n][m]);
            offsets += penalty.offsets == Offsets::tied
                           ? test::dot(word, word, kDimensions) + model.epsilon / static_cast<double>(kDictionaries)
                           : double{model.word_offsets[m * kWords + problem.codes[n][m]]};
        }
        const double excess =
            penalty.norm * norm - 2 * penalty.expectation * product + (1 - penalty.theta) * error - offsets;
        terms.error += error / kRows;
        terms.excess += excess / kRows;
        terms.squared_excess += excess * excess / kRows;
        terms.magnitude += std::abs(excess) / kRows;
    }
    return terms;
}

const CompositePenalty kPenalties[] = {
    {0, 0, 1, Offsets::tied},    {0.3, 0, 1, Offsets::tied},          {0.3, 0.4, 0.7, Offsets::tied},
    {0.3, 0, 1, Offsets::free},  {0.3, 0.4, 0.7, Offsets::free},      {2, -0.2, 0.9, Offsets::free},
    {0, 0, 1, Offsets::tied, 1}, {0.3, 0.4, 0.8, Offsets::free, 0.7}, {0.3, 1, 1, Offsets::none, 0, 0},
};

template <class Body>
void for_each_problem(const Body& body) {
    for (const std::uint64_t seed : {1, 2})
        for (const CompositePenalty& penalty : kPenalties) {
            Problem problem(seed);
            if (penalty.offsets == Offsets::tied) tie_offsets(problem.model);
            if (penalty.offsets == Offsets::none) problem.model.word_offsets.assign(kDictionaries * kWords, 0.0f);
            body(problem, penalty);
        }
}

TEST(CompositeObjective, IsTheFormulaOfItsHeader) {
    for_each_problem([](const Problem& problem, const CompositePenalty& penalty) {
        const CompositeTerms expected = plain_terms(problem, problem.model, penalty);
        const CompositeTerms found = evaluate(problem.data(), problem.model, penalty, {});
        EXPECT_NEAR(found.error, expected.error, 1e-4 * expected.error);
        EXPECT_NEAR(found.excess, expected.excess, 1e-4 * (1 + std::abs(expected.excess)));
        EXPECT_NEAR(found.squared_excess, expected.squared_excess, 1e-4 * expected.squared_excess);
        EXPECT_NEAR(found.magnitude, expected.magnitude, 1e-4 * expected.magnitude);
        EXPECT_NEAR(found.objective(penalty),
                    expected.error + penalty.penalty * expected.squared_excess + penalty.absolute * expected.magnitude,
                    1e-4 * expected.objective(penalty));
    });
}

TEST(CompositeObjective, WithTiedOffsetsTheExcessIsTheCrossTermLessEpsilon) {
    Problem problem(false);
    tie_offsets(problem.model);
    double mean = 0;
    for (std::size_t n = 0; n < kRows; ++n)
        mean += test::cross_term(problem.model.dictionaries, problem.codes.row(n)) / kRows;
    EXPECT_NEAR(evaluate(problem.data(), problem.model, {0.1, 0, 1, Offsets::tied}, {}).excess,
                mean - problem.model.epsilon, 1e-4);
}

// Central differences of the plain formula; offsets follow the words where they are tied, and are fixed where there are
// none.
TEST(CompositeObjective, TheGradientIsThatOfFiniteDifferences) {
    constexpr double kStep = 1.0 / 64;
    for_each_problem([&](const Problem& problem, const CompositePenalty& penalty) {
        CompositeGradient gradient;
        evaluate(problem.data(), problem.model, penalty, {}, &gradient);
        const auto slope = [&](const auto& variable) {
            CompositeModel up = problem.model, down = problem.model;
            variable(up) += static_cast<float>(kStep);
            variable(down) -= static_cast<float>(kStep);
            const double width = double{variable(up)} - double{variable(down)};
            return (plain_terms(problem, up, penalty).objective(penalty) -
                    plain_terms(problem, down, penalty).objective(penalty)) /
                   width;
        };
        double largest = 1;
        for (const double g : gradient.words) largest = std::max(largest, std::abs(g));
        ASSERT_EQ(gradient.words.size(), problem.model.dictionaries.rows.size());
        for (std::size_t i = 0; i < gradient.words.size(); ++i)
            EXPECT_NEAR(gradient.words[i],
                        slope([i](CompositeModel& model) -> float& { return model.dictionaries.rows.data()[i]; }),
                        5e-3 * largest);
        for (std::size_t w = 0; w < gradient.offsets.size(); ++w) {
            const double expected = penalty.offsets != Offsets::free
                                        ? 0
                                        : slope([w](CompositeModel& model) -> float& { return model.word_offsets[w]; });
            EXPECT_NEAR(gradient.offsets[w], expected, 1e-3 * (1 + std::abs(expected)));
        }
    });
}

TEST(CompositeObjective, ValueAndGradientAreTheSameForEveryThreadCountAndKernelLevel) {
    for_each_problem([](const Problem& problem, const CompositePenalty& penalty) {
        CompositeGradient expected;
        const double value =
            evaluate(problem.data(), problem.model, penalty, {.threads = 1}, &expected).objective(penalty);
        test::with_each_level([&] {
            CompositeGradient gradient;
            EXPECT_EQ(evaluate(problem.data(), problem.model, penalty, {.threads = 2}, &gradient).objective(penalty),
                      value);
            EXPECT_EQ(gradient.words, expected.words);
            EXPECT_EQ(gradient.offsets, expected.offsets);
        });
    });
}

// ε enters e as a constant, so the mean of e is what it lacks.
TEST(Epsilon, TheUpdateIsOptimal) {
    for (const double expectation : {1.0, 0.6}) {
        Problem problem;
        const CompositePenalty penalty{0.3, 0, expectation, Offsets::tied};
        tie_offsets(problem.model);
        problem.model.epsilon += evaluate(problem.data(), problem.model, penalty, {}).excess;
        tie_offsets(problem.model);
        const CompositeTerms best = evaluate(problem.data(), problem.model, penalty, {});
        EXPECT_NEAR(best.excess, 0, 1e-4);
        for (const double change : {-3.0, -0.5, -0.01, 0.01, 0.5, 3.0}) {
            CompositeModel other = problem.model;
            other.epsilon += change;
            tie_offsets(other);
            const CompositeTerms terms = evaluate(problem.data(), other, penalty, {});
            EXPECT_EQ(terms.error, best.error);
            EXPECT_GT(terms.squared_excess, best.squared_excess);
        }
    }
}

TEST(OffsetTargets, AreWhatOffsetsShouldAddUpTo) {
    for (const double theta : {0.0, 0.4}) {
        const Problem problem;
        const std::vector<double> targets = offset_targets(problem.data(), problem.model.dictionaries, {1, theta}, {});
        double squares = 0;
        for (std::size_t n = 0; n < kRows; ++n) {
            double excess = targets[n];
            for (std::size_t m = 0; m < kDictionaries; ++m)
                excess -= double{problem.model.word_offsets[m * kWords + problem.codes[n][m]]};
            squares += excess * excess / kRows;
        }
        EXPECT_NEAR(evaluate(problem.data(), problem.model, {1, theta, 1, Offsets::free}, {}).squared_excess, squares,
                    1e-6 * squares);
    }
}

}  // namespace
}  // namespace summand
