#include "store/row_set.h"

#include "base/byte_order.h"
#include "io/support.h"

namespace summand::test {
namespace {

RowSet random_set(std::size_t rows, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    RowSet set(rows);
    while (set.count() < count) set.add(random.below(rows));
    return set;
}

Bytes raw(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

using Half = std::uint16_t;
using Word = std::uint32_t;

}  // namespace

TEST(RowSet, ComesBackFromItsBytes) {
    const std::size_t shapes[][2] = {{1, 0},         {1, 1},       {65536, 4096},   {65536, 4097},
                                     {65537, 65537}, {300000, 17}, {300000, 200000}};
    for (const auto& [rows, count] : shapes) {
        const RowSet set = random_set(rows, count, rows + count);
        EXPECT_EQ(from_roaring(to_roaring(set), rows, "set"), set) << rows << " " << count;
    }
}

// As the reference implementation writes {1, 2, 100000}: two arrays.
TEST(RowSet, HasTheBytesOfThePortableFormat) {
    RowSet set(100001);
    for (const std::size_t row : {100000, 1, 2}) set.add(row);
    const std::string expected = bytes_of(Word{12346}, Word{2}, Half{0}, Half{1}, Half{1}, Half{0}, Word{24}, Word{28},
                                          Half{1}, Half{2}, Half{34464});
    EXPECT_EQ(to_roaring(set), raw(expected));
}

TEST(RowSet, ReadsRuns) {
    const std::string bytes =
        bytes_of(Half{12347}, Half{0}, std::uint8_t{1}, Half{0}, Half{4}, Half{2}, Half{3}, Half{1}, Half{10}, Half{2});
    RowSet expected(20);
    for (const std::size_t row : {3, 4, 10, 11, 12}) expected.add(row);
    EXPECT_EQ(from_roaring(raw(bytes), 20, "set"), expected);
}

TEST(RowSet, EveryCutAndEveryByteBehindTheEndIsRefused) {
    Bytes bytes = to_roaring(random_set(140000, 9000, 3));
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50)
        expect_error([&] { from_roaring(std::span(bytes).first(size), 140000, "dead rows"); },
                     {"dead rows: is no bitmap"});
    bytes.push_back({});
    expect_error([&] { from_roaring(bytes, 140000, "dead rows"); }, {"1 bytes follow"});
}

TEST(RowSet, HostileBytesAreRefused) {
    const auto refused = [](const std::string& bytes, std::string_view part) {
        expect_error([&] { from_roaring(raw(bytes), 20, "dead rows"); }, {"dead rows", part});
    };
    refused(bytes_of(Word{12345}), "begins with 12345");
    refused(bytes_of(Word{12346}, Word{0xffffffff}), "4294967295 containers");
    refused(bytes_of(Word{12346}, Word{1}, Half{0}, Half{0}, Word{16}, Half{20}), "names row 20 of 20");
    refused(bytes_of(Word{12346}, Word{1}, Half{0}, Half{1}, Word{16}, Half{5}, Half{5}), "values are out of order");
    refused(bytes_of(Word{12346}, Word{1}, Half{0}, Half{0}, Word{17}, Half{5}), "another place");
    refused(bytes_of(Word{12346}, Word{2}, Half{1}, Half{0}, Half{1}, Half{0}), "containers are out of order");
    refused(bytes_of(Half{12347}, Half{0}, std::uint8_t{1}, Half{0}, Half{5}, Half{1}, Half{3}, Half{1}),
            "holds 2 values");
    refused(
        bytes_of(Half{12347}, Half{0}, std::uint8_t{1}, Half{0}, Half{5}, Half{2}, Half{3}, Half{1}, Half{4}, Half{1}),
        "runs are out of order");
    refused(bytes_of(Half{12347}, Half{0}, std::uint8_t{1}, Half{0}, Half{5}, Half{1}, Half{65535}, Half{1}),
            "runs are");
}

}  // namespace summand::test
