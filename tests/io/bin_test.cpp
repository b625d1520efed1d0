#include "io/support.h"

namespace summand::test {

namespace {

std::string header(std::uint32_t rows, std::uint32_t columns) { return bytes_of(rows, columns); }

}  // namespace

TEST(Bin, ReadsEveryElementType) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fbin", header(1, 2) + bytes_of(1.5f, -2.0f));
    write_raw(directory / "a.u8bin", header(1, 2) + bytes_of(std::uint8_t{7}, std::uint8_t{255}));
    write_raw(directory / "a.i8bin", header(1, 2) + bytes_of(std::int8_t{7}, std::int8_t{-128}));
    write_raw(directory / "a.ibin", header(1, 2) + bytes_of(std::int32_t{7}, std::int32_t{-70000}));
    EXPECT_EQ(read_vectors(directory / "a.fbin"), Matrix<float>(1, 2, {1.5f, -2}));
    EXPECT_EQ(read_vectors(directory / "a.u8bin"), Matrix<float>(1, 2, {7, 255}));
    EXPECT_EQ(read_vectors(directory / "a.i8bin"), Matrix<float>(1, 2, {7, -128}));
    EXPECT_EQ(read_vectors(directory / "a.ibin"), Matrix<float>(1, 2, {7, -70000}));
    EXPECT_EQ(VectorReader(directory / "a.u8bin").type(), ElementType::uint8);
    EXPECT_EQ(name(VectorReader(directory / "a.i8bin").type()), "int8");
}

TEST(Bin, RefusesAnEmptyFileAndAHalfHeader) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fbin", "");
    expect_error([&] { VectorReader(directory / "a.fbin"); }, {"a.fbin: the file is empty"});
    write_raw(directory / "a.fbin", "abcde");
    expect_error([&] { VectorReader(directory / "a.fbin"); }, {"truncated: the header takes 8 bytes, the file has 5"});
}

TEST(Bin, RefusesZeroVectorsAndZeroDimensions) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fbin", header(0, 4));
    expect_error([&] { VectorReader(directory / "a.fbin"); }, {"holds zero vectors, expected at least one"});
    write_raw(directory / "a.fbin", header(4, 0));
    expect_error([&] { VectorReader(directory / "a.fbin"); }, {"holds vectors of zero dimensions"});
}

TEST(Bin, RefusesAHeaderThatLies) {
    const TemporaryDirectory directory;
    const std::string data(24, '\0');
    write_raw(directory / "a.fbin", header(3, 3) + data);
    expect_error([&] { VectorReader(directory / "a.fbin"); },
                 {"truncated: the header says 3 vectors of 3 float32, which take 36 bytes; 12 are missing"});
    write_raw(directory / "a.fbin", header(1, 3) + data);
    expect_error([&] { VectorReader(directory / "a.fbin"); }, {"trailing bytes", "12 more follow"});
    write_raw(directory / "a.fbin", header(0xffffffff, 0xffffffff) + data);
    expect_error([&] { VectorReader(directory / "a.fbin"); },
                 {"the header says 4294967295 vectors of 4294967295 dimensions, more than any file can hold"});
}

}  // namespace summand::test
