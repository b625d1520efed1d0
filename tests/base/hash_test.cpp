#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace summand {
namespace {

constexpr std::string_view kText = "123456789";

TEST(Crc32, HasTheCheckValueOfItsStandard) {
    EXPECT_EQ(crc32_of(kText.data(), kText.size()), 0xcbf43926u);
    EXPECT_EQ(crc32_of(kText.data(), 0), 0u);
}

TEST(Crc32, OfPartsInTurnIsThatOfTheWhole) {
    for (std::size_t cut = 0; cut <= kText.size(); ++cut)
        EXPECT_EQ(crc32_of(kText.data() + cut, kText.size() - cut, crc32_of(kText.data(), cut)),
                  crc32_of(kText.data(), kText.size()));
}

TEST(Crc32, NoticesEveryFlippedBit) {
    std::string text(kText);
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_NE(crc32_of(text.data(), text.size()), 0xcbf43926u);
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    }
}

TEST(Hash64, DiffersForEveryBitLengthAndSeed) {
    std::set<std::uint64_t> met;
    std::size_t count = 0;
    for (std::size_t size = 0; size <= 17; ++size) {
        std::vector<unsigned char> bytes(size, 0);
        for (const std::uint64_t seed : {std::uint64_t{0}, hash64("seed", 4)}) {
            met.insert(hash64(bytes.data(), size, seed));
            ++count;
        }
        for (std::size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] = static_cast<unsigned char>(1 << (bit % 8));
            met.insert(hash64(bytes.data(), size));
            ++count;
            bytes[bit / 8] = 0;
        }
    }
    EXPECT_EQ(met.size(), count);
}

TEST(Hash64, DependsOnTheBytesAlone) {
    const std::string text = "x" + std::string(kText);
    EXPECT_EQ(hash64(text.data() + 1, kText.size()), hash64(kText.data(), kText.size()));
}

}  // namespace
}  // namespace summand
