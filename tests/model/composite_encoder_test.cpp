#include "model/composite_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/data.h"

namespace summand {
namespace {

struct Shape {
    std::size_t dictionaries = 3, words = 8, dimensions = 6, rows = 60;
    CodePenalty penalty = {};
    std::uint64_t seed = 1;
};

// A random model with random vectors, and the cost of a code by the formula of composite_encoder.h in double.
struct Problem {
    explicit Problem(const Shape& shape)
        : dictionaries(test::random_dictionaries(shape.dictionaries, shape.words, shape.dimensions, shape.seed)),
          penalty(shape.penalty) {
        Random random(shape.seed + 1);
        for (std::size_t w = 0; w < dictionaries.rows.rows(); ++w) {
            const float* word = dictionaries.rows.row(w);
            offsets.push_back(static_cast<float>(test::dot(word, word, shape.dimensions) + random.gaussian()));
        }
        Matrix<float> vectors = test::random_matrix(shape.rows, shape.dimensions, shape.seed + 3);
        for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] *= 2;
        input = composite_input(std::move(vectors));
    }

    double cost(std::size_t i, const std::uint8_t* code) const {
        const std::size_t D = dictionaries.dimensions();
        const std::vector<float> sum = test::sum_of_words(dictionaries, code);
        const double error = test::squared_distance(input.vectors.row(i), sum.data(), D);
        const double excess = excess_of(i, code, sum, error);
        return error + double{penalty.penalty} * excess * excess + double{penalty.absolute} * std::abs(excess);
    }

    /// How far the rounded table of inner products may be from the truth, in the cost of code i.
    double rounding(std::size_t i, const std::uint8_t* code) const {
        const std::size_t M = dictionaries.count, K = dictionaries.words, D = dictionaries.dimensions();
        double largest = 0;
        for (std::size_t a = 0; a < M * K; ++a)
            for (std::size_t b = 0; b < M * K; ++b)
                if (a / K != b / K)
                    largest =
                        std::max(largest, std::abs(test::dot(dictionaries.rows.row(a), dictionaries.rows.row(b), D)));
        const double pairs = static_cast<double>(M * M) * largest * static_cast<double>(M) / 32000;
        const std::vector<float> sum = test::sum_of_words(dictionaries, code);
        const double error = test::squared_distance(input.vectors.row(i), sum.data(), D);
        const double slope =
            2 * double{penalty.penalty} * (std::abs(excess_of(i, code, sum, error)) + 1) + double{penalty.absolute};
        return pairs * (1 + slope * std::abs(1 - double{penalty.theta})) + 1e-4;
    }

    CompositeEncoder encoder() const { return {dictionaries, offsets, penalty, {}}; }

    Dictionaries dictionaries;
    std::vector<float> offsets;
    CodePenalty penalty;
    CompositeInput input;

private:
    double excess_of(std::size_t i, const std::uint8_t* code, const std::vector<float>& sum, double error) const {
        const float* y = input.vectors.row(i);
        const std::size_t D = sum.size();
        const double norm = test::dot(y, y, D), product = norm - test::dot(y, sum.data(), D);
        double excess = double{penalty.norm} * norm - 2 * double{penalty.expectation} * product +
                        (1 - double{penalty.theta}) * error;
        for (std::size_t m = 0; m < dictionaries.count; ++m)
            excess -= double{offsets[m * dictionaries.words + code[m]]};
        return excess;
    }
};

constexpr CodePenalty kPenalties[] = {
    {0, 0},          {0.05f, 0},   {0.05f, 0.4f},          {1, -0.2f},        {0.05f, 0, 0.5f},
    {1, 0.3f, 0.8f}, {0, 0, 1, 1}, {0.05f, 0, 0.8f, 0.5f}, {0.5f, 1, 1, 0, 0}};

template <class Body>
void for_each_problem(std::size_t dictionaries, const Body& body) {
    std::uint64_t seed = 1;
    for (const CodePenalty& penalty : kPenalties)
        for (int repeat = 0; repeat < 2; ++repeat)
            body(Problem({.dictionaries = dictionaries, .penalty = penalty, .seed = ++seed}));
}

TEST(CompositeInput, KnowsTheNormsOfItsVectors) {
    const Problem problem({});
    const CompositeView view = problem.input.view().slice(5, 20);
    for (std::size_t i = 0; i < view.rows(); ++i)
        EXPECT_NEAR(view.squared_norms[i], test::dot(view.vectors.row(i), view.vectors.row(i), 6), 1e-4);
}

TEST(CompositeEncoder, WithOneDictionaryFindsTheOptimum) {
    for_each_problem(1, [](const Problem& problem) {
        const Matrix<std::uint8_t> codes = problem.encoder().encode(problem.input.view(), {}, {});
        for (std::size_t i = 0; i < codes.rows(); ++i) {
            double smallest = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < problem.dictionaries.words; ++k) {
                const auto word = static_cast<std::uint8_t>(k);
                smallest = std::min(smallest, problem.cost(i, &word));
            }
            EXPECT_NEAR(problem.cost(i, codes.row(i)), smallest, 1e-3 * (1 + smallest));
        }
    });
}

