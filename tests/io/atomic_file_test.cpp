#include "io/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "io/support.h"

namespace summand::test {

namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST(AtomicFile, TheOldContentStaysUntilTheCommit) {
    const TemporaryDirectory directory;
    write_file(directory / "a", bytes("old"));
    AtomicFile file(directory / "a");
    file.append(bytes("ne"));
    file.append(bytes("w"));
    EXPECT_EQ(read_raw(directory / "a"), "old");
    file.commit();
    EXPECT_EQ(read_raw(directory / "a"), "new");
    EXPECT_EQ(directory.files(), 1u);
}

TEST(AtomicFile, WithoutACommitNothingIsLeft) {
    const TemporaryDirectory directory;
    {
        AtomicFile file(directory / "a");
        file.append(bytes("half"));
        EXPECT_EQ(directory.files(), 1u);
    }
    EXPECT_EQ(directory.files(), 0u);
}

TEST(AtomicFile, BytesThatWereAppendedCanBeReplaced) {
    const TemporaryDirectory directory;
    AtomicFile file(directory / "a");
    file.append(bytes("0123456"));
    file.overwrite(2, bytes("ab"));
    file.append(bytes("789"));
    file.commit();
    EXPECT_EQ(read_raw(directory / "a"), "01ab456789");
}

TEST(AtomicFile, FilesGrowAtTheirEnd) {
    const TemporaryDirectory directory;
    write_file(directory / "a", bytes("one"));
    append_file(directory / "a", bytes(", two"));
    append_file(directory / "a", {});
    EXPECT_EQ(read_raw(directory / "a"), "one, two");
    expect_error([&] { append_file(directory / "missing", bytes("x")); },
                 {"missing: cannot write: No such file or directory"});
}

TEST(AtomicFile, ASymbolicLinkIsKept) {
    const TemporaryDirectory directory;
    write_file(directory / "real", bytes("old"));
    std::filesystem::create_symlink(directory / "real", directory / "link");
    write_file(directory / "link", bytes("new"));
    EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
    EXPECT_EQ(read_raw(directory / "real"), "new");
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
    const TemporaryDirectory directory;
    expect_error([&] { write_file(directory / "none/a", bytes("x")); },
                 {"none/a: cannot write: the directory", "does not exist"});
    expect_error([&] { write_file(directory.path().string(), bytes("x")); }, {"is a directory, expected a file"});
    expect_error([&] { write_file("", bytes("x")); }, {"cannot write: expected the name of a file, got an empty one"});
    expect_error([&] { write_file("/dev/null", bytes("x")); }, {"/dev/null: cannot write: is not a regular file"});
}

// fsync of a device fails; its reason was read before it was called.
TEST(AtomicFile, TheReasonIsThatOfTheCallThatFailed) {
    errno = 0;
    expect_error([&] { append_file("/dev/null", bytes("x")); }, {"/dev/null: cannot write: Invalid argument"});
    errno = ENOSPC;
    expect_error([&] { require_written(-1, "a"); }, {"a: cannot write: No space left on device"});
}

TEST(AtomicFile, AReplacedFileKeepsItsPermissions) {
    const TemporaryDirectory directory;
    write_file(directory / "a", bytes("old"));
    for (const ::mode_t mode : {0600u, 0640u, 0444u}) {
        ASSERT_EQ(::chmod((directory / "a").c_str(), mode), 0);
        write_file(directory / "a", bytes("new"));
        struct ::stat status;
        ASSERT_EQ(::stat((directory / "a").c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, mode);
    }
}

TEST(AtomicFile, SaysThatTheDirectoryIsNotWritable) {
    const TemporaryDirectory directory;
    ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
    const ::uid_t user = ::geteuid();
    constexpr ::uid_t kNobody = 65534;
    if (user == 0 && ::seteuid(kNobody) != 0) GTEST_SKIP() << "root writes everywhere and cannot become another user";
    expect_error([&] { write_file(directory / "a", bytes("x")); }, {"a: cannot write: Permission denied"});
    ASSERT_EQ(::seteuid(user), 0);
    ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
}

TEST(AtomicFile, WhatAKilledWriterLeftIsRemovedByTheNextOne) {
    const TemporaryDirectory directory;
    const ::pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(directory / "a");
        file.append(bytes("half"));
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(directory.files(), 1u);
    write_file(directory / "b", bytes("another"));
    EXPECT_EQ(directory.files(), 2u);
    write_file(directory / "a", bytes("whole"));
    EXPECT_EQ(directory.files(), 2u);
    EXPECT_EQ(read_raw(directory / "a"), "whole");
}

TEST(AtomicFile, WritersThatLiveKeepTheirFiles) {
    const TemporaryDirectory directory;
    AtomicFile first(directory / "a");
    first.append(bytes("first"));
    AtomicFile second(directory / "a");
    second.append(bytes("second"));
    second.commit();
    EXPECT_EQ(read_raw(directory / "a"), "second");
    first.commit();
    EXPECT_EQ(read_raw(directory / "a"), "first");
    EXPECT_EQ(directory.files(), 1u);
}

TEST(AtomicFile, OnlyFilesOfItsOwnNamesAreRemoved) {
    const TemporaryDirectory directory;
    for (const char* name : {"a.tmp-12-notes", "a.tmp-", "ba.tmp-1-2", "a.tmp"}) write_raw(directory / name, "mine");
    std::filesystem::create_directory(directory / "a.tmp-3-4");
    write_raw(directory / "a.tmp-1-2", "left behind");
    write_file(directory / "a", bytes("x"));
    EXPECT_EQ(directory.files(), 6u);
    EXPECT_FALSE(std::filesystem::exists(directory / "a.tmp-1-2"));
}

// A limit on file sizes stops the write half-way, as a full disk does, in a child so that the limit ends with it.
TEST(AtomicFile, AWriteThatFailsHalfWayKeepsTheOldFileAndLeavesNothing) {
    const TemporaryDirectory directory;
    write_file(directory / "a", bytes("old"));
    const ::pid_t child = ::fork();
    if (child == 0) {
        const ::rlimit limit{4096, 4096};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
        try {
            write_file(directory / "a", bytes(std::string(10000, 'x')));
        } catch (const Error& error) {
            const bool named =
                std::string_view(error.what()).find("a: cannot write: File too large") != std::string::npos;
            ::_exit(named ? 0 : 2);
        }
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_raw(directory / "a"), "old");
    EXPECT_EQ(directory.files(), 1u);
}

}  // namespace summand::test
