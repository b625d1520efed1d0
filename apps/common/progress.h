// Shows long work on stderr: a bar on a terminal, a plain line every tenth of the way in a pipe or file, nothing when
// quiet.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "summand/execution.h"

namespace summand::cli {

enum class Display { automatic, quiet };

class ProgressDisplay {
public:
    explicit ProgressDisplay(Display display);
    ~ProgressDisplay() { erase(); }
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

    void update(const Progress& progress);

    /// The same for work that counts in its own way: a share of the whole from 0 to 1, and words about it.
    void update(std::string_view stage, double share, const std::function<std::string()>& words);

    /// A line that stays.
    void note(const std::string& line);

    /// Removes the bar from the terminal: whoever prints a line calls it first.
    void erase();

private:
    using Clock = std::chrono::steady_clock;
    enum class Target { none, terminal, lines };

    bool due(double share) const;

    Target target_;
    bool bar_shown_ = false;
    std::string stage_;
    double last_share_ = 0;
    Clock::time_point last_{};
};

/// "  512/1,024   50 %   12.3/s   ETA 42 s   objective 1.234e+03"
std::string describe(const Progress& progress);

}  // namespace summand::cli
