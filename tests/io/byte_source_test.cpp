#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/support.h"

namespace summand::test {

TEST(InputFile, ReadsAnyRange) {
    const TemporaryDirectory directory;
    write_raw(directory / "a", "0123456789");
    const InputFile file(directory / "a");
    EXPECT_EQ(file.size(), 10u);
    std::string part(4, ' ');
    file.read_at(3, std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(part, "3456");
}

TEST(InputFile, SaysWhatIsMissing) {
    const TemporaryDirectory directory;
    expect_error([&] { InputFile(directory / "none"); }, {directory / "none", "No such file or directory"});
}

TEST(InputFile, RefusesADirectoryAndAPipe) {
    const TemporaryDirectory directory;
    expect_error([&] { InputFile(directory.path().string()); }, {"is a directory, expected a file"});
    ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
    expect_error([&] { InputFile(directory / "pipe"); }, {"is not a regular file"});
}

TEST(InputFile, SaysThatItMayNotRead) {
    const TemporaryDirectory directory;
    write_raw(directory / "secret", "x");
    ASSERT_EQ(::chmod((directory / "secret").c_str(), 0), 0);
    ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
    const ::uid_t user = ::geteuid();
    constexpr ::uid_t kNobody = 65534;
    if (user == 0 && ::seteuid(kNobody) != 0) GTEST_SKIP() << "root reads everything and cannot become another user";
    expect_error([&] { InputFile(directory / "secret"); }, {"secret: cannot open for reading: Permission denied"});
    ASSERT_EQ(::seteuid(user), 0);
}

TEST(InputFile, AFileThatShrinksIsAnErrorAndNotACrash) {
    const TemporaryDirectory directory;
    write_raw(directory / "a", std::string(10000, 'x'));
    const InputFile file(directory / "a");
    std::filesystem::resize_file(directory / "a", 5000);
    std::vector<std::byte> part(10000);
    expect_error([&] { file.read_at(0, part); }, {"ended at byte 5000 while it was read; it had 10000 bytes"});
}

TEST(InputFile, PiecesAreThoseOfSingleReadsWhetherCachedOrNot) {
    const TemporaryDirectory directory;
    std::string text(1 << 20, ' ');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 7);
    write_raw(directory / "a", text);
    const InputFile file(directory / "a");
    const std::vector<std::uint64_t> offsets{700'000, 0, 4090, 4090, text.size() - 100};
    for (const bool cached : {true, false}) {
        if (!cached) {
            ASSERT_EQ(::fsync(file.descriptor()), 0);  // pages that are not written yet cannot be dropped
            ASSERT_EQ(::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED), 0);
        }
        std::string pieces(offsets.size() * 100, ' ');
        file.read_pieces(offsets, 100, std::as_writable_bytes(std::span(pieces)).data());
        for (std::size_t i = 0; i < offsets.size(); ++i)
            EXPECT_EQ(pieces.substr(i * 100, 100), text.substr(offsets[i], 100)) << cached << " " << i;
    }
}

TEST(InputFile, PiecesOfAFileThatShrinksAreAnErrorAndNotACrash) {
    const TemporaryDirectory directory;
    write_raw(directory / "a", std::string(10000, 'x'));
    const InputFile file(directory / "a");
    std::filesystem::resize_file(directory / "a", 5000);
    std::vector<std::byte> pieces(300);
    const std::vector<std::uint64_t> offsets{0, 4950, 9900};
    expect_error([&] { file.read_pieces(offsets, 100, pieces.data()); }, {"ended at byte 5000 while it was read"});
}

TEST(MemoryBytes, BorrowedAndOwnedReadTheSame) {
    std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    const MemoryBytes borrowed{std::span<const std::byte>(bytes)};
    const MemoryBytes owned{std::vector<std::byte>(bytes)};
    std::vector<std::byte> a(2), b(2);
    borrowed.read_at(1, a);
    owned.read_at(1, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(a[1], std::byte{3});
    EXPECT_EQ(owned.size(), 3u);
}

}  // namespace summand::test
