#include <zlib.h>

#include <clocale>

#include "io/support.h"

namespace summand::test {

namespace {

Matrix<float> read_text(std::string_view text) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.csv", text);
    return read_vectors(directory / "a.csv");
}

void write_gzip(const std::string& path, std::string_view text) {
    const gzFile file = ::gzopen(path.c_str(), "wb");
    ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(file);
}

}  // namespace

TEST(Text, NumbersAreSeparatedByCommasSemicolonsTabsOrBlanks) {
    const Matrix<float> expected(2, 3, {1, -2.5f, 3e4f, 4, 5, 6});
    for (const char* text : {"1,-2.5,3e4\n4,5,6\n", "1;-2.5;3e4\n4;5;6\n", "1\t-2.5\t3e4\n4\t5\t6\n",
                             "1 -2.5 3e4\n4 5 6\n", " 1,  -2.5 ,3e4 \r\n4, 5,+6\r\n", "  1   -2.5 \t 3e4  \n\n4 5 6"})
        EXPECT_EQ(read_text(text), expected) << text;
}

TEST(Text, AFirstLineWithoutNumbersIsAHeader) {
    const Matrix<float> expected(1, 2, {1, 2});
    for (const char* text : {"x,y\n1,2\n", "\xEF\xBB\xBFx,y\n1,2\n", "# first second\n1 2\n", "\n\nname\n1,2"})
        EXPECT_EQ(read_text(text), expected) << text;
    expect_error([] { read_text("1,y\n1,2\n"); }, {"a.csv: line 1, column 2 is 'y', expected a finite number"});
    expect_error([] { read_text("x,y\nz,w\n1,2\n"); }, {"a.csv: line 2, column 1 is 'z'"});
}

TEST(Text, WhatIsWrittenWithNineDigitsIsReadAsItWas) {
    const Matrix<float> expected = random_matrix(50, 7, 3);
    std::string text;
    for (std::size_t i = 0; i < expected.rows(); ++i)
        for (std::size_t d = 0; d < expected.columns(); ++d) {
            char number[32];
            std::snprintf(number, sizeof number, "%.9g%c", static_cast<double>(expected[i][d]), d < 6 ? ',' : '\n');
            text += number;
        }
    EXPECT_EQ(read_text(text), expected);
}

TEST(Text, LinesMayCrossThePiecesThatAreRead) {
    std::string text;
    for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + ",7\n";  // several megabytes
    const Matrix<float> read = read_text(text);
    ASSERT_EQ(read.rows(), 300'000u);
    for (std::size_t i = 0; i < read.rows(); ++i) ASSERT_EQ(read[i][0], static_cast<float>(i));
}

TEST(Text, GzipIsReadAsItsContentIs) {
    const TemporaryDirectory directory;
    for (const char* name : {"a.csv.gz", "a.tsv.gz", "a.csv"}) {
        write_gzip(directory / name, "1\t2\n3\t4\n");
        EXPECT_EQ(read_vectors(directory / name), Matrix<float>(2, 2, {1, 2, 3, 4})) << name;
    }
    const std::string whole = read_raw(directory / "a.csv.gz");
    write_raw(directory / "cut.csv.gz", whole.substr(0, whole.size() - 6));
    expect_error([&] { VectorReader(directory / "cut.csv.gz"); }, {"cut.csv.gz: truncated"});
    write_raw(directory / "more.csv.gz", whole + "x");
    expect_error([&] { VectorReader(directory / "more.csv.gz"); }, {"more.csv.gz: trailing bytes: 1"});
}

TEST(Text, TheLocaleDoesNotMatter) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    const Matrix<float> read = read_text("1.5;2.5\n");
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_EQ(read, Matrix<float>(1, 2, {1.5f, 2.5f}));
    expect_error([] { read_text("1,5;2,5\n"); }, {"holds no line of numbers"});
    expect_error([] { read_text("1;2\n1,5;2,5\n"); }, {"line 2, column 1 is '1,5', expected a finite number"});
}

TEST(Text, ErrorsNameLineAndColumn) {
    expect_error([] { read_text("1,2\n3,nan\n"); }, {"a.csv: line 2, column 2 is 'nan', expected a finite number"});
    expect_error([] { read_text("1,2\ninf,3\n"); }, {"line 2, column 1 is 'inf'"});
    expect_error([] { read_text("1,2\n3,1e39\n"); }, {"line 2, column 2 is '1e39'"});
    expect_error([] { read_text("1,2\n3,\n"); }, {"line 2, column 2 is empty, expected a finite number"});
    expect_error([] { read_text("1,2\n3,4x\n"); }, {"line 2, column 2 is '4x'"});
    expect_error([] { read_text("1,2\n3,+-4\n"); }, {"line 2, column 2 is '+-4'"});
    expect_error([] { read_text("x,y\n\n1,2\n3\n"); }, {"line 4 has 1 numbers, expected 2 as in line 3"});
    expect_error([] { read_text("1,2\n3,4,5\n"); }, {"line 2 has 3 numbers, expected 2 as in line 1"});
    expect_error([] { read_text("1\n" + std::string(100, 'x') + "\n"); },
                 {"line 2, column 1 is '" + std::string(30, 'x') + "...'"});
    expect_error([] { read_text(std::string("1\n\0\x01\n", 5)); }, {"line 2, column 1 is '?"
                                                                    "?'"});
}

TEST(Text, WithoutNumbersThereAreNoVectors) {
    expect_error([] { read_text(""); }, {"a.csv: the file is empty"});
    expect_error([] { read_text("\n \n"); }, {"a.csv: holds no line of numbers"});
    expect_error([] { read_text("x,y\n"); }, {"a.csv: holds no line of numbers"});
}

TEST(Text, ALineWithoutEndIsRefused) {
    expect_error([] { read_text(std::string((64 << 20) + 1, '1')); }, {"a.csv: line 1 is longer than 67108864 bytes"});
}

TEST(Text, NumbersTooSmallForFloatAreZero) { EXPECT_EQ(read_text("1e-50\n"), Matrix<float>(1, 1, {0})); }

}  // namespace summand::test
