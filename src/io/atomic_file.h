// A file that appears whole or not at all: written beside its target under another name, then renamed.
//
//     AtomicFile file(path);
//     file.append(bytes);          // any number of times
//     file.commit();               // without it, nothing is left behind
//
// A process that is killed leaves such a file of another name, target.tmp-PID-N. A writer holds a lock on its own for
// as long as it lives; the next writer of the same target removes those that nobody holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace summand {

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

    /// `complete`, rename, fsync of the directory; or the copy to standard output. A file that is replaced hands on its
    /// permissions.
    void commit();

private:
    void copy_to_standard_output();

    std::string path_;       // as the caller wrote it, for messages
    std::string target_;     // with a symbolic link followed; empty: standard output
    std::string temporary_;  // empty: without a name, or renamed
    int descriptor_ = -1;
};

/// Throws `Error` with the reason of a system call that failed: one that has just returned less than zero. A call of
/// its own, so that the reason is not asked for before the system call.
void require_written(std::int64_t result, const std::string& path);

/// Appends to a file that exists, and syncs it. After a crash there may be a part of the bytes.
void append_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace summand
