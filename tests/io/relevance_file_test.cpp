#include "io/support.h"
#include "summand/retrieval.h"

namespace summand::test {
namespace {

Relevance read(std::string_view text, std::size_t images = 100) {
    const TemporaryDirectory directory;
    write_raw(directory / "truth.txt", text);
    return read_relevance(directory / "truth.txt", images);
}

void expect_refused(std::string_view text, std::string_view part) {
    expect_error([&] { read(text); }, {"truth.txt: ", part});
}

}  // namespace

TEST(RelevanceFile, HasALinePerQuery) {
    const Relevance expected{{7, 0}, Matrix<std::int64_t>(2, 3, {8, 9, 10, 1, -1, -1})};
    EXPECT_EQ(read("7 8 9 10\n0 1\n"), expected);
}

TEST(RelevanceFile, CommentsSpacesAndMissingLineEndsDoNotMatter) {
    EXPECT_EQ(read("# object 3\n\n  7\t8 9   10 # near the door\r\n 0 1"), read("7 8 9 10\n0 1\n"));
}

TEST(RelevanceFile, TheQueryMayStandInItsOwnList) { EXPECT_EQ(read("7 6 7 8\n"), read("7 6 8\n")); }

TEST(RelevanceFile, SaysWhatIsWrongWithWhichLine) {
    expect_refused("0 1\n2 x3\n", "line 2: expected the number of an image, got 'x3'");
    expect_refused("0 1\n\n2 3.5\n", "line 3: expected the number of an image, got '3.5'");
    expect_refused("0 -1\n", "line 1: expected the number of an image, got '-1'");
    expect_refused("0 99999999999999999999\n", "line 1: expected the number of an image, got '9999");
    expect_refused("0 1\n4 100\n", "line 2: expected a number below 100, the number of images, got 100");
    expect_refused("0 1\n4\n", "line 2: expected images relevant to query 4, got none");
    expect_refused("0 1 2 1\n", "line 1: image 1 is named twice");
    expect_refused("0 1\n2 3\n0 4\n", "line 3: query 0 has a list already, on line 1");
    expect_refused("# nothing\n", "expected a line for each query, got none");
}

// 260 kB that would fill a table of 3 GB: the longest list gives all others their length.
TEST(RelevanceFile, ListsThatFillAHugeTableAreRefused) {
    constexpr std::size_t kLists = 20'000;
    std::string text = "0";
    for (std::size_t i = 1; i < kLists; ++i) text += " " + std::to_string(i);
    for (std::size_t i = 1; i < kLists; ++i) text += "\n" + std::to_string(i) + " 0";
    expect_error([&] { read(text, kLists); },
                 {"expected lists that fill a table of at most 134217728 numbers, got 20000"
                  " lists, the longest of 19999"});
}

TEST(RelevanceFile, SaysWhichFileCannotBeRead) {
    const TemporaryDirectory directory;
    expect_error([&] { read_relevance(directory / "none.txt", 3); }, {"none.txt: cannot open for reading"});
    expect_error([&] { read_relevance(directory.path().string(), 3); }, {"cannot be read"});
}

}  // namespace summand::test
