#include "io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

void ByteSource::read_pieces(std::span<const std::uint64_t> offsets, std::size_t size, std::byte* out) const {
    for (const std::uint64_t offset : offsets) {
        read_at(offset, {out, size});
        out += size;
    }
}

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

// False where a part of the bytes would have to be waited for, or where the file system cannot tell.
bool InputFile::read_cached(std::uint64_t offset, std::span<std::byte> out) const {
    const ::iovec room{out.data(), out.size()};
    return ::preadv2(descriptor_, &room, 1, static_cast<::off_t>(offset), RWF_NOWAIT) ==
           static_cast<::ssize_t>(out.size());
}

void InputFile::read_pieces(std::span<const std::uint64_t> offsets, std::size_t size, std::byte* out) const {
    const auto piece = [&](std::size_t i) { return std::span(out + i * size, size); };
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < offsets.size(); ++i)
        if (!read_cached(offsets[i], piece(i))) missing.push_back(i);
    if (missing.empty()) return;
    // Else the system reads on behind pieces that lie close together.
    ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
    for (const std::size_t i : missing)
        ::posix_fadvise(descriptor_, static_cast<::off_t>(offsets[i]), static_cast<::off_t>(size), POSIX_FADV_WILLNEED);
    for (const std::size_t i : missing) read_at(offsets[i], piece(i));
}

void MemoryBytes::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    assert(offset <= bytes_.size() && out.size() <= bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
}

}  // namespace summand
