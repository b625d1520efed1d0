// Ctrl-C: the first one asks the work to stop, which it does at its next step without writing anything; a second
// one ends the process at once.
#pragma once

#include <stop_token>

namespace summand::cli {

/// Installs the handlers for SIGINT and SIGTERM. Call once, before any work.
void watch_for_interrupts();

/// Requested after the first interrupt.
std::stop_token interrupt_token();

/// Work that does not look at the token (reading a large file, a long matrix product) is ended after a moment. While
/// a guard lives that is put off, so that a file being saved is either complete or removed again.
class SaveGuard {
public:
    SaveGuard();
    ~SaveGuard();
    SaveGuard(const SaveGuard&) = delete;
    SaveGuard& operator=(const SaveGuard&) = delete;
};

}  // namespace summand::cli
