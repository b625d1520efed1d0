#include "train/near_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/data.h"

namespace summand {
namespace {

Matrix<float> centred(std::size_t rows, std::size_t columns) {
    Matrix<float> vectors = test::clustered(rows, columns);
    for (std::size_t d = 0; d < columns; ++d) {
        double mean = 0;
        for (std::size_t i = 0; i < rows; ++i) mean += double{vectors[i][d]} / static_cast<double>(rows);
        for (std::size_t i = 0; i < rows; ++i) vectors[i][d] -= static_cast<float>(mean);
    }
    return vectors;
}

TEST(NearPairs, AreTheNearestOfBruteForce) {
    const Matrix<float> vectors = centred(200, 6);
    std::vector<std::set<std::size_t>> near(200);
    for (const auto& [x, q] : near_pairs(vectors.view(), {})) near[q].insert(x);
    for (std::size_t q = 0; q < 200; ++q) {
        ASSERT_EQ(near[q].size(), 50u);
        EXPECT_FALSE(near[q].contains(q));
        double farthest = 0;
        std::vector<double> distances;
        for (std::size_t x = 0; x < 200; ++x) {
            const double distance = test::squared_distance(vectors.row(x), vectors.row(q), 6);
            if (x != q) distances.push_back(distance);
            if (near[q].contains(x)) farthest = std::max(farthest, distance);
        }
        std::nth_element(distances.begin(), distances.begin() + 49, distances.end());
        EXPECT_NEAR(farthest, distances[49], 1e-3);
    }
}

TEST(NearPairs, AreAllOthersWhereThereAreFew) {
    EXPECT_EQ(near_pairs(centred(5, 3).view(), {}).size(), 20u);
    EXPECT_TRUE(near_pairs(Matrix<float>(1, 3).view(), {}).empty());
}

TEST(NearPairs, AreTheSameForEveryThreadCount) {
    const Matrix<float> vectors = centred(600, 6);
    EXPECT_EQ(near_pairs(vectors.view(), {.threads = 1}), near_pairs(vectors.view(), {.threads = 2}));
}

TEST(ScoreVariance, IsTheFormulaOfItsHeader) {
    const Matrix<float> vectors = centred(120, 5);
    const Dictionaries words = test::random_dictionaries(2, 4, 5, 3);
    const Matrix<std::uint8_t> codes = test::random_code_rows(120, 2, 4, 4);
    const NearPairs pairs = near_pairs(vectors.view(), {});
    for (const OffsetRule rule : {OffsetRule{1, 0}, OffsetRule{1, 0.4}, OffsetRule{0.7, -0.2}}) {
        double values = 0, squares = 0, errors = 0;
        for (const auto& [x, q] : pairs) {
            const std::vector<float> sum = test::sum_of_words(words, codes.row(x));
            double value = 0, error = 0;
            for (std::size_t d = 0; d < 5; ++d) {
                const double r = double{vectors[x][d]} - double{sum[d]};
                value += r * (double{vectors[q][d]} - rule.expectation * double{vectors[x][d]});
                error += r * r;
            }
            value += (1 - rule.theta) / 2 * error;
            values += value;
            squares += value * value;
            errors += error;
        }
        const double count = static_cast<double>(pairs.size());
        const double expected = (squares / count - values * values / count / count) / (errors / count);
        EXPECT_NEAR(score_variance(vectors.view(), pairs, rule, words, codes, {}), expected, 1e-3 * expected);
    }
}

TEST(ScoreVariance, OfExactCodesIsZero) {
    const Matrix<float> vectors(20, 3);
    const Dictionaries words{.count = 1, .words = 2, .rows = Matrix<float>(2, 3)};
    EXPECT_EQ(
        score_variance(vectors.view(), near_pairs(vectors.view(), {}), {}, words, Matrix<std::uint8_t>(20, 1), {}), 0);
}

}  // namespace
}  // namespace summand
