#include "model/word_sum.h"

#include <gtest/gtest.h>

#include "support/data.h"

namespace summand {
namespace {

TEST(WordSums, AddTheWordsOfEachCode) {
    const Dictionaries words = test::random_dictionaries(4, 5, 7, 1);
    const Matrix<std::uint8_t> codes = test::random_code_rows(1500, 4, 5, 2);
    const Matrix<float> sums = word_sums(words, codes, {});
    for (std::size_t i = 0; i < codes.rows(); i += 11) {
        const std::vector<float> expected = test::sum_of_words(words, codes.row(i));
        for (std::size_t d = 0; d < 7; ++d) EXPECT_NEAR(sums[i][d], expected[d], 1e-5);
    }
}

TEST(SquaredError, IsThatOfTheSumAndItsMeanThatOfAll) {
    const Dictionaries words = test::random_dictionaries(3, 5, 7, 3);
    const Matrix<std::uint8_t> codes = test::random_code_rows(1500, 3, 5, 4);
    const Matrix<float> vectors = test::random_matrix(1500, 7, 5);
    double sum = 0;
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        const double expected =
            test::squared_distance(vectors.row(i), test::sum_of_words(words, codes.row(i)).data(), 7);
        EXPECT_NEAR(squared_error(words, vectors.row(i), codes.row(i)), expected, 1e-4);
        sum += expected;
    }
    EXPECT_NEAR(mean_squared_error(words, vectors.view(), codes, {}), sum / 1500, 1e-4);
    EXPECT_EQ(mean_squared_error(words, vectors.view(), codes, {.threads = 1}),
              mean_squared_error(words, vectors.view(), codes, {.threads = 2}));
}

}  // namespace
}  // namespace summand
