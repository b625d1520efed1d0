#include "kernels/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/random.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

template <class Body>
void for_each_level(Body body) {
    for (std::size_t i = 0; i < available_kernels().count; ++i) {
        SCOPED_TRACE(available_kernels().levels[i]->name);
        body(available_kernels().levels[i]->scan);
    }
}

AlignedBuffer<std::uint8_t> random_bytes(std::size_t size, std::size_t below, Random& random) {
    AlignedBuffer<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(random.below(below));
    return bytes;
}

std::vector<float> random_floats(std::size_t size, Random& random) {
    std::vector<float> values(size);
    for (float& x : values) x = static_cast<float>(random.gaussian());
    return values;
}

// Blocks of any bytes: each is a code.
struct RandomBlocks {
    AlignedBuffer<std::uint8_t> rows, tops;
    CodeRows codes;

    RandomBlocks(std::size_t blocks, std::size_t planes, std::size_t quads, Random& random)
        : rows(random_bytes(blocks * (planes - quads) * kBlockVectors, 256, random)),
          tops(random_bytes(blocks * quads * kBlockVectors, 256, random)),
          codes{rows.data(), tops.data(), planes, quads} {}

    unsigned byte(std::size_t vector, std::size_t plane) const {
        const std::size_t block = vector / kBlockVectors, j = vector % kBlockVectors, quad = plane / 4;
        const auto row = [&](std::size_t r) -> unsigned {
            return rows[(block * (codes.planes - codes.quads) + r) * kBlockVectors + j];
        };
        if (quad >= codes.quads) return row(plane - codes.quads);
        const unsigned top = tops[(block * codes.quads + quad) * kBlockVectors + j] >> plane % 4 * 2 & 3;
        if (plane % 4 < 3) return top * 64 + row(3 * quad + plane % 4) % 64;
        return top * 64 + row(3 * quad + 2) / 64 * 16 + row(3 * quad + 1) / 64 * 4 + row(3 * quad) / 64;
    }
};

// The bound of one byte, by the meaning of the form.
unsigned bound_of(BoundForm form, const BoundTables& tables, std::size_t plane, unsigned byte) {
    if (form == BoundForm::bytes) return tables.entries[plane * kByteSlots + byte];
    const std::uint8_t* own = tables.entries + plane * kNibbleBounds;
    return own[byte & 15] + (plane < tables.pair_planes ? own[kNibbleSlots + (byte >> 4)] : 0u);
}

// The kept vectors of each word whose bounds bound(plane, byte) sum up to at most the limit.
template <class Bound>
std::vector<std::uint64_t> expected_survivors(const RandomBlocks& blocks, unsigned limit,
                                              const std::vector<std::uint64_t>& kept, Bound bound) {
    std::vector<std::uint64_t> masks(kept.size());
    for (std::size_t i = 0; i < kept.size() * kWordVectors; ++i) {
        unsigned sum = 0;
        for (std::size_t p = 0; p < blocks.codes.planes; ++p) sum += bound(p, blocks.byte(i, p));
        masks[i / kWordVectors] |= std::uint64_t{sum <= limit} << i % kWordVectors & kept[i / kWordVectors];
    }
    return masks;
}

// The smallest bound of the bytes that are the same up to a multiple of `step`.
unsigned shared_bound(const BoundTables& tables, unsigned step, std::size_t plane, unsigned byte) {
    unsigned smallest = 255;
    for (unsigned other = byte % step; other < kByteSlots; other += step)
        smallest = std::min<unsigned>(smallest, tables.entries[plane * kByteSlots + other]);
    return smallest;
}

// Bit j of word w, from the words that have bits at all, ascending.
std::vector<std::uint64_t> masks_of(const std::vector<SurvivorWord>& words, std::size_t count) {
    std::vector<std::uint64_t> masks(count);
    for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_NE(words[i].mask, 0u);
        EXPECT_TRUE(i == 0 || words[i - 1].word < words[i].word);
        masks[words[i].word] = words[i].mask;
    }
    return masks;
}

