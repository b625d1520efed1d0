// How much memory this process has taken, for tests of what hostile files may cost.
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace summand::test {

/// The most that it ever had, in bytes.
inline std::size_t most_memory() {
    ::rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace summand::test
