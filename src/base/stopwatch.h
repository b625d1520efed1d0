// The report of a finished step, with the seconds of a stopwatch.
#pragma once

#include <cstddef>
#include <string_view>

#include "summand/execution.h"

namespace summand {

/// Reports a finished step whose objective is the mean squared error; an earlier run finished the first `resumed`.
inline void report_step(const Execution& execution, std::string_view stage, int step, int steps, double objective,
                        const Stopwatch& watch, int resumed = 0) {
    if (!execution.progress) return;
    execution.progress(Progress{.stage = stage,
                                .step = static_cast<std::size_t>(step),
                                .steps = static_cast<std::size_t>(steps),
                                .objective = objective,
                                .distortion = objective,
                                .seconds = watch.seconds(),
                                .resumed = static_cast<std::size_t>(resumed)});
}

}  // namespace summand
