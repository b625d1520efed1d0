#include <zlib.h>

#include "io/support.h"

namespace summand::test {

namespace {

std::string big(std::uint32_t value) {
    std::string bytes(4, '\0');
    for (int i = 0; i < 4; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
    return bytes;
}

std::string idx(char type, std::initializer_list<std::uint32_t> sizes, const std::string& data) {
    std::string bytes{'\0', '\0', type, static_cast<char>(sizes.size())};
    for (const std::uint32_t size : sizes) bytes += big(size);
    return bytes + data;
}

void write_gzip(const std::string& path, const std::string& bytes) {
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
}

const Matrix<float> kExpected(2, 4, {1, 2, 3, 4, 5, 6, 7, 255});

std::string images() { return idx(8, {2, 2, 2}, "\1\2\3\4\5\6\7\xff"); }

}  // namespace

TEST(Idx, ReadsRawAndCompressedAlike) {
    const TemporaryDirectory directory;
    write_raw(directory / "train-images-idx3-ubyte", images());
    write_raw(directory / "images.idx", images());
    write_gzip(directory / "train-images-idx3-ubyte.gz", images());
    EXPECT_EQ(read_vectors(directory / "train-images-idx3-ubyte"), kExpected);
    EXPECT_EQ(read_vectors(directory / "images.idx"), kExpected);
    EXPECT_EQ(read_vectors(directory / "train-images-idx3-ubyte.gz"), kExpected);
}

TEST(Idx, IsKnownByItsFirstBytesWhateverItsName) {
    const TemporaryDirectory directory;
    write_raw(directory / "digits.dat", images());
    EXPECT_EQ(read_vectors(directory / "digits.dat"), kExpected);
}

TEST(Idx, RefusesLabelsAndOtherElementTypes) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.idx", idx(8, {3}, "abc"));
    expect_error([&] { VectorReader(directory / "a.idx"); }, {"idx file of 1 dimensions, expected 2 to 4"});
    write_raw(directory / "a.idx", idx(13, {1, 1}, "abcd"));
    expect_error([&] { VectorReader(directory / "a.idx"); }, {"idx element type 13, expected 8 (uint8) or 9 (int8)"});
    write_raw(directory / "a.idx", "text");
    expect_error([&] { VectorReader(directory / "a.idx"); }, {"does not begin as an MNIST idx file does"});
}

TEST(Idx, RefusesARawHeaderThatLies) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.idx";
    write_raw(path, "");
    expect_error([&] { VectorReader reader(path); }, {"a.idx: the file is empty"});
    write_raw(path, images().substr(0, 9));
    expect_error([&] { VectorReader reader(path); }, {"truncated: the idx header takes 16 bytes, the file has 9"});
    write_raw(path, images() + "x");
    expect_error([&] { VectorReader reader(path); }, {"trailing bytes", "1 more follow"});
    write_raw(path, idx(8, {1, 0xffffffff, 0xffffffff, 0xffffffff}, "x"));
    expect_error([&] { VectorReader reader(path); }, {"multiply to more than any file can hold"});
}

TEST(Idx, RefusesCompressedDataThatDiffersFromItsHeader) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.gz";
    write_gzip(path, images().substr(0, 20));
    expect_error([&] { VectorReader reader(path); }, {"truncated: the header says 8 bytes, the compressed data has 4"});
    write_gzip(path, images() + "more");
    expect_error([&] { VectorReader reader(path); }, {"trailing bytes: the compressed data goes on after the 8 bytes"});
    write_gzip(path, "ab");
    expect_error([&] { VectorReader reader(path); }, {"truncated: no idx header inside"});
}

TEST(Idx, NeverAllocatesMoreThanTheCompressedBytesCanHold) {
    const TemporaryDirectory directory;
    write_gzip(directory / "a.gz", idx(8, {0xffffffff, 1000, 1000}, "x"));
    expect_error([&] { VectorReader(directory / "a.gz"); },
                 {"the header says 4294967295 vectors of 1000000 dimensions, more than", "compressed bytes can hold"});
}

TEST(Idx, RefusesDamagedTruncatedAndExtendedGzip) {
    const TemporaryDirectory directory;
    const std::string path = directory / "a.gz";
    write_gzip(path, images());
    const std::string good = read_raw(path);
    write_raw(path, good.substr(0, good.size() - 4));
    expect_error([&] { VectorReader reader(path); }, {"truncated: the compressed data has no end"});
    write_raw(path, good + "xyz");
    expect_error([&] { VectorReader reader(path); }, {"trailing bytes: 3 follow the compressed data"});
    std::string bad = good;
    bad[bad.size() - 6] ^= 1;  // in the checksum
    write_raw(path, bad);
    expect_error([&] { VectorReader reader(path); }, {"damaged or not gzip: incorrect data check"});
}

}  // namespace summand::test
