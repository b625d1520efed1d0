#include <algorithm>
#include <limits>
#include <set>

#include "base/random.h"
#include "io/support.h"
#include "summand/index.h"

namespace summand::test {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// A filter, and the ids it was made of that are asked for.
struct Case {
    IdFilter filter;
    std::function<bool(std::int64_t)> keeps;
};

std::int64_t random_id(std::int64_t from, std::int64_t count, Random& random) {
    return from + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(count)));
}

Case random_list(std::int64_t from, std::int64_t count, std::size_t size, Random& random) {
    std::vector<std::int64_t> ids;
    while (ids.size() < size) ids.push_back(random_id(from, count, random));
    const std::set<std::int64_t> set(ids.begin(), ids.end());
    return {IdFilter::list(ids), [set](std::int64_t id) { return set.count(id) > 0; }};
}

Case random_range(std::int64_t from, std::int64_t count, Random& random) {
    const std::int64_t a = random_id(from, count, random), b = random_id(from, count, random);
    return {IdFilter::range(std::min(a, b), std::max(a, b)),
            [a, b](std::int64_t id) { return std::min(a, b) <= id && id < std::max(a, b); }};
}

Case random_ranges(std::int64_t from, std::int64_t count, Random& random) {
    std::vector<IdRange> ranges;
    for (std::size_t i = random.below(60); i > 0; --i) {  // several in a word, and some longer than words
        const std::int64_t first = random_id(from, count, random);
        const std::int64_t room = std::min<std::int64_t>(from + (count - 1) - first, i % 5 == 0 ? 200 : 8);
        ranges.push_back({first, first + random_id(0, room + 1, random)});
    }
    return {IdFilter::ranges(ranges), [ranges](std::int64_t id) {
                return std::any_of(ranges.begin(), ranges.end(),
                                   [id](const IdRange& range) { return range.first <= id && id <= range.last; });
            }};
}

Case random_bits(std::size_t bytes, Random& random) {
    std::vector<std::uint8_t> bits(bytes);
    for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random.below(256));
    return {IdFilter::bitmap(bits), [bits](std::int64_t id) {
                const auto byte = static_cast<std::uint64_t>(id) / 8;
                return byte < bits.size() && (bits[byte] >> (id % 8) & 1) != 0;
            }};
}

/// Single ids and whole words against the oracle, near both ends of what the filters were made of.
void expect_right(const Case& given) {
    for (const std::int64_t from : {std::int64_t{0}, std::int64_t{1} << 40, kLargest - 2000})
        for (std::int64_t i = 0; i <= 2000; ++i)
            ASSERT_EQ(given.filter.keeps(from + i), given.keeps(from + i)) << from + i;
    EXPECT_FALSE(given.filter.keeps(-1));
    EXPECT_FALSE(given.filter.keeps(std::numeric_limits<std::int64_t>::min()));
    for (const std::size_t size : {0, 1, 63, 64, 65, 1000, 2000}) {
        std::vector<std::uint64_t> room;
        const std::span<const std::uint64_t> words = given.filter.words(size, room);
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(i / 64 < words.size() && (words[i / 64] >> i % 64 & 1) != 0,
                      given.keeps(static_cast<std::int64_t>(i)))
                << i << " of " << size;
    }
}

TEST(IdFilter, EveryFormKeepsExactlyItsIds) {
    Random random(1);
    for (std::size_t turn = 0; turn < 20; ++turn) {
        SCOPED_TRACE(turn);
        for (const std::int64_t from : {std::int64_t{0}, std::int64_t{1} << 40, kLargest - 2000}) {
            expect_right(random_list(from, 2001, random.below(1500), random));
            expect_right(random_range(from, 2001, random));
            expect_right(random_ranges(from, 2001, random));
        }
        expect_right(random_list(0, kLargest, 50, random));
        expect_right(random_range(0, kLargest, random));
        expect_right(random_bits(random.below(300), random));
    }
}

