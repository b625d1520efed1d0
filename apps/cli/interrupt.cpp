#include "interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>

#include "summand/error.h"

namespace summand::cli {
namespace {

constexpr int kInterrupted = 130;
constexpr auto kPatience = std::chrono::milliseconds(800);

std::stop_source source;
std::mutex saving;
int pipe_ends[2];
std::atomic<int> interrupts{0};

// Only what a handler may do. A handler rather than sigwait: threads that libraries start before main do not
// inherit a blocked signal.
void on_signal(int) {
    if (interrupts.fetch_add(1) > 0) _exit(kInterrupted);
    const char byte = 0;
    if (write(pipe_ends[1], &byte, 1) < 0) _exit(kInterrupted);
}

void wait_and_stop() {
    char byte;
    while (read(pipe_ends[0], &byte, 1) < 0) continue;
    source.request_stop();
    std::this_thread::sleep_for(kPatience);
    const std::lock_guard no_save(saving);
    constexpr std::string_view message = "\r\033[Ksummand: interrupted, nothing was written\n";
    const std::string_view shown = isatty(STDERR_FILENO) ? message : message.substr(4);
    if (write(STDERR_FILENO, shown.data(), shown.size()) < 0) _exit(kInterrupted);
    _exit(kInterrupted);
}

}  // namespace

void watch_for_interrupts() {
    require(pipe2(pipe_ends, O_CLOEXEC) == 0, "cannot create a pipe");
    std::thread(wait_and_stop).detach();
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

std::stop_token interrupt_token() { return source.get_token(); }

SaveGuard::SaveGuard() {
    saving.lock();
    if (!source.stop_requested()) return;
    saving.unlock();
    throw Cancelled();
}

SaveGuard::~SaveGuard() { saving.unlock(); }

}  // namespace summand::cli
