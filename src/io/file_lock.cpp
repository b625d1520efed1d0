#include "io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/atomic_file.h"
#include "io/file_calls.h"
#include "summand/error.h"

namespace summand {
namespace {

// The path may name another file by now: a holder that went took its own away.
bool names(const std::string& path, int descriptor) {
    struct stat here {
    }, held{};
    return ::stat(path.c_str(), &here) == 0 && ::fstat(descriptor, &held) == 0 && here.st_ino == held.st_ino &&
           here.st_dev == held.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& path, const std::string& busy, Left left) : path_(path), left_(left) {
    for (;;) {
        descriptor_ = file_calls::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        require_written(descriptor_, path);
        const bool held_elsewhere = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!held_elsewhere && names(path, descriptor_)) return;
        ::close(descriptor_);
        require(!held_elsewhere, busy);
    }
}

FileLock::~FileLock() {
    if (left_ == Left::goes) file_calls::unlink(path_.c_str());
    ::close(descriptor_);
}

}  // namespace summand
