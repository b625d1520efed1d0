#include "io/file_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

namespace summand::file_calls {
namespace {

std::atomic<Inject> injected{nullptr};

Fault fault_of(Call call) {
    const Inject inject = injected.load(std::memory_order_relaxed);
    return inject ? inject(call) : Fault{};
}

// Returns what `work` does of at most so many bytes, or `failed` with errno set.
template <class Result, class Work>
Result unless_failed(Call call, Result failed, const Work& work) {
    const Fault fault = fault_of(call);
    if (fault.error == 0) return work(fault.most);
    errno = fault.error;
    return failed;
}

}  // namespace

void set_inject(Inject inject) { injected = inject; }

int open(const char* path, int flags, ::mode_t mode) {
    return unless_failed(Call::open, -1, [&](std::size_t) { return ::open(path, flags, mode); });
}

::ssize_t write(int descriptor, const void* bytes, std::size_t size) {
    return unless_failed<::ssize_t>(Call::write, -1,
                                    [&](std::size_t most) { return ::write(descriptor, bytes, std::min(size, most)); });
}

::ssize_t write_at(int descriptor, const void* bytes, std::size_t size, ::off_t offset) {
    return unless_failed<::ssize_t>(
        Call::write, -1, [&](std::size_t most) { return ::pwrite(descriptor, bytes, std::min(size, most), offset); });
}

int sync(int descriptor) {
    return unless_failed(Call::sync, -1, [&](std::size_t) { return ::fsync(descriptor); });
}

int rename(const char* from, const char* to) {
    return unless_failed(Call::rename, -1, [&](std::size_t) { return std::rename(from, to); });
}

int unlink(const char* path) {
    return unless_failed(Call::unlink, -1, [&](std::size_t) { return ::unlink(path); });
}

void* map(std::size_t size, int descriptor) {
    return unless_failed(Call::map, MAP_FAILED,
                         [&](std::size_t) { return ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0); });
}

int truncate(const char* path, ::off_t size) {
    return unless_failed(Call::truncate, -1, [&](std::size_t) { return ::truncate(path, size); });
}

int make_folder(const char* path) {
    return unless_failed(Call::make_folder, -1, [&](std::size_t) { return ::mkdir(path, 0777); });
}

}  // namespace summand::file_calls
