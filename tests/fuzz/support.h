// What the fuzz targets share: whoever reads strange bytes may refuse them by an `Error` and by nothing else.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "summand/error.h"

namespace summand::fuzz {

using Input = std::span<const std::byte>;

inline Input input(const std::uint8_t* data, std::size_t size) { return std::as_bytes(std::span(data, size)); }

/// Runs `work`; false where it threw an `Error`. Whatever else it throws ends the process.
template <class Work>
bool accepted(const Work& work) {
    try {
        work();
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// A law that the bytes must not break.
inline void must(bool holds) {
    if (!holds) std::abort();
}

/// A file in memory, for readers that want a path.
class MemoryFile {
public:
    MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {}
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Replaces what it holds.
    void write(Input bytes) const {
        must(::ftruncate(descriptor_, 0) == 0);
        must(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<::ssize_t>(bytes.size()));
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

}  // namespace summand::fuzz
