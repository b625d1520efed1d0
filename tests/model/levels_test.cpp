#include "model/levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/data.h"

namespace summand {
namespace {

// Two dictionaries of random words and one of levels.
Quantizer with_level_dictionary() {
    Quantizer model;
    model.centre.assign(4, 0.0f);
    model.dictionaries = test::random_dictionaries(3, 6, 4, 1);
    std::fill_n(model.dictionaries.word(2, 0), 6 * 4, 0.0f);
    model.word_offsets.assign(12, 0.5f);
    for (const float level : {-3.0f, 0.0f, 1.0f, 2.0f, 4.0f, 9.0f}) model.word_offsets.push_back(level);
    return model;
}

TEST(Levels, AreZeroWordsAtTheEnd) {
    Quantizer model = with_level_dictionary();
    EXPECT_TRUE(has_levels(model.dictionaries));
    const Dictionaries rest = without_levels(model.dictionaries);
    EXPECT_EQ(rest.count, 2u);
    EXPECT_EQ(rest.rows.rows(), 12u);
    EXPECT_FALSE(has_levels(rest));
    EXPECT_EQ(without_levels(rest), rest);
    model.dictionaries.word(2, 5)[3] = 1e-30f;
    EXPECT_FALSE(has_levels(model.dictionaries));
    EXPECT_FALSE(has_levels({.count = 1, .words = 2, .rows = Matrix<float>(2, 3)}));
}

TEST(Levels, TheNearestToTheNormIsChosen) {
    const Quantizer model = with_level_dictionary();
    const Matrix<std::uint8_t> codes = test::random_code_rows(50, 2, 6, 2);
    const Matrix<std::uint8_t> longer = with_levels(model, codes, {});
    ASSERT_EQ(longer.columns(), 3u);
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        EXPECT_EQ(longer[i][0], codes[i][0]);
        EXPECT_EQ(longer[i][1], codes[i][1]);
        const std::vector<float> sum = test::sum_of_words(model.dictionaries, longer.row(i));
        const double target = test::dot(sum.data(), sum.data(), 4) - 1;  // less the offsets of the two words
        for (std::size_t k = 0; k < 6; ++k)
            EXPECT_LE(std::abs(double{model.word_offsets[12 + longer[i][2]]} - target),
                      std::abs(double{model.word_offsets[12 + k]} - target) + 1e-4);
    }
}

TEST(Levels, CodesOfAModelWithoutThemStayAsTheyAre) {
    Quantizer model = with_level_dictionary();
    model.dictionaries.word(2, 0)[0] = 1;
    const Matrix<std::uint8_t> codes = test::random_code_rows(5, 3, 6, 3);
    EXPECT_EQ(with_levels(model, codes, {}), codes);
}

}  // namespace
}  // namespace summand