TEST(IdFilter, EndsOfTheIds) {
    const IdFilter all = IdFilter::range(0, kLargest);
    EXPECT_TRUE(all.keeps(0));
    EXPECT_TRUE(all.keeps(kLargest - 1));
    EXPECT_FALSE(all.keeps(kLargest));
    EXPECT_TRUE(IdFilter::ranges({{5, kLargest}, {0, 0}}).keeps(kLargest));
    const std::vector<std::int64_t> ends{kLargest, 0, kLargest};
    const IdFilter list = IdFilter::list(ends);
    EXPECT_TRUE(list.keeps(0));
    EXPECT_TRUE(list.keeps(kLargest));
    EXPECT_FALSE(list.keeps(kLargest - 1));
    EXPECT_FALSE(IdFilter::range(7, 7).keeps(7));
    EXPECT_FALSE(IdFilter::list({}).keeps(0));
}

TEST(IdFilter, TakesMemoryByHowManyIdsItHolds) {
    const std::vector<std::int64_t> far{1'000'000'000'000'000};
    EXPECT_LE(IdFilter::list(far).memory_bytes(), 64u);
    EXPECT_LE(IdFilter::range(5, kLargest).memory_bytes(), 64u);
    std::vector<std::int64_t> dense(1'000'000);
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = static_cast<std::int64_t>(2 * i);
    EXPECT_LE(IdFilter::list(dense).memory_bytes(), 250'000u);
}

TEST(IdFilter, RefusesWhatCannotBeAnId) {
    const std::vector<std::int64_t> negative{4, -2};
    expect_error([&] { IdFilter::list(negative); }, {"filter: expected ids from 0 on, got -2"});
    expect_error([] { IdFilter::range(-1, 4); }, {"filter: expected ids from 0 on, got -1"});
    expect_error([] { IdFilter::ranges({{0, 1}, {4, 3}}); }, {"expected a range with first <= last, got 4 and 3"});
    expect_error([] { IdFilter::range(4, 3); }, {"filter: expected a range with first <= last, got 4 and 3"});
}

}  // namespace
TEST(ParseRanges, ReadsWhatItIsGivenInAnyOfTheSeparators) {
    Random random(5);
    for (const char* separator : {",", " ", "\n", " , ", "\r\n\t"}) {
        std::vector<IdRange> ranges;
        std::string text;
        for (std::size_t i = 0; i < 20; ++i) {
            const std::int64_t first = random_id(0, 1000, random);
            ranges.push_back({first, i % 3 == 0 ? first : i % 3 == 1 ? first + 7 : kLargest});
            text += (i == 0 ? "" : separator) + std::to_string(first);
            if (i % 3 > 0) text += "-" + (i % 3 == 1 ? std::to_string(first + 7) : "");
        }
        EXPECT_EQ(parse_ranges(text), ranges) << text;
    }
    expect_error([] { parse_ranges("1,,2"); }, {"filter: expected ids", "got ''"});
    expect_error([] { parse_ranges("4-2", "list"); }, {"list: expected ids", "'4-2', which ends before it begins"});
}

TEST(IdFilter, SaysWhichRowsOfAnyIdsItKeeps) {
    const std::vector<std::int64_t> sparse{
        0, 5, 6, 900, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max() - 1};
    const RowIds rows[] = {{0, 6}, {4, 6}, {std::int64_t{1} << 40, 3}, {sparse[0], sparse.size(), sparse}};
    const IdFilter filters[] = {IdFilter::ranges({{5, 7}, {1000, std::numeric_limits<std::int64_t>::max()}}),
                                IdFilter::list(std::vector<std::int64_t>{6, std::int64_t{1} << 40}),
                                IdFilter::list(sparse),
                                IdFilter::list(std::vector<std::int64_t>{5, 6}),
                                IdFilter::range(3, 3),
                                IdFilter::where(2000, [](std::int64_t id) { return id % 3 == 0; })};
    for (const IdFilter& filter : filters)
        for (const RowIds& ids : rows) {
            const std::vector<std::uint64_t> words = filter.words(ids);
            ASSERT_EQ(words.size(), 1u);
            for (std::size_t row = 0; row < ids.size; ++row)
                EXPECT_EQ(words[0] >> row & 1, filter.keeps(ids[row]) ? 1u : 0u) << ids[row];
            EXPECT_EQ(words[0] >> ids.size, 0u);
        }
}

}  // namespace summand::test
