// A file that appears whole or not at all: written beside its target under another name, then renamed.
//
//     AtomicFile file(path);
//     file.append(bytes);          // any number of times
//     file.commit();               // without it, nothing is left behind
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace summand {

class AtomicFile {
public:
    /// Throws `Error` where the directory is missing or not writable, or the target is no regular file.
    explicit AtomicFile(const std::string& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void append(std::span<const std::byte> bytes);

    /// Replaces bytes that were appended, from `offset` on.
    void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

    /// fsync: everything is on the disk, still under another name. Nothing can be appended any more.
    void complete();

    /// `complete`, rename, fsync of the directory. A file that is replaced hands on its permissions.
    void commit();

private:
    std::string path_;    // as the caller wrote it, for messages
    std::string target_;  // with a symbolic link followed
    std::string temporary_;
    int descriptor_ = -1;
};

/// Throws `Error` with the reason of a system call that failed: one that has just returned less than zero. A call of
/// its own, so that the reason is not asked for before the system call.
void require_written(std::int64_t result, const std::string& path);

/// Appends to a file that exists, and syncs it. After a crash there may be a part of the bytes.
void append_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace summand
