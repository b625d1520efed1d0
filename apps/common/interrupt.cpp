#include "interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
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
std::atomic<bool> guarded{false}, saved{false}, ending{false};

// Only what a handler may do. A handler rather than sigwait: threads that libraries start before main do not
// inherit a blocked signal.
void on_signal(int) {
    if (interrupts.fetch_add(1) > 0) {
        if (guarded) return;
        _exit(kInterrupted);
    }
    const char byte = 0;
    if (write(pipe_ends[1], &byte, 1) < 0) _exit(kInterrupted);
}

void wait_and_stop(const char* program) {
    char byte;
    while (read(pipe_ends[0], &byte, 1) < 0) continue;
    source.request_stop();
    std::this_thread::sleep_for(kPatience);
    const std::lock_guard no_save(saving);
    claim_end();
    const std::string shown =
        concatenate(isatty(STDERR_FILENO) ? "\r\033[K" : "", program, ": ", interrupt_message(), "\n");
    if (write(STDERR_FILENO, shown.data(), shown.size()) < 0) _exit(kInterrupted);
    _exit(kInterrupted);
}

}  // namespace

void watch_for_interrupts(const char* program) {
    require(pipe2(pipe_ends, O_CLOEXEC) == 0, "cannot create a pipe");
    try {
        std::thread(wait_and_stop, program).detach();
    } catch (const std::system_error& error) {
        throw Error(concatenate("cannot start a thread: ", error.what()));
    }
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

std::stop_token interrupt_token() { return source.get_token(); }

void claim_end() {
    if (ending.exchange(true))
        for (;;) pause();
}

std::string_view interrupt_message() { return saved ? "interrupted" : "interrupted, nothing was written"; }

void check_interrupt() {
    if (source.stop_requested()) throw Cancelled();
}

SaveGuard::SaveGuard() : exceptions_(std::uncaught_exceptions()) {
    saving.lock();
    guarded = true;
    if (!source.stop_requested()) return;
    guarded = false;
    saving.unlock();
    throw Cancelled();
}

SaveGuard::~SaveGuard() {
    if (std::uncaught_exceptions() == exceptions_) saved = true;
    guarded = false;
    saving.unlock();
}

void uninterrupted(const std::function<void()>& save) {
    const SaveGuard guard;
    save();
}

}  // namespace summand::cli
