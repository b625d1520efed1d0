// Every kernel with random shapes and numbers, on every level of this CPU: the bits must be the same.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "base/random.h"
#include "kernels/kernels.h"

namespace summand::test {

/// What a kernel wrote, so that levels can be compared. All NaNs count as one: which of two is handed on is left to the
/// instruction.
class Written {
public:
    void add(float value) { bits_.push_back(std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value)); }
    void add(std::uint64_t value) { bits_.push_back(value); }
    template <class Values>
    void add_all(const Values& values) {
        for (const auto value : values) add(value);
    }
    void add_all(const std::vector<std::int16_t>& values) {
        for (const std::int16_t value : values) add(static_cast<std::uint64_t>(value));
    }
    void add_all(const std::vector<std::uint8_t>& values) {
        for (const std::uint8_t value : values) add(std::uint64_t{value});
    }
    friend bool operator==(const Written&, const Written&) = default;

private:
    std::vector<std::uint64_t> bits_;
};

enum class Numbers { plain, small_whole, finite, with_infinity, any };

inline float number(Numbers kind, Random& random) {
    const auto bits = std::bit_cast<float>(static_cast<std::uint32_t>(random.next() >> 32));
    switch (kind) {
        case Numbers::plain:
            return static_cast<float>(random.gaussian());
        case Numbers::small_whole:
            return static_cast<float>(random.below(7)) - 3;
        case Numbers::finite:
            return std::isfinite(bits) ? bits : 0.0f;
        case Numbers::with_infinity:
            return random.below(8) == 0 ? (random.below(2) ? __builtin_inff() : -__builtin_inff())
                                        : number(Numbers::finite, random);
        default:
            return random.below(8) == 0 ? __builtin_nanf("") : bits;
    }
}

inline std::vector<float> numbers(std::size_t size, Numbers kind, Random& random) {
    std::vector<float> values(size);
    for (float& value : values) value = number(kind, random);
    return values;
}

template <class T>
std::vector<T> whole_numbers(std::size_t size, std::size_t below, Random& random) {
    std::vector<T> values(size);
    for (T& value : values) value = static_cast<T>(random.below(below));
    return values;
}

inline Numbers any_kind(Random& random) { return static_cast<Numbers>(random.below(5)); }
inline Numbers comparable_kind(Random& random) { return static_cast<Numbers>(random.below(4)); }  // without NaN
inline std::size_t size_of(Random& random) { return random.below(2) ? random.below(40) : random.below(300); }
inline std::size_t lanes_of(Random& random) { return 16 * (1 + random.below(8)); }

/// The name of the first level that differs from the first one in what run(level) returns; empty: there is none.
template <class Run>
std::string first_that_differs(const Run& run) {
    const KernelLevels& found = available_kernels();
    const Written expected = run(*found.levels[0]);
    for (std::size_t i = 1; i < found.count; ++i)
        if (!(run(*found.levels[i]) == expected)) return found.levels[i]->name;
    return {};
}

struct KernelTrial {
    const char* name;
    std::string (*differing)(Random& random);
};

inline std::string sums_of_two_rows(Random& random) {
    const std::size_t size = size_of(random);
    const auto a = numbers(size, any_kind(random), random), b = numbers(size, any_kind(random), random);
    return first_that_differs([&](const Kernels& level) {
        Written out;
        out.add(level.dot(a.data(), b.data(), size));
        out.add(level.squared_distance(a.data(), b.data(), size));
        return out;
    });
}

