#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace summand {
namespace {

TEST(Random, IsTheSameForASeedAndAnotherForAnother) {
    Random a(7), b(7), c(8);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t value = a.next();
        EXPECT_EQ(value, b.next());
        differs |= value != c.next();
    }
    EXPECT_TRUE(differs);
}

// Fixed for ever: models are reproducible across platforms and releases.
TEST(Random, FirstDrawsOfSeedOneDoNotChange) {
    Random random(1);
    EXPECT_EQ(random.next(), 5424204624148110235u);
    EXPECT_EQ(random.next(), 15555979849632202484u);
    EXPECT_EQ(mix(0), 16294208416658607535u);
}

TEST(Random, BelowStaysBelowAndReachesEveryNumber) {
    Random random(2);
    for (const std::size_t n : {1, 2, 3, 10, 100}) {
        std::vector<int> met(n);
        for (int i = 0; i < 3000; ++i) {
            const std::size_t value = random.below(n);
            ASSERT_LT(value, n);
            ++met[value];
        }
        EXPECT_GT(*std::min_element(met.begin(), met.end()), 0);
    }
}

TEST(Random, UniformHasTheMeanAndTheRangeOfItsName) {
    Random random(3);
    double sum = 0;
    for (int i = 0; i < 20000; ++i) {
        const double value = random.uniform();
        ASSERT_GE(value, 0);
        ASSERT_LT(value, 1);
        sum += value;
    }
    EXPECT_NEAR(sum / 20000, 0.5, 0.01);
}

TEST(Random, GaussianHasMeanZeroAndVarianceOne) {
    Random random(4);
    double sum = 0, squares = 0;
    for (int i = 0; i < 20000; ++i) {
        const double value = random.gaussian();
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.03);
    EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(SampleWithoutReplacement, IsAscendingDistinctAndOfTheSizeAsked) {
    for (const std::size_t n : {0, 1, 5, 100})
        for (const std::size_t count : {0, 1, 4, 100, 1000}) {
            Random random(5);
            const std::vector<std::size_t> sample = sample_without_replacement(n, count, random);
            EXPECT_EQ(sample.size(), std::min<std::size_t>(n, count));
            for (const std::size_t i : sample) EXPECT_LT(i, n);
            EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end(), std::greater_equal<>()), sample.end());
        }
}

TEST(SampleWithoutReplacement, GivesEveryNumberTheSameChance) {
    std::vector<int> met(20);
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Random random(seed);
        for (const std::size_t i : sample_without_replacement(20, 5, random)) ++met[i];
    }
    for (const int count : met) EXPECT_NEAR(count, 500, 100);
}

TEST(SampleWithoutReplacement, IsTheSameForASeed) {
    Random a(6), b(6), c(7);
    const auto sample = sample_without_replacement(1000, 20, a);
    EXPECT_EQ(sample, sample_without_replacement(1000, 20, b));
    EXPECT_NE(sample, sample_without_replacement(1000, 20, c));
}

}  // namespace
}  // namespace summand
