// The calls by which the library changes files, in one place, so that tests can make each of them fail: with an error,
// by writing less than was asked for, or by ending the process as a kill does.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace summand::file_calls {

enum class Call : std::uint8_t { open, write, sync, rename, unlink, map, truncate, make_folder };

/// What is to happen instead of a call.
struct Fault {
    int error = 0;                                               ///< errno of a call that fails; 0: it does not
    std::size_t most = std::numeric_limits<std::size_t>::max();  ///< bytes that a write takes at most
};

/// Asked before each call, by any thread. Null, as it is unless a test says otherwise: nothing ever happens.
using Inject = Fault (*)(Call);
void set_inject(Inject inject);

// Each as the system call of its name, which it is without a fault.
int open(const char* path, int flags, ::mode_t mode = 0);
::ssize_t write(int descriptor, const void* bytes, std::size_t size);
::ssize_t write_at(int descriptor, const void* bytes, std::size_t size, ::off_t offset);
int sync(int descriptor);
int rename(const char* from, const char* to);
int unlink(const char* path);
void* map(std::size_t size, int descriptor);  ///< read-only and shared
int truncate(const char* path, ::off_t size);
int make_folder(const char* path);

}  // namespace summand::file_calls
