#include "filter_option.h"

#include "io/support.h"

namespace summand::test {

namespace {

/// Ids below 10 that the filter keeps, as "0 1 5".
std::string kept(const std::string& text) {
    const IdFilter filter = cli::parse_filter(text);
    std::string ids;
    for (std::int64_t id = 0; id < 10; ++id)
        if (filter.keeps(id)) ids += (ids.empty() ? "" : " ") + std::to_string(id);
    return ids;
}

}  // namespace

TEST(FilterOption, RangesHaveBothEndsAndMayBeOpen) {
    EXPECT_EQ(kept("3"), "3");
    EXPECT_EQ(kept("3-5"), "3 4 5");
    EXPECT_EQ(kept("0-1,4,8-"), "0 1 4 8 9");
    EXPECT_EQ(kept("8-,0-1, 4"), "0 1 4 8 9");
    EXPECT_EQ(kept("2-6,4-5,6-7"), "2 3 4 5 6 7");
    EXPECT_EQ(kept("0-"), "0 1 2 3 4 5 6 7 8 9");
}

TEST(FilterOption, IdsMayBeAsLargeAsTheyGet) {
    EXPECT_EQ(kept("12,1000000000000000"), "");
    EXPECT_EQ(kept("9-9223372036854775807"), "9");
    EXPECT_EQ(kept("5,9223372036854775807-"), "5");
    EXPECT_TRUE(cli::parse_filter("3,9223372036854775807").keeps(9223372036854775807));
}

TEST(FilterOption, AFileHoldsTheSame) {
    const TemporaryDirectory directory;
    write_raw(directory / "ids.txt", "0-1\n4 \r\n8-\n");
    EXPECT_EQ(kept("@" + (directory / "ids.txt")), "0 1 4 8 9");
    for (const char* name : {"ids.ivecs", "ids.npy", "ids.ibin"}) {
        write_ids(directory / name, Matrix<std::int64_t>(2, 2, {7, 1, 1, 30}).view());
        EXPECT_EQ(kept("@" + (directory / name)), "1 7") << name;
    }
}

TEST(FilterOption, AFileMayBeARoaringBitmap) {
    const TemporaryDirectory directory;
    const std::string bitmap = bytes_of(std::uint32_t{12346}, std::uint32_t{1}, std::uint16_t{0}, std::uint16_t{1},
                                        std::uint32_t{16}, std::uint16_t{2}, std::uint16_t{7});
    write_raw(directory / "ids.roaring", bitmap);
    EXPECT_EQ(kept("@" + (directory / "ids.roaring")), "2 7");
    write_raw(directory / "ids.roaring64", bytes_of(std::uint64_t{1}, std::uint32_t{0}) + bitmap);
    EXPECT_EQ(kept("@" + (directory / "ids.roaring64")), "2 7");
    expect_error([&] { cli::parse_filter("@" + (directory / "none.roaring")); }, {"none.roaring: cannot open"});
    write_raw(directory / "cut.roaring", bitmap.substr(0, 19));
    expect_error([&] { cli::parse_filter("@" + (directory / "cut.roaring")); }, {"cut.roaring: is no Roaring bitmap"});
}

TEST(FilterOption, ErrorsNameThePartThatIsWrong) {
    for (const char* part : {"", "x", "-3", "1-x", "1--2", "1-2-3", "3:5", "99999999999999999999", "1.5"}) {
        expect_error([&] { cli::parse_filter(part); },
                     {"--filter: expected ids such as 7, 0-999 or 3000-, got '" + std::string(part) + "'"});
        expect_error([&] { cli::parse_filter("1," + std::string(part) + ",2"); }, {"'" + std::string(part) + "'"});
    }
    expect_error([] { cli::parse_filter("5-3"); }, {"'5-3', which ends before it begins"});
    const TemporaryDirectory directory;
    write_raw(directory / "ids.txt", "1\ntwo\n");
    expect_error([&] { cli::parse_filter("@" + (directory / "ids.txt")); }, {"ids.txt: expected ids", "'two'"});
    expect_error([&] { cli::parse_filter("@" + (directory / "none.txt")); }, {"none.txt: cannot open"});
    write_ids(directory / "ids.npy", Matrix<std::int64_t>(1, 1, {-1}).view());
    expect_error([&] { cli::parse_filter("@" + (directory / "ids.npy")); },
                 {"ids.npy: expected ids from 0 on, got -1"});
}

}  // namespace summand::test
