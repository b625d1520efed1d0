#include "index/packed_codes.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "index/bias_levels.h"
#include "index/random_index.h"
#include "summand/error.h"

namespace summand {
namespace {

TEST(PackedCodes, BlocksAreTransposedAndPaddedWithZeros) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 3});
    const Codes codes = random_codes(quantizer, 600, 2);
    const auto packed = PackedCodes::pack(codes, quantizer);
    EXPECT_EQ(packed->parts().blocks.size(), 2 * 3 * kBlockVectors);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packed->block(0)) % 64, 0u);
    for (std::size_t i = 0; i < 2 * kBlockVectors; ++i)
        for (std::size_t m = 0; m < 3; ++m) {
            const std::uint8_t slot = packed->block(i / kBlockVectors)[m * kBlockVectors + i % kBlockVectors];
            if (i < codes.size())
                EXPECT_EQ(packed->parts().slots[m * kByteSlots + slot], codes.rows[i][m]);
            else
                EXPECT_EQ(slot, 0);
        }
}

TEST(PackedCodes, SmallDictionariesTakeHalfAByte) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 5, .words = 16});
    const auto packed = PackedCodes::pack(random_codes(quantizer, 512, 2), quantizer);
    EXPECT_EQ(packed->planes(), 3u);
    EXPECT_EQ(packed->parts().blocks.size(), 3 * kBlockVectors);
}

TEST(PackedCodes, EveryWordHasASlotAndGroupsAreNoLargerThanNeeded) {
    for (const std::size_t words : {17, 100, 256}) {
        const Quantizer quantizer = random_quantizer({.dictionaries = 2, .words = words});
        const auto packed = PackedCodes::pack(random_codes(quantizer, 10, 2), quantizer);
        for (std::size_t m = 0; m < 2; ++m) {
            const auto slots = packed->parts().slots.subspan(m * kByteSlots, kByteSlots);
            EXPECT_EQ(std::set<int>(slots.begin(), slots.end()).size(), words);
        }
    }
}

TEST(PackedCodes, BiasLevelsAreLowerBounds) {
    Random random(3);
    std::vector<float> biases(100000);
    for (float& bias : biases) bias = static_cast<float>(random.gaussian());
    const std::vector<float> levels = bias_levels(biases);
    for (std::size_t rank = 1; rank < kByteSlots; ++rank)
        EXPECT_LE(levels[byte_slot(rank - 1)], levels[byte_slot(rank)]);
    for (const float bias : biases) EXPECT_LE(levels[bias_slot(levels, bias)], bias);
}

TEST(PackedCodes, BorrowsMemoryThatItsOwnerKeeps) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 3, .bias = true});
    const Codes codes = random_codes(quantizer, 700, 2);
    PackedCodes::Parts parts = PackedCodes::pack(codes, quantizer)->parts();
    EXPECT_EQ(parts.owner.use_count(), 1);
    const PackedCodes borrowed(std::move(parts));
    EXPECT_EQ(borrowed.unpack(), codes);
}

TEST(PackedCodes, RefusesPartsThatDoNotFitTogether) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 3, .words = 100});
    const auto packed = PackedCodes::pack(random_codes(quantizer, 600, 2), quantizer);
    const auto message_with = [&](const std::function<void(PackedCodes::Parts&)>& change) -> std::string {
        PackedCodes::Parts parts = packed->parts();
        change(parts);
        try {
            PackedCodes{std::move(parts)};
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message_with([](auto& parts) { parts.dictionaries = 65; }),
              "index: expected 1 to 64 dictionaries, got 65");
    EXPECT_EQ(message_with([](auto& parts) { parts.words = 257; }), "index: expected 2 to 256 words, got 257");
    EXPECT_EQ(message_with([](auto& parts) { parts.slots = parts.slots.first(5); }),
              "index: expected 768 slots, got 5");
    EXPECT_EQ(message_with([](auto& parts) { parts.words = 50; }), "index: a slot names a word that does not exist");
    EXPECT_EQ(message_with([](auto& parts) { parts.size = 1025; }), "index: expected 4608 bytes of codes, got 3072");
    const std::vector<float> one(1);
    EXPECT_EQ(message_with([&](auto& parts) { parts.bias = one; }), "index: expected 0 biases, got 1");
    EXPECT_EQ(message_with([&](auto& parts) { parts.bias_levels = one; }), "index: expected 256 bias levels, got 1");
}

}  // namespace
}  // namespace summand
