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

    /// fsync, rename, fsync of the directory.
    void commit();

private:
    std::string path_;    // as the caller wrote it, for messages
    std::string target_;  // with a symbolic link followed
    std::string temporary_;
    int descriptor_ = -1;
};

/// Appends to a file that exists, and syncs it. After a crash there may be a part of the bytes.
void append_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace summand
