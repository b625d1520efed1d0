#include "train/additive_fit.h"

#include <gtest/gtest.h>

#include "math/blas.h"
#include "support/data.h"

namespace summand {
namespace {

struct Problem {
    std::size_t dictionaries, words;
    Matrix<std::uint8_t> codes;
    std::vector<double> targets;
    std::vector<float> start;

    Problem(std::size_t rows, std::size_t M, std::size_t K, std::uint64_t seed)
        : dictionaries(M), words(K), codes(test::random_code_rows(rows, M, K, seed)) {
        Random random(seed + 1);
        for (std::size_t n = 0; n < rows; ++n) targets.push_back(3 * random.gaussian());
        for (std::size_t w = 0; w < M * K; ++w) start.push_back(static_cast<float>(random.gaussian()));
    }

    /// What is minimised, with the ridge towards the start.
    double objective(const std::vector<float>& values) const {
        double sum = loss(values);
        for (std::size_t w = 0; w < values.size(); ++w)
            sum += (double{values[w]} - double{start[w]}) * (double{values[w]} - double{start[w]});
        return sum;
    }

    double loss(const std::vector<float>& values) const {
        double sum = 0;
        for (std::size_t n = 0; n < codes.rows(); ++n) {
            double difference = -targets[n];
            for (std::size_t m = 0; m < dictionaries; ++m) difference += double{values[m * words + codes[n][m]]};
            sum += difference * difference;
        }
        return sum;
    }
};

// The minimiser by dense normal equations: (YᵀY + 1)(b - start) = Yᵀ(target - Y start).
std::vector<float> dense_fit(const Problem& problem) {
    const std::size_t size = problem.start.size();
    Matrix<double> normal(size, size), right(size, 1);
    for (std::size_t n = 0; n < problem.codes.rows(); ++n) {
        double rest = problem.targets[n];
        std::vector<std::size_t> used;
        for (std::size_t m = 0; m < problem.dictionaries; ++m) used.push_back(m * problem.words + problem.codes[n][m]);
        for (const std::size_t w : used) rest -= double{problem.start[w]};
        for (const std::size_t a : used) {
            right[a][0] += rest;
            for (const std::size_t b : used) normal[a][b] += 1;
        }
    }
    for (std::size_t w = 0; w < size; ++w) normal[w][w] += 1;
    const Matrix<double> change = solve_positive_definite(std::move(normal), std::move(right));
    std::vector<float> result;
    for (std::size_t w = 0; w < size; ++w)
        result.push_back(static_cast<float>(double{problem.start[w]} + change[w][0]));
    return result;
}

// A constant moved from one dictionary to another changes only the ridge, so the objectives are compared.
TEST(FitAdditive, ReachesTheMinimumOfTheNormalEquations) {
    for (const std::size_t dictionaries : {1, 2, 4})
        for (const std::size_t words : {2, 16, 40}) {
            const Problem problem(500, dictionaries, words, dictionaries * words);
            std::vector<float> values = problem.start;
            fit_additive(problem.codes, problem.targets, words, {}, values);
            const double least = problem.objective(dense_fit(problem));
            EXPECT_NEAR(problem.objective(values), least, 1e-5 * least);
            EXPECT_GE(problem.objective(values), least * (1 - 1e-6));
        }
}

TEST(FitAdditive, NeverRaisesTheSumOfSquares) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Problem problem(80, 3, 30, seed);
        std::vector<float> values = problem.start;
        double before = problem.loss(values);
        for (int turn = 0; turn < 4; ++turn) {
            fit_additive(problem.codes, problem.targets, 30, {}, values);
            EXPECT_LE(problem.loss(values), before * (1 + 1e-6));
            before = problem.loss(values);
        }
    }
}

TEST(FitAdditive, LeavesWordsThatNobodyUses) {
    Problem problem(60, 2, 8, 3);
    for (std::size_t n = 0; n < 60; ++n) problem.codes[n][1] = static_cast<std::uint8_t>(problem.codes[n][1] % 4);
    std::vector<float> values = problem.start;
    fit_additive(problem.codes, problem.targets, 8, {}, values);
    for (std::size_t k = 4; k < 8; ++k) EXPECT_EQ(values[8 + k], problem.start[8 + k]);
}

TEST(FitAdditive, KeepsAPerfectFit) {
    Problem problem(100, 3, 6, 5);
    for (std::size_t n = 0; n < 100; ++n) {
        problem.targets[n] = 0;
        for (std::size_t m = 0; m < 3; ++m) problem.targets[n] += double{problem.start[m * 6 + problem.codes[n][m]]};
    }
    std::vector<float> values = problem.start;
    fit_additive(problem.codes, problem.targets, 6, {}, values);
    EXPECT_EQ(values, problem.start);
}

TEST(FitAdditive, IsTheSameForEveryThreadCount) {
    const Problem problem(300, 3, 16, 7);
    std::vector<float> one = problem.start, two = problem.start;
    fit_additive(problem.codes, problem.targets, 16, {.threads = 1}, one);
    fit_additive(problem.codes, problem.targets, 16, {.threads = 2}, two);
    EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace summand
