#include "io/support.h"

namespace summand::test {

namespace {

std::string row(std::int32_t columns, float a, float b) { return bytes_of(columns, a, b); }

}  // namespace

TEST(Vecs, ReadsRowsBetweenTheirHeaders) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fvecs", row(2, 1, 2) + row(2, 3, 4));
    EXPECT_EQ(read_vectors(directory / "a.fvecs"), Matrix<float>(2, 2, {1, 2, 3, 4}));
}

TEST(Vecs, NamesTheRowWhoseHeaderDiffers) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fvecs", row(2, 1, 2) + row(2, 3, 4) + row(3, 5, 6));
    expect_error([&] { read_vectors(directory / "a.fvecs"); },
                 {"a.fvecs: row 2 has 3 dimensions, expected 2 as in row 0"});
}

TEST(Vecs, RefusesAnEmptyFile) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.bvecs", "");
    expect_error([&] { VectorReader(directory / "a.bvecs"); }, {"a.bvecs: the file is empty"});
}

TEST(Vecs, RefusesDimensionsBelowOne) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fvecs", row(-3, 1, 2));
    expect_error([&] { VectorReader(directory / "a.fvecs"); }, {"row 0 has -3 dimensions, expected at least 1"});
    write_raw(directory / "a.fvecs", row(0, 1, 2));
    expect_error([&] { VectorReader(directory / "a.fvecs"); }, {"row 0 has 0 dimensions"});
}

TEST(Vecs, RefusesAHeaderLargerThanTheFile) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fvecs", row(0x7fffffff, 1, 2));
    expect_error([&] { VectorReader(directory / "a.fvecs"); },
                 {"truncated: row 0 has 2147483647 dimensions and takes 8589934592 bytes, the file has 12"});
    write_raw(directory / "b.fvecs", "ab");
    expect_error([&] { VectorReader(directory / "b.fvecs"); },
                 {"truncated: a row begins with 4 bytes, the file has 2"});
}

TEST(Vecs, RefusesATornLastRow) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fvecs", row(2, 1, 2) + row(2, 3, 4).substr(0, 7));
    expect_error(
        [&] { VectorReader(directory / "a.fvecs"); },
        {"truncated or with trailing bytes", "take 12 bytes each, the file has 19, which is 1 rows and 7 bytes"});
}

}  // namespace summand::test
