#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>

#include "io/descriptor.h"
#include "io/file_calls.h"
#include "summand/error.h"

namespace summand {

namespace {

/// True for a regular file that nobody has read a part of: it can be read where it lies.
bool can_be_read_in_place(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && ::lseek(descriptor, 0, SEEK_CUR) == 0;
}

int spooled_standard_input(const std::string& name) {
    if (can_be_read_in_place(STDIN_FILENO)) return STDIN_FILENO;
    TemporaryFile copy(name);
    std::vector<std::byte> piece(1 << 20);
    for (;;) {
        const ::ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        require(got >= 0, name, ": cannot read: ", reason(errno));
        if (got == 0) return copy.release();
        write_all(copy.descriptor(), name, std::span(piece).first(static_cast<std::size_t>(got)));
    }
}

}  // namespace

std::string reason(int error) { return std::generic_category().message(error); }

// Without O_NONBLOCK, opening a named pipe would wait for its writer; regular files ignore it.
InputFile::InputFile(std::string path)
    : InputFile(path, file_calls::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

InputFile::InputFile(std::string name, int descriptor) : path_(std::move(name)), descriptor_(descriptor) {
    require(descriptor_ >= 0, path_, ": cannot open for reading: ", reason(errno));
    struct stat status {};
    const bool known = ::fstat(descriptor_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        require(!S_ISDIR(status.st_mode), path_, ": is a directory, expected a file");
        throw Error(path_ +
                    ": is not a regular file, expected one whose size is known; a pipe can be read from "
                    "standard input, as in fvecs:-");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::unique_ptr<InputFile> InputFile::standard_input(std::string name) {
    static const int descriptor = spooled_standard_input(name);
    return std::unique_ptr<InputFile>(
        new InputFile(std::move(name), ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
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
