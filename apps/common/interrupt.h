// Ctrl-C: the first one asks the work to stop, which it does at its next step without writing anything; a second
// one ends the process at once, unless a file is being saved.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace summand::cli {

/// Installs the handlers for SIGINT and SIGTERM. Call once, before any work, with the name of the program, which must
/// outlive it.
void watch_for_interrupts(const char* program);

/// Requested after the first interrupt.
std::stop_token interrupt_token();

/// Throws `Cancelled` after the first interrupt.
void check_interrupt();

/// The first caller that finds that the process must end says so; the others wait until it has.
void claim_end();

/// What to say then: whether anything was written.
std::string_view interrupt_message();

/// Work that does not look at the token (reading a large file, a long matrix product) is ended after a moment. While
/// a guard lives that is put off, and a second interrupt too, so that a file being saved is either complete or removed
/// again.
class SaveGuard {
public:
    SaveGuard();
    ~SaveGuard();
    SaveGuard(const SaveGuard&) = delete;
    SaveGuard& operator=(const SaveGuard&) = delete;

private:
    int exceptions_;  // under way when it began: one more at its end means that nothing was saved
};

/// Runs `save` under a guard.
void uninterrupted(const std::function<void()>& save);

}  // namespace summand::cli
