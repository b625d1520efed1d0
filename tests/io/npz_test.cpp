#include <zlib.h>

#include "io/npy.h"
#include "io/support.h"

namespace summand::test {

namespace {

std::string npy_of(const Matrix<float>& values) {
    const std::string text = concatenate("{'descr': '<f4', 'fortran_order': False, 'shape': (", values.rows(), ", ",
                                         values.columns(), "), }\n");
    return std::string(kNpyMagic) +
           bytes_of(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(text.size())) + text +
           std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size());
}

std::string deflated(const std::string& content) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(content.size() + 1000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

/// What the archive says of a member; zeros are replaced by what is true.
struct Claim {
    std::uint16_t flags = 0, method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t size = 0;
};

struct Member {
    std::string name, content;
    Claim claim = {};
};

/// An archive; `wide`: with sizes and places in zip64 fields, as NumPy writes those of more than 4 GB.
std::string zip_of(const std::vector<Member>& members, bool wide = false) {
    std::string archive, directory;
    for (const Member& member : members) {
        const std::string& content = member.content;
        const std::string stored = member.claim.method == 8 ? deflated(content) : content;
        const auto sum = static_cast<std::uint32_t>(
            crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
        const std::uint32_t checksum = member.claim.checksum ? member.claim.checksum : sum;
        const std::uint64_t size = member.claim.size ? member.claim.size : content.size();
        const auto narrow = [&](std::uint64_t value) { return wide ? 0xffffffffu : static_cast<std::uint32_t>(value); };
        const std::string extra = wide ? bytes_of(std::uint16_t{1}, std::uint16_t{24}, size,
                                                  std::uint64_t{stored.size()}, std::uint64_t{archive.size()})
                                       : "";
        const auto name_size = static_cast<std::uint16_t>(member.name.size());
        const auto extra_size = static_cast<std::uint16_t>(extra.size());
        directory +=
            bytes_of(0x02014b50u, std::uint16_t{45}, std::uint16_t{45}, member.claim.flags, member.claim.method, 0u,
                     checksum, narrow(stored.size()), narrow(size), name_size, extra_size, std::uint16_t{0},
                     std::uint16_t{0}, std::uint16_t{0}, 0u, narrow(archive.size())) +
            member.name + extra;
        archive += bytes_of(0x04034b50u, std::uint16_t{45}, member.claim.flags, member.claim.method, 0u, checksum,
                            narrow(stored.size()), narrow(size), name_size, std::uint16_t{4}) +
                   member.name + "pad!" + stored;
    }
    const std::uint64_t place = archive.size(), count = members.size();
    archive += directory;
    const std::uint64_t end64 = archive.size();
    if (wide)
        archive += bytes_of(0x06064b50u, std::uint64_t{44}, std::uint16_t{45}, std::uint16_t{45}, 0u, 0u, count, count,
                            std::uint64_t{directory.size()}, place) +
                   bytes_of(0x07064b50u, 0u, end64, 1u);
    const auto narrow = [&](std::uint64_t value) { return wide ? 0xffffffffu : static_cast<std::uint32_t>(value); };
    return archive +
           bytes_of(0x06054b50u, 0u, static_cast<std::uint16_t>(count), static_cast<std::uint16_t>(count),
                    narrow(directory.size()), narrow(place), std::uint16_t{7}) +
           "comment";
}

const Matrix<float> kOne(2, 3, {1, 2, 3, 4, 5, 6}), kTwo(1, 2, {7, 8});

std::string write_zip(const TemporaryDirectory& directory, const std::vector<Member>& members, bool wide = false) {
    write_raw(directory / "a.npz", zip_of(members, wide));
    return directory / "a.npz";
}

}  // namespace

TEST(Npz, ReadsStoredAndCompressedArraysByName) {
    const TemporaryDirectory directory;
    for (const bool wide : {false, true}) {
        const std::string path =
            write_zip(directory, {{"one.npy", npy_of(kOne)}, {"two.npy", npy_of(kTwo), {.method = 8}}}, wide);
        EXPECT_EQ(read_vectors(path + ":one"), kOne);
        EXPECT_EQ(read_vectors(path + ":two"), kTwo);
        EXPECT_EQ(read_vectors(path + ":two.npy"), kTwo);
        EXPECT_EQ(read_vectors("npz:" + path + ":two"), kTwo);
    }
}

TEST(Npz, TheOnlyArrayNeedsNoName) {
    const TemporaryDirectory directory;
    EXPECT_EQ(read_vectors(write_zip(directory, {{"one.npy", npy_of(kOne), {.method = 8}}})), kOne);
}

TEST(Npz, AnyRowsOfALargeArrayAreRead) {
    const TemporaryDirectory directory;
    const Matrix<float> large = random_matrix(100'000, 5, 1);
    for (const std::uint16_t method : {std::uint16_t{0}, std::uint16_t{8}}) {
        const VectorReader reader(write_zip(directory, {{"x.npy", npy_of(large), {.method = method}}}));
        const Matrix<float> part = reader.read(77'777, 10);
        for (std::size_t i = 0; i < 10; ++i)
            for (std::size_t d = 0; d < 5; ++d) ASSERT_EQ(part[i][d], large[77'777 + i][d]);
    }
}

TEST(Npz, AnArrayThatIsNotThereListsTheOthers) {
    const TemporaryDirectory directory;
    const std::string path = write_zip(directory, {{"one.npy", npy_of(kOne)}, {"two.npy", npy_of(kTwo)}});
    expect_error([&] { VectorReader reader(path); },
                 {"a.npz: holds several arrays, expected one of their names after a colon: one two"});
    expect_error([&] { VectorReader reader(path + ":three"); }, {"has no array three, expected one of: one two"});
    expect_error([&] { VectorReader reader(path + ":"); }, {"expected the name of an array after the colon"});
    expect_error([&] { VectorReader reader(write_zip(directory, {})); }, {"holds no arrays"});
}

TEST(Npz, WhatTheArchiveClaimsIsChecked) {
    const TemporaryDirectory directory;
    const std::string content = npy_of(kOne);
    const auto expect_refused = [&](const Claim& claim, std::initializer_list<std::string_view> parts) {
        const std::string path = write_zip(directory, {{"one.npy", content, claim}});
        expect_error([&] { VectorReader reader(path); }, parts);
    };
    expect_refused({.checksum = 1}, {"a.npz: one.npy: the CRC-32 is not as the archive says"});
    expect_refused({.method = 8, .checksum = 1}, {"the CRC-32 is not as the archive says"});
    expect_refused({.flags = 1}, {"one.npy is encrypted"});
    expect_refused({.method = 12}, {"one.npy is compressed by zip method 12, expected 0 (stored) or 8 (deflated)"});
    expect_refused({.size = 5}, {"a stored member has two sizes"});
    expect_refused({.method = 8, .size = 1u << 31}, {"one.npy claims 2147483648 bytes, which", "cannot hold"});
    for (const std::uint64_t size : {content.size() - 1, content.size() + 1})
        expect_refused({.method = 8, .size = size}, {"the compressed data is damaged or not as long"});
}

TEST(Npz, AnArrayIsCheckedAsAnNpyFileIs) {
    const TemporaryDirectory directory;
    const std::string content = npy_of(kOne);
    const std::string path = write_zip(directory, {{"one.npy", content.substr(0, content.size() - 4)}});
    expect_error([&] { VectorReader reader(path); }, {"a.npz: truncated", "4 are missing"});
    expect_error(
        [&] {
            VectorReader reader(write_zip(directory, {{"one.txt", "hello, how are you"}}));
        },
        {"does not begin as an npy file does"});
}

TEST(Npz, ADamagedArchiveIsReadRightOrRefused) {
    const TemporaryDirectory directory;
    for (const bool wide : {false, true}) {
        const std::string whole = zip_of({{"one.npy", npy_of(kOne), {.method = 8}}}, wide);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
            write_raw(directory / "a.npz", damaged);
            try {  // nothing of an array depends on dates and versions
                EXPECT_EQ(read_vectors(directory / "a.npz"), kOne) << i;
            } catch (const Error&) {
            }
        }
        for (std::size_t size = 0; size < whole.size(); ++size) {
            write_raw(directory / "a.npz", whole.substr(0, size));
            EXPECT_THROW(VectorReader(directory / "a.npz"), Error) << size;
        }
    }
}

}  // namespace summand::test
