#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "summand/text.h"

namespace summand::cli {
namespace {

constexpr auto kBarInterval = std::chrono::milliseconds(80);
constexpr auto kLineInterval = std::chrono::seconds(2);     // lines are never closer than this,
constexpr auto kLongestSilence = std::chrono::seconds(30);  // and come even without a tenth of progress after this
constexpr std::size_t kBarWidth = 24;

std::size_t terminal_width() {
    winsize size = {};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

double fraction(const Progress& progress) {
    return progress.steps ? static_cast<double>(progress.step) / static_cast<double>(progress.steps) : 0;
}

std::string bar(double share) {
    const auto filled = static_cast<std::size_t>(share * kBarWidth);
    return fmt::format("[{:=<{}}{: <{}}]", "", filled, "", kBarWidth - filled);
}

}  // namespace

std::string describe(const Progress& progress) {
    std::string text =
        fmt::format("{}/{}  {:.0f} %", grouped(progress.step), grouped(progress.steps), 100 * fraction(progress));
    if (progress.step > progress.resumed && progress.seconds > 0) {
        const double rate = static_cast<double>(progress.step - progress.resumed) / progress.seconds;
        text +=
            fmt::format("  {}/s", rate < 100 ? fmt::format("{:.1f}", rate) : grouped(static_cast<std::size_t>(rate)));
        if (progress.step < progress.steps)
            text += "  ETA " + duration(static_cast<double>(progress.steps - progress.step) / rate);
        else
            text += "  in " + duration(progress.seconds);
    }
    if (std::isfinite(progress.objective)) text += fmt::format("  objective {:.6g}", progress.objective);
    return text;
}

ProgressDisplay::ProgressDisplay(Display display)
    : target_(display == Display::quiet    ? Target::none
              : isatty(STDERR_FILENO) != 0 ? Target::terminal
                                           : Target::lines) {}

bool ProgressDisplay::due(double share) const {
    if (share >= 1) return true;
    const auto passed = Clock::now() - last_;
    if (target_ == Target::terminal) return passed >= kBarInterval;
    return passed >= (share - last_share_ >= 0.1 ? kLineInterval : kLongestSilence);
}

void ProgressDisplay::update(const Progress& progress) {
    update(progress.stage, fraction(progress), [&] { return describe(progress); });
}

void ProgressDisplay::update(std::string_view stage, double share, const std::function<std::string()>& words) {
    if (target_ == Target::none) return;
    if (stage_ != stage) {
        stage_ = stage;
        last_share_ = 0;
        if (target_ == Target::lines) last_ = Clock::now();
    }
    if (!due(share)) return;
    last_ = Clock::now();
    last_share_ = share;
    if (target_ == Target::lines) {
        fmt::print(stderr, "{}: {}\n", stage_, words());
        return;
    }
    const std::string line = fmt::format("{} {}  {}", stage_, bar(share), words());
    fmt::print(stderr, "\r\033[K{}", line.substr(0, terminal_width() - 1));
    std::fflush(stderr);
    bar_shown_ = true;
}

void ProgressDisplay::note(const std::string& line) {
    if (target_ == Target::none) return;
    erase();
    fmt::print(stderr, "{}\n", line);
}

void ProgressDisplay::erase() {
    if (!bar_shown_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    bar_shown_ = false;
}

}  // namespace summand::cli