TEST(ScanKernels, SurvivorsAreTheVectorsWhoseBoundsSumUpToTheLimit) {
    Random random(1);
    struct Planes {
        std::size_t all, pairs, quads;
    };
    std::vector<Planes> cases;
    for (const std::size_t all : {1, 2, 3, 4, 5, 8, 16, 33, 65})
        for (const Planes& planes : {Planes{all, 0, 0}, {all, 0, all / 4}, {all, all - 1, 0}, {all, all, 0}})
            cases.push_back(planes);
    for (const Planes& planes : cases)
        for_each_level([&](const ScanKernels& scan) {
            for (const auto& [look, few] : {std::pair(FirstLook::own, false),
                                            {FirstLook::twins, false},
                                            {FirstLook::quartets, false},
                                            {FirstLook::quartets, true}}) {
                const std::size_t blocks = 3;
                const auto entries = random_bytes(planes.all * kByteSlots, 2 * 255 / planes.all + 2, random);
                const RandomBlocks codes(blocks, planes.all, planes.quads, random);
                const auto limit = static_cast<std::uint8_t>(100 + random.below(155));
                const BoundTables tables{entries.data(), planes.pairs, limit, look};
                std::vector<std::uint64_t> kept(blocks * kBlockWords, few ? 0 : ~std::uint64_t{0});
                kept[3] = few ? random.next() & random.next() & random.next() : random.next();
                kept[5] = 0;
                kept[17] = 3;
                std::vector<SurvivorWord> found(blocks * kBlockWords + 1);
                found.resize(scan.survivors(tables, codes.codes, blocks, kept.data(), found.data()).words);
                const auto masks = masks_of(found, kept.size());
                const auto expected = expected_survivors(codes, limit, kept, [&](std::size_t plane, unsigned byte) {
                    return bound_of(scan.form, tables, plane, byte);
                });
                if (scan.form == BoundForm::nibbles || look == FirstLook::own) {
                    EXPECT_EQ(masks, expected);
                    continue;
                }
                const auto most = expected_survivors(codes, limit, kept, [&](std::size_t plane, unsigned byte) {
                    return shared_bound(tables, look == FirstLook::twins ? 128 : 64, plane, byte);
                });
                for (std::size_t w = 0; w < kept.size(); ++w) {
                    EXPECT_EQ(expected[w] & ~masks[w], 0u);
                    EXPECT_EQ(masks[w] & ~most[w], 0u);
                }
            }
        });
}

TEST(ScanKernels, PlanesHoldTheBytesOfQuads) {
    Random random(7);
    for (const std::size_t planes : {1, 3, 4, 11, 65}) {
        const RandomBlocks codes(2, planes, planes / 4, random);
        for_each_level([&](const ScanKernels& scan) {
            std::vector<std::uint8_t> whole(2 * planes * kBlockVectors);
            scan.write_planes(codes.codes, 2, whole.data());
            for (std::size_t i = 0; i < 2 * kBlockVectors; ++i)
                for (std::size_t p = 0; p < planes; ++p)
                    ASSERT_EQ(whole[(i / kBlockVectors * planes + p) * kBlockVectors + i % kBlockVectors],
                              codes.byte(i, p));
        });
    }
}

TEST(ScanKernels, SumsRunInTheOrderOfTheDictionaries) {
    Random random(2);
    for (const bool pairs : {false, true})
        for (const std::size_t dictionaries : {1, 2, 3, 7, 8, 33}) {
            const RandomBlocks codes(3, dictionaries + 1, pairs ? 0 : dictionaries / 4, random);
            const std::size_t slots = pairs ? kNibbleSlots : kByteSlots;
            const std::vector<float> entries = random_floats(dictionaries * slots, random);
            const auto expected = [&](std::size_t vector) {
                float sum = 0;
                for (std::size_t m = 0; m < dictionaries; ++m) {
                    const unsigned byte = codes.byte(vector, pairs ? m / 2 : m);
                    const float entry = entries[m * slots + (pairs ? (byte >> (m % 2 * 4)) & 15u : byte)];
                    sum = m == 0 ? entry : sum + entry;
                }
                return sum;
            };
            for_each_level([&](const ScanKernels& scan) {
                float sums[kWordVectors];
                scan.sums({codes.codes.word(1), entries.data(), dictionaries, pairs}, sums);
                for (std::size_t j = 0; j < kWordVectors; ++j) EXPECT_EQ(sums[j], expected(kWordVectors + j));
                for (const std::size_t count : {0, 1, 7, 8, 9, 40}) {
                    std::vector<std::uint32_t> listed(count);
                    for (std::uint32_t& vector : listed)
                        vector = static_cast<std::uint32_t>(random.below(3 * kBlockVectors));
                    std::vector<float> found(count);
                    scan.listed_sums({codes.codes, entries.data(), dictionaries, pairs}, listed.data(), count,
                                     found.data());
                    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found[i], expected(listed[i]));
                }
            });
        }
}