TEST(CompositeEncoder, NoSingleChangeOfASettledCodeLowersItsCost) {
    for (const std::size_t dictionaries : {2, 3})
        for_each_problem(dictionaries, [&](const Problem& problem) {
            const Matrix<std::uint8_t> codes = problem.encoder().encode(problem.input.view(), {.sweeps = 100}, {});
            for (std::size_t i = 0; i < codes.rows(); ++i) {
                const double cost = problem.cost(i, codes.row(i));
                std::vector<std::uint8_t> other(codes.row(i), codes.row(i) + dictionaries);
                for (std::size_t m = 0; m < dictionaries; ++m) {
                    for (std::size_t k = 0; k < problem.dictionaries.words; ++k) {
                        other[m] = static_cast<std::uint8_t>(k);
                        EXPECT_GE(problem.cost(i, other.data()), cost - 2 * problem.rounding(i, codes.row(i)));
                    }
                    other[m] = codes[i][m];
                }
            }
        });
}

TEST(CompositeEncoder, LocalSearchFindsTheOptimumOfTinyProblems) {
    for_each_problem(2, [](const Problem& problem) {
        const Matrix<std::uint8_t> codes =
            problem.encoder().encode(problem.input.view(), {.sweeps = 10, .perturbations = 200}, {});
        for (std::size_t i = 0; i < codes.rows(); ++i) {
            double smallest = std::numeric_limits<double>::infinity();
            for (std::uint8_t a = 0; a < problem.dictionaries.words; ++a)
                for (std::uint8_t b = 0; b < problem.dictionaries.words; ++b) {
                    const std::uint8_t code[] = {a, b};
                    smallest = std::min(smallest, problem.cost(i, code));
                }
            EXPECT_LE(problem.cost(i, codes.row(i)), smallest + 2 * problem.rounding(i, codes.row(i)));
        }
    });
}

TEST(CompositeEncoder, MorePerturbationsNeverRaiseTheCost) {
    for_each_problem(3, [](const Problem& problem) {
        const CompositeEncoder encoder = problem.encoder();
        Matrix<std::uint8_t> before = encoder.encode(problem.input.view(), {.perturbations = 0, .seed = 5}, {});
        for (const int rounds : {1, 2, 4, 16}) {
            const Matrix<std::uint8_t> codes =
                encoder.encode(problem.input.view(), {.perturbations = rounds, .seed = 5}, {});
            for (std::size_t i = 0; i < codes.rows(); ++i)
                EXPECT_LE(problem.cost(i, codes.row(i)),
                          problem.cost(i, before.row(i)) + 2 * problem.rounding(i, before.row(i)));
            before = codes;
        }
    });
}

