#include "io/convert.h"

#include "io/support.h"

namespace summand::test {

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
