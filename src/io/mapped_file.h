// A file in memory without a copy: pages are read when they are first used, and shared with other processes.
//
// A file that is cut short while it is mapped ends the process that reads it. Containers are never changed in place
// (io/atomic_file.h), so only another program can do that.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace summand {

class MappedFile {
public:
    /// Throws `Error` for a missing or unreadable file and for what is not a regular file.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace summand