// With ties, zeros of either sign and infinities, or all different.
std::vector<float> values_of_kind(int kind, std::size_t count, Random& random) {
    std::vector<float> values(count);
    for (float& value : values) {
        const auto whole = static_cast<float>(random.below(7)) - 3;
        value = kind == 0   ? whole * -0.0f
                : kind == 1 ? whole
                : kind == 2 ? whole * 2e38f
                            : static_cast<float>(random.gaussian());
    }
    return values;
}

TEST(ScanKernels, RankedValuesAreThoseOfTheSortedOnes) {
    Random random(9);
    for (const std::size_t count : {1, 2, 15, 16, 17, 100, 515, 1024, 1030})
        for (int kind = 0; kind < 4; ++kind) {
            const std::vector<float> values = values_of_kind(kind, count, random);
            std::vector<float> sorted = values;
            std::sort(sorted.begin(), sorted.end());
            for_each_level([&](const ScanKernels& scan) {
                for (std::size_t rank = 1; rank <= count; rank += 1 + count / 20)
                    for (const std::size_t last : {rank, rank + count / 10, rank + 2 * count}) {
                        const float found = scan.ranked(values.data(), count, rank, last);
                        const auto place = std::lower_bound(sorted.begin(), sorted.end(), found);
                        ASSERT_TRUE(place != sorted.end() && *place == found);
                        EXPECT_GE(found, sorted[rank - 1]);
                        EXPECT_LE(found, sorted[std::min(last, count) - 1]);
                    }
            });
        }
}

TEST(ScanKernels, RanksCountTheSmallerValues) {
    Random random(10);
    for (const std::size_t count : {0, 1, 15, 16, 17, 100, 500})
        for (int kind = 0; kind < 4; ++kind) {
            const std::vector<float> values = values_of_kind(kind, count, random);
            for_each_level([&](const ScanKernels& scan) {
                std::vector<float> room = values;
                room.resize(count + 16, -5.0f);
                std::vector<std::int32_t> ranks(count + 16);
                scan.ranks(room.data(), count, ranks.data());
                for (std::size_t i = 0; i < count; ++i)
                    EXPECT_EQ(ranks[i], std::count_if(values.begin(), values.end(),
                                                      [&](float value) { return value < values[i]; }));
            });
        }
}

TEST(ScanKernels, ValuesUpToALimitAreKeptInOrderWithTheirNumbers) {
    Random random(11);
    for (const std::size_t count : {0, 1, 15, 16, 17, 100, 500})
        for (int kind = 0; kind < 4; ++kind) {
            const std::vector<float> values = values_of_kind(kind, count, random);
            for (const float limit : {-1.0f, 0.0f, 0.5f, 1e38f}) {
                std::vector<float> kept;
                std::vector<std::uint32_t> numbers(count), kept_numbers;
                for (std::size_t i = 0; i < count; ++i) {
                    numbers[i] = static_cast<std::uint32_t>(3 * i);
                    if (values[i] > limit) continue;
                    kept.push_back(values[i]);
                    kept_numbers.push_back(numbers[i]);
                }
                for_each_level([&](const ScanKernels& scan) {
                    std::vector<float> room = values;
                    std::vector<std::uint32_t> own = numbers;
                    const std::size_t found = scan.keep_up_to(limit, room.data(), own.data(), count);
                    room.resize(found);
                    own.resize(found);
                    EXPECT_EQ(room, kept);
                    EXPECT_EQ(own, kept_numbers);
                });
            }
        }
}