inline std::string rows_of_bytes(Random& random) {
    const std::size_t size = size_of(random);
    const auto query = numbers(size, any_kind(random), random), steps = numbers(size, any_kind(random), random);
    const auto bytes = whole_numbers<std::uint8_t>(size, 256, random);
    auto halves = whole_numbers<std::uint16_t>(size, 65'536, random);
    for (std::uint16_t& half : halves)
        if ((half & 0x7c00) == 0x7c00) half = 0;
    const float scale = number(any_kind(random), random);
    return first_that_differs([&](const Kernels& level) {
        Written out;
        out.add(level.rows.half_dot(query.data(), halves.data(), size));
        out.add(level.rows.half_distance(query.data(), halves.data(), size));
        out.add(level.rows.byte_dot(query.data(), bytes.data(), size));
        out.add(level.rows.byte_distance(query.data(), scale, bytes.data(), size));
        out.add(level.rows.stepped_distance(query.data(), steps.data(), bytes.data(), size));
        out.add(level.rows.byte_squares(bytes.data(), size));
        return out;
    });
}

inline std::string inner_products(Random& random) {
    const std::size_t dimensions = 1 + random.below(40), words = 1 + size_of(random), stride = words + random.below(4);
    const auto query = numbers(dimensions, any_kind(random), random);
    const auto columns = numbers(dimensions * stride, any_kind(random), random);
    return first_that_differs([&](const Kernels& level) {
        std::vector<float> out(words);
        level.inner_products(query.data(), columns.data(), dimensions, words, stride, out.data());
        Written written;
        written.add_all(out);
        return written;
    });
}

inline std::string argmin_sum(Random& random) {
    const std::size_t count = 1 + size_of(random);
    const auto scores = numbers(count, random.below(2) ? Numbers::with_infinity : Numbers::small_whole, random);
    const auto added = numbers(count, random.below(2) ? Numbers::plain : Numbers::small_whole, random);
    return first_that_differs([&](const Kernels& level) {
        float best = 0;
        Written out;
        out.add(std::uint64_t{level.argmin_sum(scores.data(), added.data(), count, &best)});
        out.add(best);
        return out;
    });
}

inline std::string sums_of_rows(Random& random) {
    const std::size_t size = size_of(random), count = random.below(9), words = 7;
    const auto values = numbers(3 * size, any_kind(random), random);
    const auto many = numbers(count * size, any_kind(random), random);
    const auto start = numbers(words * size, any_kind(random), random);
    const auto codes = whole_numbers<std::uint8_t>(3 * count, words, random);
    const auto factors = numbers(3, any_kind(random), random);
    std::vector<const float*> rows;
    for (std::size_t m = 0; m < count; ++m) rows.push_back(many.data() + m * size);
    return first_that_differs([&](const Kernels& level) {
        std::vector<float> sum(size), combined(size), scattered = start;
        level.sum_rows(rows.data(), count, size, sum.data());
        level.combine(factors[0], values.data(), factors[1], values.data() + size, factors[2], values.data() + 2 * size,
                      size, combined.data());
        level.scatter_add(many.data(), count, size, codes.data(), 3, scattered.data());
        Written out;
        out.add_all(sum);
        out.add_all(combined);
        out.add_all(scattered);
        return out;
    });
}

inline std::string icm(Random& random) {
    const std::size_t words = 2 + random.below(255), row_count = random.below(9);
    const std::size_t stride = (words + kIcmLanes - 1) / kIcmLanes * kIcmLanes;
    std::vector<std::int16_t> pairs(row_count * stride);
    for (std::int16_t& pair : pairs)
        pair = static_cast<std::int16_t>(static_cast<int>(random.below(65'535 / (row_count + 1))) -
                                         static_cast<int>(32'767 / (row_count + 1)));
    std::vector<const std::int16_t*> rows;
    for (std::size_t r = 0; r < row_count; ++r) rows.push_back(pairs.data() + r * stride);
    const Numbers kind = random.below(2) ? Numbers::plain : Numbers::small_whole;
    auto unary = numbers(stride, kind, random), gain = numbers(stride, kind, random);
    std::fill(unary.begin() + static_cast<std::ptrdiff_t>(words), unary.end(), kIcmPadding);
    std::fill(gain.begin() + static_cast<std::ptrdiff_t>(words), gain.end(), 0.0f);
    const auto figures = numbers(6, kind, random);
    const auto word = static_cast<std::uint32_t>(random.below(words));
    const float scale = random.below(2) ? 1e-4f : 1.0f;
    return first_that_differs([&](const Kernels& level) {
        std::vector<std::int16_t> bound(stride);
        const IcmBounds bounds = level.icm_bounds(unary.data(), words, stride, scale, bound.data());
        const IcmDictionary dictionary{gain.data(), figures[0],           stride,     row_count,
                                       scale,       std::abs(figures[1]), figures[2], std::abs(figures[3])};
        const IcmVisit visit{rows.data(), unary.data(), bound.data(), bounds, word, figures[4], figures[5]};
        IcmChoice choice{};
        level.icm_visits(dictionary, &visit, 1, &choice);
        Written out;
        out.add_all(bound);
        out.add(bounds.least);
        out.add(bounds.per_step);
        out.add(static_cast<std::uint64_t>(bounds.shift));
        out.add(std::uint64_t{choice.word});
        out.add(choice.cost);
        out.add(choice.error);
        out.add(choice.excess);
        return out;
    });
}

/// Blocks of any bytes: each is a code.
struct AnyBlocks {
    AnyBlocks(std::size_t blocks, std::size_t planes, std::size_t quads, Random& random)
        : rows(blocks * (planes - quads) * kBlockVectors), tops(blocks * quads * kBlockVectors + 1) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint8_t>(random.next());
        for (std::size_t i = 0; i < tops.size(); ++i) tops[i] = static_cast<std::uint8_t>(random.next());
        codes = {rows.data(), tops.data(), planes, quads};
    }
    AlignedBuffer<std::uint8_t> rows, tops;
    CodeRows codes{};
};

/// Levels of one form only: bounds of the other rule out others. A first look by twins or quartets may leave others,
/// too.
inline std::string survivors(Random& random) {
    const std::size_t planes = 1 + random.below(random.below(4) ? 12 : kMaxPlanes), blocks = 1 + random.below(3);
    const bool pairs = random.below(2) > 0;
    const AnyBlocks blocks_of(blocks, planes, pairs ? 0 : random.below(planes / 4 + 1), random);
    AlignedBuffer<std::uint8_t> entries(planes * kByteSlots);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i] = static_cast<std::uint8_t>(random.below(std::min<std::size_t>(256, 2 * 255 / planes + 2)));
    const BoundTables tables{entries.data(), pairs ? planes - random.below(2) : 0,
                             static_cast<std::uint8_t>(random.below(255))};
    auto kept = whole_numbers<std::uint64_t>(blocks * kBlockWords, ~std::size_t{0}, random);
    if (random.below(2)) std::fill(kept.begin(), kept.end(), ~std::uint64_t{0});
    std::string differing;
    for (const BoundForm form : {BoundForm::bytes, BoundForm::nibbles}) {
        const Kernels* first = nullptr;
        Written expected;
        for (std::size_t i = 0; i < available_kernels().count && differing.empty(); ++i) {
            const Kernels& level = *available_kernels().levels[i];
            if (level.scan.form != form) continue;
            std::vector<SurvivorWord> found(blocks * kBlockWords + 1);
            found.resize(level.scan.survivors(tables, blocks_of.codes, blocks, kept.data(), found.data()).words);
            Written out;
            for (const SurvivorWord& word : found) {
                out.add(word.mask);
                out.add(word.word);
            }
            if (first && !(out == expected)) differing = level.name;
            if (!first) expected = out;
            first = &level;
        }
    }
    return differing;
}

inline std::string sums_of_codes(Random& random) {
    const std::size_t dictionaries = 1 + random.below(random.below(4) ? 12 : 64);
    const bool pairs = random.below(2) > 0;
    const AnyBlocks blocks(2, dictionaries + 1, pairs ? 0 : random.below(dictionaries / 4 + 1), random);
    const auto entries = numbers(dictionaries * (pairs ? kNibbleSlots : kByteSlots), any_kind(random), random);
    const auto listed = whole_numbers<std::uint32_t>(random.below(50), 2 * kBlockVectors, random);
    return first_that_differs([&](const Kernels& level) {
        std::vector<float> sums(kWordVectors), some(listed.size());
        level.scan.sums({blocks.codes.word(1), entries.data(), dictionaries, pairs}, sums.data());
        level.scan.listed_sums({blocks.codes, entries.data(), dictionaries, pairs}, listed.data(), listed.size(),
                               some.data());
        std::vector<std::uint8_t> planes(2 * blocks.codes.planes * kBlockVectors);
        level.scan.write_planes(blocks.codes, 2, planes.data());
        Written out;
        out.add_all(sums);
        out.add_all(some);
        out.add_all(planes);
        return out;
    });
}

inline std::string counts_of_bits(Random& random) {
    const std::size_t blocks = 1 + random.below(5);
    const auto words = whole_numbers<std::uint64_t>(blocks * kBlockWords, ~std::size_t{0}, random);
    return first_that_differs([&](const Kernels& level) {
        std::vector<std::uint16_t> counts(blocks);
        level.scan.count_bits(words.data(), blocks, counts.data());
        Written out;
        for (const std::uint16_t count : counts) out.add(std::uint64_t{count});
        return out;
    });
}

inline std::string order_of_values(Random& random) {
    const std::size_t count = 1 + size_of(random), rank = 1 + random.below(count);
    const auto values = numbers(count, comparable_kind(random), random);
    const float limit = number(comparable_kind(random), random);
    return first_that_differs([&](const Kernels& level) {
        Written out;
        out.add(level.scan.ranked(values.data(), count, rank, rank) + 0.0f);  // zeros of both signs are one rank
        std::vector<float> room = values, kept = values;
        room.resize(count + 16);
        std::vector<std::int32_t> ranks(count + 16);
        level.scan.ranks(room.data(), count, ranks.data());
        for (std::size_t i = 0; i < count; ++i) out.add(static_cast<std::uint64_t>(ranks[i]));
        std::vector<std::uint32_t> numbers_of(count);
        for (std::size_t i = 0; i < count; ++i) numbers_of[i] = static_cast<std::uint32_t>(i);
        const std::size_t left = level.scan.keep_up_to(limit, kept.data(), numbers_of.data(), count);
        for (std::size_t i = 0; i < left; ++i) {
            out.add(kept[i]);
            out.add(std::uint64_t{numbers_of[i]});
        }
        return out;
    });
}

inline std::string tables(Random& random) {
    const std::size_t count = lanes_of(random);
    const auto finite = numbers(count, random.below(2) ? Numbers::plain : Numbers::small_whole, random);
    const auto compared = numbers(count, comparable_kind(random), random);
    const auto offsets = numbers(count, any_kind(random), random), entries = numbers(count, any_kind(random), random);
    const float factor = number(any_kind(random), random), scale = static_cast<float>(100 * random.uniform());
    return first_that_differs([&](const Kernels& level) {
        Written out;
        const ValueRange range = level.scan.range(compared.data(), count);
        out.add(range.smallest + 0.0f);
        out.add(range.largest + 0.0f);
        std::vector<std::uint8_t> quantised(count);
        level.scan.quantise(finite.data(), count, *std::min_element(finite.begin(), finite.end()), scale,
                            quantised.data());
        out.add_all(quantised);
        std::vector<float> finished = entries;
        out.add(std::uint64_t{level.scan.finish(offsets.data(), factor, count, finished.data())});
        out.add_all(finished);
        return out;
    });
}

inline std::string products(Random& random) {
    const std::size_t queries = 1 + random.below(18), dimensions = 1 + random.below(20), words = lanes_of(random);
    const auto query = numbers(queries * dimensions, any_kind(random), random);
    const auto columns = numbers(dimensions * words, any_kind(random), random);
    const std::size_t few = std::min(queries, kSparseQueries);
    const auto transposed = numbers(dimensions * kSparseQueries, any_kind(random), random);
    std::vector<std::uint32_t> begin{0}, places;
    for (std::size_t e = 0; e < words; ++e) {
        for (std::uint32_t d = 0; d < dimensions; ++d)
            if (random.below(3) == 0) places.push_back(d);
        begin.push_back(static_cast<std::uint32_t>(places.size()));
    }
    const auto values = numbers(places.size(), any_kind(random), random);
    return first_that_differs([&](const Kernels& level) {
        std::vector<float> dense(queries * words), sparse(few * words);
        level.scan.products(
            {query.data(), queries, dimensions, columns.data(), dimensions, words, words, dense.data(), words});
        level.scan.sparse_products(
            {transposed.data(), few, begin.data(), places.data(), values.data(), words, sparse.data(), words});
        Written out;
        out.add_all(dense);
        out.add_all(sparse);
        return out;
    });
}

inline constexpr KernelTrial kKernelTrials[] = {{"dot, squared_distance", sums_of_two_rows},
                                                {"rows", rows_of_bytes},
                                                {"inner_products", inner_products},
                                                {"argmin_sum", argmin_sum},
                                                {"sum_rows, combine, scatter_add", sums_of_rows},
                                                {"icm_bounds, icm_visits", icm},
                                                {"survivors", survivors},
                                                {"sums, listed_sums, write_planes", sums_of_codes},
                                                {"count_bits", counts_of_bits},
                                                {"ranked, ranks, keep_up_to", order_of_values},
                                                {"range, quantise, finish", tables},
                                                {"products, sparse_products", products}};

}  // namespace summand::test
