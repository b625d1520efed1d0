#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>

#include "summand/error.h"

namespace summand {

std::string reason(int error) { return std::generic_category().message(error); }

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer; regular files do not heed it.
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    require(descriptor_ >= 0, path_, ": cannot open for reading: ", reason(errno));
    struct stat status {};
    const bool known = ::fstat(descriptor_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        require(!S_ISDIR(status.st_mode), path_, ": is a directory, expected a file");
        throw Error(path_ + ": is not a regular file, expected one whose size is known");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    assert(offset <= size_ && out.size() <= size_ - offset);
    while (!out.empty()) {
        const ::ssize_t got = ::pread(descriptor_, out.data(), out.size(), static_cast<::off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        require(got >= 0, path_, ": cannot read at byte ", offset, ": ", reason(errno));
        require(got > 0, path_, ": ended at byte ", offset, " while it was read; it had ", size_, " bytes when opened");
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
}

void MemoryBytes::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    assert(offset <= bytes_.size() && out.size() <= bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
}

}  // namespace summand