TEST(ScanKernels, QuantisedValuesAreIntegerPartsOfAtMost255) {
    Random random(3);
    const std::vector<float> values = random_floats(256, random);
    const float scale = 40;
    for_each_level([&](const ScanKernels& scan) {
        const ValueRange range = scan.range(values.data(), values.size());
        EXPECT_EQ(range.smallest, *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(range.largest, *std::max_element(values.begin(), values.end()));
        std::uint8_t out[256];
        scan.quantise(values.data(), values.size(), range.smallest, scale, out);
        for (std::size_t i = 0; i < values.size(); ++i)
            EXPECT_EQ(out[i], std::min(255.0f, std::floor((values[i] - range.smallest) * scale)));
    });
}

TEST(ScanKernels, FinishSaysWhetherAllEntriesAreFinite) {
    Random random(4);
    const std::vector<float> offsets = random_floats(48, random);
    const std::vector<float> products = random_floats(48, random);
    for_each_level([&](const ScanKernels& scan) {
        std::vector<float> entries = products;
        EXPECT_TRUE(scan.finish(offsets.data(), -2, entries.size(), entries.data()));
        for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i], offsets[i] - 2 * products[i]);
        for (const float bad : {std::numeric_limits<float>::infinity(), 3e38f, std::nanf("")}) {
            entries = products;
            entries[37] = bad;
            EXPECT_FALSE(scan.finish(offsets.data(), -2, entries.size(), entries.data()));
        }
    });
}

TEST(ScanKernels, ProductsOfManyQueriesHaveTheBitsOfOne) {
    Random random(5);
    const std::size_t queries = 7, dimensions = 19, words = 80, stride = 96;
    const std::vector<float> query = random_floats(queries * dimensions, random);
    const std::vector<float> columns = random_floats(dimensions * stride, random);
    for_each_level([&](const ScanKernels& scan) {
        std::vector<float> out(queries * stride);
        scan.products(
            {query.data(), queries, dimensions, columns.data(), dimensions, words, stride, out.data(), stride});
        for (std::size_t q = 0; q < queries; ++q)
            for (std::size_t w = 0; w < words; ++w) {
                float expected = 0;
                for (std::size_t d = 0; d < dimensions; ++d)
                    expected = std::fma(query[q * dimensions + d], columns[d * stride + w], expected);
                EXPECT_EQ(out[q * stride + w], expected);
            }
    });
}

// 16 queries at a time, with the bits that `products` has with all the zeros.
TEST(ScanKernels, SparseProductsHaveTheBitsOfTheDenseOnes) {
    constexpr std::size_t kDimensions = 13, kEntries = 48;
    for (const std::size_t query_count : {1, 5, 16}) {
        Random random(query_count);
        const std::vector<float> queries = random_floats(query_count * kDimensions, random);
        std::vector<float> columns(kDimensions * kEntries);
        std::vector<std::uint32_t> begin{0}, dimensions;
        std::vector<float> values;
        for (std::size_t e = 0; e < kEntries; ++e) {
            for (std::size_t d = 0; d < kDimensions; ++d) {
                if (random.below(4) > 0 || e == 7) continue;  // one entry has no values at all
                columns[d * kEntries + e] = static_cast<float>(random.gaussian());
                dimensions.push_back(static_cast<std::uint32_t>(d));
                values.push_back(columns[d * kEntries + e]);
            }
            begin.push_back(static_cast<std::uint32_t>(values.size()));
        }
        std::vector<float> transposed(kDimensions * kSparseQueries);
        for (std::size_t q = 0; q < query_count; ++q)
            for (std::size_t d = 0; d < kDimensions; ++d)
                transposed[d * kSparseQueries + q] = queries[q * kDimensions + d];
        for_each_level([&](const ScanKernels& scan) {
            std::vector<float> dense(query_count * kEntries), sparse(query_count * kEntries, -1.0f);
            scan.products({queries.data(), query_count, kDimensions, columns.data(), kDimensions, kEntries, kEntries,
                           dense.data(), kEntries});
            scan.sparse_products({transposed.data(), query_count, begin.data(), dimensions.data(), values.data(),
                                  kEntries, sparse.data(), kEntries});
            EXPECT_EQ(sparse, dense);
        });
    }
}

TEST(ScanKernels, BitsAreCountedPerBlock) {
    Random random(6);
    std::vector<std::uint64_t> words(3 * kBlockWords);
    for (std::uint64_t& word : words) word = random.next();
    words[0] = ~std::uint64_t{0};
    for_each_level([&](const ScanKernels& scan) {
        std::uint16_t counts[3];
        scan.count_bits(words.data(), 3, counts);
        for (std::size_t b = 0; b < 3; ++b) {
            int expected = 0;
            for (std::size_t w = 0; w < kBlockWords; ++w) expected += std::popcount(words[b * kBlockWords + w]);
            EXPECT_EQ(counts[b], expected);
        }
    });
}

}  // namespace
}  // namespace summand
