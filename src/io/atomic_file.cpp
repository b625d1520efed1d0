#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "io/byte_source.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestWrite = 1 << 30;  // Linux writes less than 2 GiB at once

/// Where the file will lie: a symbolic link is kept and what it points to replaced.
std::string target_of(const std::string& path) {
    require(!path.empty(), "cannot write: expected the name of a file, got an empty one");
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    require(!fs::is_directory(status), path, ": cannot write: is a directory, expected a file");
    require(!fs::exists(status) || fs::is_regular_file(status), path, ": cannot write: is not a regular file");
    if (!fs::exists(status) || !fs::is_symlink(fs::symlink_status(path, error))) return path;
    return fs::canonical(path, error).string();
}

std::string directory_of(const std::string& path) {
    const std::string parent = fs::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

/// A name that no other writer uses, in this process or another.
std::string temporary_name(const std::string& target) {
    static std::atomic<unsigned> writers{0};
    return concatenate(target, ".tmp-", ::getpid(), "-", writers++);
}

/// Makes the rename last. Some file systems have no fsync for directories (EINVAL): there is nothing to wait for.
void sync_directory(const std::string& path, const std::string& target) {
    const int directory = ::open(directory_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(directory >= 0, path, ": written, but its directory cannot be opened: ", reason(errno));
    const int error = ::fsync(directory) == 0 ? 0 : errno;
    ::close(directory);
    require(error == 0 || error == EINVAL, path, ": written, but its directory cannot be synced: ", reason(error));
}

void write_all(int descriptor, const std::string& path, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t done = ::write(descriptor, bytes.data(), std::min(bytes.size(), kLargestWrite));
        if (done < 0 && errno == EINTR) continue;
        require_written(done, path);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
}

/// Closes it in the end, whatever happens.
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

void require_written(std::int64_t result, const std::string& path) {
    const int error = errno;
    require(result >= 0, path, ": cannot write: ", reason(error));
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(target_of(path)) {
    std::error_code error;
    const std::string directory = directory_of(target_);
    require(fs::is_directory(directory, error), path, ": cannot write: the directory ", directory, " does not exist");
    do {  // a name may be taken by what an earlier process of the same number left when it was killed
        temporary_ = temporary_name(target_);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    require_written(descriptor_, path);
    struct ::stat replaced;
    if (::stat(target_.c_str(), &replaced) == 0) require_written(::fchmod(descriptor_, replaced.st_mode & 0777), path);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::append(std::span<const std::byte> bytes) { write_all(descriptor_, path_, bytes); }

void AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        require_written(done, path_);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
}

void AtomicFile::complete() {
    if (descriptor_ < 0) return;
    require_written(::fsync(descriptor_), path_);
    require_written(::close(std::exchange(descriptor_, -1)), path_);
}

void AtomicFile::commit() {
    complete();
    require_written(std::rename(temporary_.c_str(), target_.c_str()), path_);
    temporary_.clear();
    sync_directory(path_, target_);
}

void append_file(const std::string& path, std::span<const std::byte> bytes) {
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
    require_written(file.number, path);
    write_all(file.number, path, bytes);
    require_written(::fsync(file.number), path);
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
    AtomicFile file(path);
    file.append(bytes);
    file.commit();
}

}  // namespace summand
