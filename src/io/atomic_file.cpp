#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/byte_source.h"
#include "io/descriptor.h"
#include "io/file_calls.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".tmp-";  // after the target's name; then the process and a number

/// Closes it in the end, whatever happens.
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

/// Where the file will lie: a symbolic link is kept and what it points to replaced.
std::string target_of(const std::string& path) {
    require(!path.empty(), "cannot write: expected the name of a file, got an empty one");
    require(path != "-", path,
            ": cannot write: standard output takes ids and vectors only, as in ivecs:-; a file of "
            "this name is ./-");
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
    return concatenate(target, kTemporary, ::getpid(), "-", writers++);
}

bool is_temporary_of(const fs::path& file, const std::string& target) {
    const std::string name = file.filename().string(), start = fs::path(target).filename().string();
    if (!name.starts_with(start + std::string(kTemporary))) return false;
    const std::string_view rest = std::string_view(name).substr(start.size() + kTemporary.size());
    return !rest.empty() && rest.find_first_not_of("0123456789-") == std::string_view::npos;
}

/// Removes the file if it can be locked: a living writer holds the lock of its own file.
void remove_unless_held(const fs::path& file) {
    const Descriptor left{file_calls::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (left.number >= 0 && ::flock(left.number, LOCK_EX | LOCK_NB) == 0) file_calls::unlink(file.c_str());
}

/// Removes what killed writers of the target left. A failure is no error, since the target can be written all the same.
void remove_left_behind(const std::string& target) {
    std::error_code error;
    for (fs::directory_iterator entry(directory_of(target), error), end; !error && entry != end; entry.increment(error))
        if (is_temporary_of(entry->path(), target)) remove_unless_held(entry->path());
}

/// Holds a new file for this writer. False where another one took it for one left behind before it was locked. File
/// systems without locks are no error: there, nothing can be locked by others either, so nothing is removed.
bool hold(int descriptor) {
    ::flock(descriptor, LOCK_EX);
    struct stat status {};
    return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

/// Creates a file that no other writer uses, and holds it; below zero with errno set where that fails.
int create_temporary(const std::string& target, std::string& name) {
    for (;;) {
        name = temporary_name(target);
        const int descriptor = file_calls::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST) continue;  // left by a killed process of the same number
        if (descriptor < 0 || hold(descriptor)) return descriptor;
        ::close(descriptor);
    }
}

}  // namespace

/// Some file systems have no fsync for directories (EINVAL): there is nothing to wait for.
void sync_folder(const std::string& folder) {
    const int directory = file_calls::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(directory >= 0, folder, ": written to, but it cannot be opened: ", reason(errno));
    const int error = file_calls::sync(directory) == 0 ? 0 : errno;
    ::close(directory);
    require(error == 0 || error == EINVAL, folder, ": written to, but it cannot be synced: ", reason(error));
}

void require_written(std::int64_t result, const std::string& path) {
    const int error = errno;
    require(result >= 0, path, ": cannot write: ", reason(error));
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(target_of(path)) {
    std::error_code error;
    const std::string directory = directory_of(target_);
    require(fs::is_directory(directory, error), path, ": cannot write: the directory ", directory, " does not exist");
    remove_left_behind(target_);
    descriptor_ = create_temporary(target_, temporary_);
    if (descriptor_ < 0) {
        const int reason_of_failure = errno;
        temporary_.clear();
        throw Error(concatenate(path, ": cannot write: ", reason(reason_of_failure)));
    }
    struct ::stat replaced;
    if (::stat(target_.c_str(), &replaced) == 0) require_written(::fchmod(descriptor_, replaced.st_mode & 0777), path);
}

AtomicFile::AtomicFile(const StandardOutput& output)
    : path_(output.name), descriptor_(TemporaryFile(output.name).release()) {}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) file_calls::unlink(temporary_.c_str());
}

void AtomicFile::append(std::span<const std::byte> bytes) { write_all(descriptor_, path_, bytes); }

void AtomicFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t done =
            file_calls::write_at(descriptor_, bytes.data(), bytes.size(), static_cast<::off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        require_written(done, path_);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
}

void AtomicFile::copy_to_standard_output() {
    std::vector<std::byte> piece(1 << 20);
    for (::off_t offset = 0;;) {
        const ::ssize_t got = ::pread(descriptor_, piece.data(), piece.size(), offset);
        if (got < 0 && errno == EINTR) continue;
        const int error = errno;
        require(got >= 0, path_, ": cannot read its temporary file: ", reason(error));
        if (got == 0) return;
        write_all(STDOUT_FILENO, path_, std::span(piece).first(static_cast<std::size_t>(got)));
        offset += got;
    }
}

void AtomicFile::complete() {
    if (!target_.empty()) require_written(file_calls::sync(descriptor_), path_);
}

void AtomicFile::commit(NameLasts lasts) {
    if (target_.empty()) return copy_to_standard_output();
    complete();
    // Renamed before it is closed: the lock must outlive the temporary name.
    require_written(file_calls::rename(temporary_.c_str(), target_.c_str()), path_);
    temporary_.clear();
    require_written(::close(std::exchange(descriptor_, -1)), path_);
    if (lasts == NameLasts::now) sync_folder(directory_of(target_));
}

void append_file(const std::string& path, std::span<const std::byte> bytes) {
    const Descriptor file{file_calls::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
    require_written(file.number, path);
    write_all(file.number, path, bytes);
    require_written(file_calls::sync(file.number), path);
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
    AtomicFile file(path);
    file.append(bytes);
    file.commit();
}

}  // namespace summand
