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
    EXPECT_EQ(packed->parts().rows.size(), 2 * 3 * kBlockVectors);
    EXPECT_TRUE(packed->parts().tops.empty());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packed->block(0).rows) % 64, 0u);
    for (std::size_t i = 0; i < 2 * kBlockVectors; ++i)
        for (std::size_t m = 0; m < 3; ++m) {
            const std::uint8_t slot = *packed->vector(i).row(m);
            if (i < codes.size())
                EXPECT_EQ(packed->parts().slots[m * kByteSlots + slot], codes.rows[i][m]);
            else
                EXPECT_EQ(slot, 0);
        }
}

TEST(PackedCodes, NumbersOfVectorsThatWrapAreRefused) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 1, .words = 2});
    const auto packed = PackedCodes::pack(random_codes(quantizer, 0, 2), quantizer);
    for (const std::size_t size : {~std::size_t{0} - 510, ~std::size_t{0}, std::size_t{1} << 55}) {
        PackedCodes::Parts parts = packed->parts();
        parts.shape.size = size;
        EXPECT_GE(parts.shape.blocks(), size / kBlockVectors);
        EXPECT_THROW(PackedCodes{parts}, Error);
    }
}

TEST(PackedCodes, SmallDictionariesTakeHalfAByte) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 5, .words = 16});
    const auto packed = PackedCodes::pack(random_codes(quantizer, 512, 2), quantizer);
    EXPECT_EQ(packed->planes(), 3u);
    EXPECT_EQ(packed->parts().rows.size(), 3 * kBlockVectors);
}

TEST(PackedCodes, QuadsAreThreeRowsAndOneOfTheirTopBits) {
    for (const bool bias : {false, true}) {
        const Quantizer quantizer = random_quantizer({.dictionaries = 11, .bias = bias});
        const Codes codes = random_codes(quantizer, 600, 2);
        const auto packed = PackedCodes::pack(codes, quantizer, Metric::euclidean, Planes::quads);
        EXPECT_EQ(packed->parts().rows.size(), 2 * (9 + bias) * kBlockVectors);
        EXPECT_EQ(packed->parts().tops.size(), 2 * 2 * kBlockVectors);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packed->block(0).tops) % 64, 0u);
        EXPECT_EQ(packed->unpack(), codes);
        for (std::size_t q = 0; q < 2; ++q)
            for (std::size_t i = 0; i < 600; ++i) {
                const CodeRows own = packed->vector(i);
                const std::uint8_t *quad = own.quad(q), *slots = packed->parts().slots.data() + 4 * q * kByteSlots;
                const auto word = [&](std::size_t m, unsigned slot) { return slots[m * kByteSlots + slot]; };
                const unsigned top = *own.top(q), last = quad[0] / 64u + quad[512] / 64u * 4 + quad[1024] / 64u * 16;
                EXPECT_EQ(word(0, quad[0] % 64 + top % 4 * 64), codes.rows[i][4 * q]);
                EXPECT_EQ(word(1, quad[512] % 64 + top / 4 % 4 * 64), codes.rows[i][4 * q + 1]);
                EXPECT_EQ(word(2, quad[1024] % 64 + top / 16 % 4 * 64), codes.rows[i][4 * q + 2]);
                EXPECT_EQ(word(3, last + top / 64 * 64), codes.rows[i][4 * q + 3]);
            }
    }
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
    EXPECT_EQ(message_with([](auto& parts) { parts.shape.dictionaries = 65; }),
              "index: expected 1 to 64 dictionaries, got 65");
    EXPECT_EQ(message_with([](auto& parts) { parts.shape.words = 257; }), "index: expected 2 to 256 words, got 257");
    EXPECT_EQ(message_with([](auto& parts) { parts.slots = parts.slots.first(5); }),
              "index: expected 768 slots, got 5");
    EXPECT_EQ(message_with([](auto& parts) { parts.shape.words = 50; }),
              "index: a slot names a word that does not exist");
    EXPECT_EQ(message_with([](auto& parts) { parts.shape.size = 1025; }),
              "index: expected 4608 bytes of codes, got 3072");
    const std::vector<float> one(1);
    EXPECT_EQ(message_with([&](auto& parts) { parts.bias = one; }), "index: expected 0 biases, got 1");
    EXPECT_EQ(message_with([&](auto& parts) { parts.bias_levels = one; }), "index: expected 0 bias levels, got 1");
    EXPECT_EQ(message_with([&](auto& parts) { parts.shape.bias = true; }), "index: expected 256 bias levels, got 0");
    EXPECT_EQ(message_with([&](auto& parts) { parts.shape.quads = 1; }),
              "index: expected 0 or 0 quads of planes, got 1");
    EXPECT_EQ(message_with([&](auto& parts) { parts.tops = parts.rows.first(1); }),
              "index: expected 0 bytes of the top bits of codes, got 1");
}

}  // namespace
}  // namespace summand
