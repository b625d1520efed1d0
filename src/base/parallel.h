// Threads, in one place. Work is cut into chunks whose bounds depend on its size alone, never on the number of
// threads; whoever sums over chunks does so in chunk order. That makes results the same for every thread count.
#pragma once

#include <cstddef>
#include <functional>

#include "summand/execution.h"

namespace summand {

/// Runs body(0) … body(count-1), in any order, on `execution.threads` threads. The first exception is rethrown;
/// a stop request ends it with `Cancelled`. A call from inside a body runs on that thread alone.
void parallel_for(const Execution& execution, std::size_t count, const std::function<void(std::size_t)>& body);

/// body(first, last) for consecutive ranges of at most `size` that cover [0, total).
void parallel_ranges(const Execution& execution, std::size_t total, std::size_t size,
                     const std::function<void(std::size_t first, std::size_t last)>& body);

/// Throws `Cancelled` where a stop was requested.
void check_stop(const Execution& execution);

/// `execution.threads`, or the machine's number where that is 0.
unsigned thread_count(const Execution& execution);

}  // namespace summand
