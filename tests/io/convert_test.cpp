#include "io/convert.h"

#include <cmath>

#include "io/support.h"

namespace summand::test {

// The definition: sign, five bits of exponent biased by 15, ten bits of fraction.
TEST(Convert, EveryHalfIsTheNumberItsBitsMean) {
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

TEST(Convert, WholeNumbersSurviveTheRoundTrip) {
    for (const Stored type : {Stored::uint8, Stored::int8, Stored::int32}) {
        const Range range = range_of(type);
        const std::vector<float> values{0, 1, 100, static_cast<float>(std::max<std::int64_t>(range.smallest, -1000)),
                                        127};
        std::vector<std::byte> stored(values.size() * size_of(type));
        std::vector<float> back(values.size());
        from_floats(type, values.data(), values.size(), stored.data());
        to_floats(type, stored.data(), values.size(), back.data());
        EXPECT_EQ(back, values) << name(type);
    }
}

}  // namespace summand::test
