#include "train/dictionary_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "summand/error.h"
#include "support/data.h"
#include "train/least_squares.h"

namespace summand {
namespace {

struct Problem {
    explicit Problem(Offsets offsets, std::uint64_t seed = 1, double epsilon = 0.5)
        : codes(test::random_code_rows(200, 3, 6, seed)),
          input(composite_input(test::random_matrix(200, 8, seed + 1))),
          model{.dictionaries = test::random_dictionaries(3, 6, 8, seed + 2), .epsilon = epsilon} {
        tie_offsets(model);
        if (offsets == Offsets::free)
            for (std::size_t w = 0; w < model.word_offsets.size(); ++w)
                model.word_offsets[w] += 0.1f * static_cast<float>(w % 5);
    }

    CompositeData data() const { return {input.view(), codes}; }
    double objective(const CompositePenalty& penalty) const {
        return evaluate(data(), model, penalty, {}).objective(penalty);
    }

    Matrix<std::uint8_t> codes;
    CompositeInput input;
    CompositeModel model;
};

TEST(Descend, NeverRaisesTheObjectiveAndReturnsIt) {
    for (const Offsets offsets : {Offsets::tied, Offsets::free})
        for (const double mu : {0.0, 0.01, 1.0, 100.0})
            for (const auto& [theta, absolute] : {std::pair{0.0, 0.0}, {0.4, 0.0}, {0.0, 1.0}}) {
                const CompositePenalty penalty{mu, theta, 1, offsets, absolute};
                Problem problem(offsets);
                double before = problem.objective(penalty);
                for (const int iterations : {1, 2, 8, 8}) {
                    const double after =
                        descend(problem.data(), penalty, {.iterations = iterations}, {}, problem.model);
                    EXPECT_LE(after, before * (1 + 1e-9));
                    EXPECT_NEAR(after, problem.objective(penalty), 1e-9 * after);
                    before = after;
                }
            }
}

TEST(Descend, LowersAnObjectiveThatIsFarFromItsMinimum) {
    for (const Offsets offsets : {Offsets::tied, Offsets::free}) {
        const CompositePenalty penalty{0.1, 0, 1, offsets};
        Problem problem(offsets);
        const double before = problem.objective(penalty);
        EXPECT_LT(descend(problem.data(), penalty, {.iterations = 8}, {}, problem.model), 0.5 * before);
    }
}

TEST(Descend, KeepsZerosAtZeroWhereOnlyTheOthersMayChange) {
    for (const Offsets offsets : {Offsets::tied, Offsets::free}) {
        const CompositePenalty penalty{0.1, 0, 1, offsets};
        Problem problem(offsets);
        for (std::size_t i = 0; i < problem.model.dictionaries.rows.size(); i += 3)
            problem.model.dictionaries.rows.data()[i] = 0;
        const double before = problem.objective(penalty);
        EXPECT_LT(descend(problem.data(), penalty, {.iterations = 8}, {}, problem.model, Support::nonzeros),
                  0.7 * before);
        for (std::size_t i = 0; i < problem.model.dictionaries.rows.size(); ++i)
            EXPECT_EQ(problem.model.dictionaries.rows.data()[i] == 0, i % 3 == 0);
    }
}

TEST(Descend, KeepsTiedOffsetsTied) {
    Problem problem(Offsets::tied);
    descend(problem.data(), {0.1, 0, 1, Offsets::tied}, {.iterations = 8}, {}, problem.model);
    CompositeModel tied = problem.model;
    tie_offsets(tied);
    EXPECT_EQ(problem.model.word_offsets, tied.word_offsets);
}

TEST(Descend, WithoutAPenaltyReachesTheLeastSquaresSolution) {
    const CompositePenalty penalty{0, 0, 1, Offsets::free};
    Problem closed(Offsets::free), iterated(Offsets::free);
    for (int turn = 0; turn < 20; ++turn) solve_dictionaries(closed.data(), 1, {}, closed.model.dictionaries);
    descend(iterated.data(), penalty, {.iterations = 200}, {}, iterated.model);
    EXPECT_NEAR(iterated.objective(penalty), closed.objective(penalty), 1e-3 * closed.objective(penalty));
}

TEST(Descend, IsTheSameForEveryThreadCountAndKernelLevel) {
    const CompositePenalty penalty{0.1, 0.4, 1, Offsets::free};
    Problem expected(Offsets::free);
    descend(expected.data(), penalty, {.iterations = 8}, {.threads = 1}, expected.model);
    test::with_each_level([&] {
        Problem problem(Offsets::free);
        descend(problem.data(), penalty, {.iterations = 8}, {.threads = 2}, problem.model);
        EXPECT_EQ(problem.model.dictionaries, expected.model.dictionaries);
        EXPECT_EQ(problem.model.word_offsets, expected.model.word_offsets);
    });
}

TEST(Descend, PassesACancellationThroughTheSolver) {
    std::stop_source source;
    source.request_stop();
    Problem problem(Offsets::tied);
    EXPECT_THROW(descend(problem.data(), {0.1, 0, 1, Offsets::tied}, {.iterations = 8}, {.stop = source.get_token()},
                         problem.model),
                 Cancelled);
}

TEST(SolveDictionaries, NeverRaisesTheErrorAndKeepsUnusedWords) {
    Problem problem(Offsets::free);
    for (std::size_t n = 0; n < problem.codes.rows(); ++n)
        problem.codes[n][2] = static_cast<std::uint8_t>(problem.codes[n][2] % 5);
    const std::vector<float> unused(problem.model.dictionaries.word(2, 5), problem.model.dictionaries.word(2, 5) + 8);
    double before = problem.objective({});
    for (int turn = 0; turn < 5; ++turn) {
        solve_dictionaries(problem.data(), 1, {}, problem.model.dictionaries);
        const double after = problem.objective({});
        EXPECT_LE(after, before * (1 + 1e-6));
        before = after;
    }
    for (std::size_t d = 0; d < 8; ++d) EXPECT_NEAR(problem.model.dictionaries.word(2, 5)[d], unused[d], 1e-4);
}

// At the minimiser of Σ|r|² + |d - start|², every word's gradient vanishes.
TEST(SolveDictionaries, SolvesTheNormalEquations) {
    Problem problem(Offsets::free);
    const Dictionaries start = problem.model.dictionaries;
    solve_dictionaries(problem.data(), 1, {}, problem.model.dictionaries);
    CompositeGradient gradient;
    evaluate(problem.data(), problem.model, {0, 0, 1, Offsets::free}, {}, &gradient);
    for (std::size_t i = 0; i < gradient.words.size(); ++i) {
        const double ridge = 2 * (double{problem.model.dictionaries.rows.data()[i]} - double{start.rows.data()[i]});
        EXPECT_NEAR(gradient.words[i] * 200 + ridge, 0, 1e-2);
    }
}

double plain_cross_products(const Dictionaries& words) {
    double total = 0;
    for (std::size_t a = 0; a < words.rows.rows(); ++a)
        for (std::size_t b = 0; b < words.rows.rows(); ++b)
            if (a / words.words != b / words.words) {
                const double product = test::dot(words.rows.row(a), words.rows.row(b), words.dimensions());
                total += product * product;
            }
    return total;
}

TEST(SquaredCrossProducts, AreTheFormulaAndItsGradient) {
    const Dictionaries words = test::random_dictionaries(3, 4, 5, 9);
    constexpr double kWeight = 0.7, kStep = 1.0 / 256;
    std::vector<double> gradient(words.rows.size(), 1.0);  // what is there is kept
    const double value = squared_cross_products(words, kWeight, {}, &gradient);
    EXPECT_NEAR(value, plain_cross_products(words), 1e-4 * value);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        Dictionaries up = words, down = words;
        up.rows.data()[i] += static_cast<float>(kStep);
        down.rows.data()[i] -= static_cast<float>(kStep);
        const double width = double{up.rows.data()[i]} - double{down.rows.data()[i]};
        const double slope = (plain_cross_products(up) - plain_cross_products(down)) / width;
        EXPECT_NEAR(gradient[i] - 1, kWeight * slope, 1e-3 * (1 + std::abs(slope)));
    }
}

TEST(SquaredCrossProducts, OfOrthogonalDictionariesAreZero) {
    Dictionaries words = test::random_dictionaries(2, 4, 6, 10);
    for (std::size_t k = 0; k < 4; ++k) {
        std::fill_n(words.word(0, k) + 3, 3, 0.0f);
        std::fill_n(words.word(1, k), 3, 0.0f);
    }
    EXPECT_EQ(squared_cross_products(words, 1, {}, nullptr), 0);
}

TEST(DescendOrthogonal, NeverRaisesItsObjective) {
    for (const double penalty : {0.0, 0.001, 0.1}) {
        Problem problem(Offsets::free);
        const auto objective = [&] {
            return evaluate(problem.data(), problem.model, {0, 0, 1, Offsets::free}, {}).error +
                   penalty * plain_cross_products(problem.model.dictionaries);
        };
        double before = objective();
        for (int turn = 0; turn < 3; ++turn) {
            const double after = descend_orthogonal(problem.data(), penalty, {.iterations = 6}, {}, problem.model);
            EXPECT_LE(after, before * (1 + 1e-6));
            EXPECT_NEAR(after, objective(), 1e-3 * after);
            before = after;
        }
    }
}

}  // namespace
}  // namespace summand
