#include "summand/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace summand {
namespace {

TEST(Half, EveryHalfIsTheNumberItsBitsMean) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const int exponent = static_cast<int>(bits >> 10 & 31);
        const double fraction = static_cast<double>(bits & 1023) / 1024;
        const double sign = (bits & 0x8000) != 0 ? -1 : 1;
        const float got = half_to_float(static_cast<std::uint16_t>(bits));
        if (exponent == 31) {
            EXPECT_EQ(std::isnan(got), fraction != 0);
            EXPECT_FALSE(std::isfinite(got));
        } else {
            const double size = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
            EXPECT_EQ(got, static_cast<float>(sign * size));
            EXPECT_EQ(std::signbit(got), sign < 0);
        }
    }
}

TEST(Half, EveryHalfComesBack) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const float value = half_to_float(static_cast<std::uint16_t>(bits));
        if (std::isnan(value)) continue;
        EXPECT_EQ(half_of(value), bits);
    }
    EXPECT_TRUE(std::isnan(half_to_float(half_of(std::numeric_limits<float>::quiet_NaN()))));
}

// Between two neighbours: the nearer one, and in the middle the even one.
TEST(Half, RoundsToTheNearest) {
    for (unsigned bits = 0; bits + 1 < 0x7c00; ++bits) {
        const float below = half_to_float(static_cast<std::uint16_t>(bits));
        const float above = half_to_float(static_cast<std::uint16_t>(bits + 1));
        const float middle = below + (above - below) / 2;
        EXPECT_EQ(half_of(middle), bits + (bits & 1));
        EXPECT_EQ(half_of(std::nextafter(middle, below)), bits);
        EXPECT_EQ(half_of(std::nextafter(middle, above)), bits + 1);
        EXPECT_EQ(half_of(-middle), 0x8000 + bits + (bits & 1));
    }
}

TEST(Half, WhatIsTooLargeBecomesInfinite) {
    EXPECT_EQ(half_to_float(half_of(kLargestHalf)), kLargestHalf);
    EXPECT_EQ(half_to_float(half_of(65519.9f)), kLargestHalf);
    for (const float value : {65520.0f, 65536.0f, 1e30f, std::numeric_limits<float>::infinity()})
        EXPECT_TRUE(std::isinf(half_to_float(half_of(value)))) << value;
}

}  // namespace
}  // namespace summand
