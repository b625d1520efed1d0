// How long work runs: threads, cancellation, progress. Results never depend on any of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <stop_token>
#include <string_view>

namespace summand {

/// One step of long work. `objective` and the two figures after it are NaN where a stage has none.
struct Progress {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::string_view stage;            ///< "k-means", "encode", "NOCQ" …
    std::size_t step = 0;              ///< finished units
    std::size_t steps = 0;             ///< all units
    double objective = kNone;          ///< what the stage minimises, per vector
    double distortion = kNone;         ///< mean squared quantization error, in the metric of the encoder
    double cross_term_spread = kNone;  ///< standard deviation of the search penalty ÷ distortion
    double seconds = 0;                ///< since the stage began, or went on
    std::size_t resumed = 0;           ///< units that an earlier run had finished; `seconds` does not hold their time
};

/// Seconds since it was made.
class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

struct Execution {
    unsigned threads = 0;                                ///< 0: as many as the machine has
    std::stop_token stop = {};                           ///< a request makes the work throw `Cancelled`
    std::function<void(const Progress&)> progress = {};  ///< called from the calling thread
};

}  // namespace summand
