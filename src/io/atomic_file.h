// A file that appears whole or not at all: written beside its target under another name, then renamed.
//
//     AtomicFile file(path);
//     file.append(bytes);          // any number of times
//     file.commit();               // without it, nothing is left behind
//
// A killed process leaves its temporary file, target.tmp-PID-N. Every writer locks its temporary file as long as it
// lives; the next writer of the same target removes the files that nobody locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace summand {

/// From when on the name of a file survives a crash: before `commit` returns, or once `sync_folder` has, which serves
/// several files at once.
enum class NameLasts : std::uint8_t { now, after_sync };

void sync_folder(const std::string& folder);

/// Asks for standard output instead of a file; `name` stands for it in messages.
struct StandardOutput {
    std::string name;
};

class AtomicFile {
public:
    /// Throws `Error` where the directory is missing or not writable, or the target is no regular file.
    explicit AtomicFile(const std::string& path);

    /// Standard output gets all bytes when they are committed; until then they are in a temporary file.
    explicit AtomicFile(const StandardOutput& output);

    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void append(std::span<const std::byte> bytes);

    /// Replaces bytes that were appended, from `offset` on.
    void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

    /// fsync: everything is on the disk, still under another name. Nothing may be appended any more.
    void complete();

    /// `complete`, rename, fsync of the directory where that is not left to the caller; or the copy to standard output.
    /// A file that is replaced hands on its permissions.
    void commit(NameLasts lasts = NameLasts::now);

private:
    void copy_to_standard_output();

    std::string path_;       // as the caller wrote it, for messages
    std::string target_;     // with a symbolic link followed; empty: standard output
    std::string temporary_;  // empty: without a name, or renamed
    int descriptor_ = -1;
};

/// Throws `Error` with the reason if `result` is below zero, the result of a system call that has just returned. As an
/// argument it is computed before errno is read.
void require_written(std::int64_t result, const std::string& path);

/// Appends to a file that exists, and syncs it. After a crash there may be a part of the bytes.
void append_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace summand
