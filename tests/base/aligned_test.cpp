#include "base/aligned.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace summand::test {
namespace {

// A system call that asks about pages fails for addresses that are not mapped.
bool is_mapped(void* page) {
    unsigned char resident = 0;
    return mincore(page, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), &resident) == 0;
}

}  // namespace

TEST(AlignedBuffer, LargePagesGoBackToTheSystem) {
    char* data = nullptr;
    {
        auto buffer = AlignedBuffer<char>::in_large_pages(5'000'000);
        data = buffer.data();
        std::fill_n(data, buffer.size(), char{1});
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (std::size_t{2} << 20), 0u);
        EXPECT_TRUE(is_mapped(data));
        auto moved = std::move(buffer);
        EXPECT_EQ(moved.data(), data);
        EXPECT_EQ(moved[4'999'999], 1);
    }
    EXPECT_FALSE(is_mapped(data));
}

TEST(AlignedBuffer, LittleMemoryIsAlignedToACacheLine) {
    for (const std::size_t size : {1u, 63u, 1000u}) {
        const auto buffer = AlignedBuffer<std::int16_t>::in_large_pages(size);
        EXPECT_EQ(buffer.size(), size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kCacheLine, 0u);
    }
}

}  // namespace summand::test