TEST(CompositeEncoder, ImproveNeverRaisesTheExactCostOfAnyVector) {
    for (const std::size_t dictionaries : {1, 2, 3})
        for_each_problem(dictionaries, [&](const Problem& problem) {
            const CompositeEncoder encoder = problem.encoder();
            Matrix<std::uint8_t> codes = test::random_code_rows(problem.input.view().rows(), dictionaries, 8, 9);
            for (const std::uint64_t step : {0, 1, 2, 3}) {
                const Matrix<std::uint8_t> before = codes;
                encoder.improve(problem.input.view(), {.sweeps = 1, .perturbations = 1, .seed = step}, {}, codes);
                for (std::size_t i = 0; i < codes.rows(); ++i) {
                    const double cost = problem.cost(i, before.row(i));
                    EXPECT_LE(problem.cost(i, codes.row(i)), cost + 1e-4 * (1 + cost));
                }
            }
        });
}

TEST(CompositeEncoder, ImproveKeepsTheBestCodes) {
    for_each_problem(2, [](const Problem& problem) {
        Matrix<std::uint8_t> best =
            problem.encoder().encode(problem.input.view(), {.sweeps = 20, .perturbations = 200}, {});
        const Matrix<std::uint8_t> before = best;
        problem.encoder().improve(problem.input.view(), {.sweeps = 5, .perturbations = 5, .seed = 77}, {}, best);
        for (std::size_t i = 0; i < best.rows(); ++i)
            EXPECT_NEAR(problem.cost(i, best.row(i)), problem.cost(i, before.row(i)),
                        2 * problem.rounding(i, before.row(i)));
    });
}

TEST(CompositeEncoder, TheSeedDecidesTheSearchAndNotThePosition) {
    const Problem problem({.dictionaries = 3, .words = 40, .rows = 300});
    const CompositeEncoder encoder = problem.encoder();
    const Matrix<std::uint8_t> codes = encoder.encode(problem.input.view(), {.perturbations = 3, .seed = 1}, {});
    EXPECT_NE(codes, encoder.encode(problem.input.view(), {.perturbations = 3, .seed = 2}, {}));
    for (const std::size_t first : {1, 31, 32, 255, 256, 290}) {
        const Matrix<std::uint8_t> part =
            encoder.encode(problem.input.view().slice(first, 9), {.perturbations = 3, .seed = 1}, {});
        EXPECT_TRUE(std::equal(part.data(), part.data() + part.size(), codes.row(first)));
    }
}

TEST(CompositeEncoder, GivesTheSameCodesForEveryThreadCountAndKernelLevel) {
    for (const std::size_t words : {2, 16, 33, 256}) {
        const Problem problem({.dictionaries = 4, .words = words, .rows = 520, .penalty = {0.02f, 0.3f}});
        const auto codes = [&](unsigned threads) {
            return CompositeEncoder(problem.dictionaries, problem.offsets, problem.penalty, {.threads = threads})
                .encode(problem.input.view(), {.perturbations = 3}, {.threads = threads});
        };
        const Matrix<std::uint8_t> expected = codes(1);
        EXPECT_EQ(codes(2), expected);
        test::with_each_level([&] { EXPECT_EQ(codes(2), expected); });
    }
}

TEST(CompositeEncoder, ManyDictionariesStayInTheRangeOfTheirTable) {
    // Words that all point the same way: every sum of M-1 inner products is as large as it can be.
    Problem problem({.dictionaries = kMaxDictionaries, .words = 3, .dimensions = 2, .rows = 10});
    for (std::size_t w = 0; w < problem.dictionaries.rows.rows(); ++w)
        for (std::size_t d = 0; d < 2; ++d) problem.dictionaries.rows[w][d] = 1 + 0.1f * static_cast<float>(w % 3);
    const Matrix<std::uint8_t> codes = problem.encoder().encode(problem.input.view(), {.sweeps = 5}, {});
    // The vectors lie near the origin, so the shortest words are best.
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes.data()[i], 0);
}

}  // namespace
TEST(CompositeEncoder, RefusesWordsWhoseProductsOverflow) {
    Dictionaries words = test::random_dictionaries(2, 4, 6, 1);
    for (std::size_t i = 0; i < words.rows.size(); ++i) words.rows.data()[i] *= 1e25f;
    test::expect_error([&] { CompositeEncoder(words, std::vector<float>(8), {}, {}); },
                       {"encode: the inner products of the words exceed the range of floats"});
}

}  // namespace summand
