// Seconds since construction, and the progress report built on it.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string_view>

#include "summand/execution.h"

namespace summand {

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// Reports a finished step whose objective is the mean squared error; an earlier run finished the first `resumed`.
inline void report_step(const Execution& execution, std::string_view stage, int step, int steps, double objective,
                        const Stopwatch& watch, int resumed = 0) {
    if (!execution.progress) return;
    execution.progress(Progress{.stage = stage,
                                .step = static_cast<std::size_t>(step),
                                .steps = static_cast<std::size_t>(steps),
                                .objective = objective,
                                .distortion = objective,
                                .cross_term_spread = std::numeric_limits<double>::quiet_NaN(),
                                .seconds = watch.seconds(),
                                .resumed = static_cast<std::size_t>(resumed)});
}

}  // namespace summand
