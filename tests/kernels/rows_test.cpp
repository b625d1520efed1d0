#include "kernels/rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "kernels/kernels.h"
#include "summand/half.h"

namespace summand {
namespace {

constexpr std::size_t kSizes[] = {1, 3, 15, 16, 17, 31, 32, 100, 128, 129, 784};

template <class Body>
void for_each_level_and_size(const Body& body) {
    Random random(1);
    for (const std::size_t size : kSizes) {
        std::vector<float> query(size), steps(size);
        for (float& x : query) x = static_cast<float>(10 * random.gaussian());
        for (float& x : steps) x = static_cast<float>(random.uniform());
        for (std::size_t i = 0; i < available_kernels().count; ++i) {
            SCOPED_TRACE(available_kernels().levels[i]->name);
            body(*available_kernels().levels[i], query, steps);
        }
    }
}

std::vector<std::uint8_t> random_bytes(std::size_t size) {
    Random random(2);
    std::vector<std::uint8_t> bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    return bytes;
}

// The scalar level's `dot` and `squared_distance` of the widened row are the definition.
const Kernels& plain() { return *available_kernels().levels[0]; }

TEST(Rows, OfHalvesHaveTheBitsOfTheWidenedRow) {
    for_each_level_and_size([](const Kernels& level, const std::vector<float>& query, const std::vector<float>&) {
        std::vector<std::uint16_t> row;
        std::vector<float> wide;
        for (std::size_t d = 0; d < query.size(); ++d) {
            row.push_back(half_of(query[query.size() - 1 - d] * (d % 3 == 0 ? 1e-6f : 1.0f)));
            wide.push_back(half_to_float(row.back()));
        }
        EXPECT_EQ(level.rows.half_dot(query.data(), row.data(), row.size()),
                  plain().dot(query.data(), wide.data(), row.size()));
        EXPECT_EQ(level.rows.half_distance(query.data(), row.data(), row.size()),
                  plain().squared_distance(query.data(), wide.data(), row.size()));
    });
}

TEST(Rows, EveryFiniteHalfIsWidenedExactly) {
    std::vector<std::uint16_t> halves;
    for (unsigned bits = 0; bits < 0x10000; ++bits)
        if ((bits & 0x7c00) != 0x7c00) halves.push_back(static_cast<std::uint16_t>(bits));
    const std::vector<float> zero(16), one(1, 1.0f);
    for (std::size_t i = 0; i < available_kernels().count; ++i) {
        const RowKernels& rows = available_kernels().levels[i]->rows;
        for (const std::uint16_t half : halves) {
            const float value = half_to_float(half);
            ASSERT_EQ(rows.half_dot(one.data(), &half, 1), value);
            std::uint16_t row[16] = {};
            row[half % 16] = half;
            ASSERT_EQ(rows.half_distance(zero.data(), row, 16), value * value);
        }
    }
}

TEST(Rows, OfBytesHaveTheBitsOfTheWidenedRow) {
    for_each_level_and_size([](const Kernels& level, const std::vector<float>& query, const std::vector<float>& steps) {
        const std::vector<std::uint8_t> row = random_bytes(query.size());
        const std::vector<float> wide(row.begin(), row.end());
        std::vector<float> scaled, stepped;
        for (std::size_t d = 0; d < row.size(); ++d) {
            scaled.push_back(0.37f * wide[d]);
            stepped.push_back(steps[d] * wide[d]);
        }
        const std::size_t size = row.size();
        EXPECT_EQ(level.rows.byte_dot(query.data(), row.data(), size), plain().dot(query.data(), wide.data(), size));
        EXPECT_EQ(level.rows.byte_distance(query.data(), 0.37f, row.data(), size),
                  plain().squared_distance(query.data(), scaled.data(), size));
        EXPECT_EQ(level.rows.stepped_distance(query.data(), steps.data(), row.data(), size),
                  plain().squared_distance(query.data(), stepped.data(), size));
    });
}

TEST(Rows, SquaresOfBytesAreCountedInIntegers) {
    for (const std::size_t size : {1u, 100u, 65'536u, 65'537u, 200'000u})
        for (std::size_t i = 0; i < available_kernels().count; ++i) {
            const std::vector<std::uint8_t> row = random_bytes(size), most(size, 255);
            std::uint64_t expected = 0;
            for (const std::uint64_t x : row) expected += x * x;
            EXPECT_EQ(available_kernels().levels[i]->rows.byte_squares(row.data(), size), expected);
            EXPECT_EQ(available_kernels().levels[i]->rows.byte_squares(most.data(), size), 65'025 * size);
        }
}

}  // namespace
}  // namespace summand
