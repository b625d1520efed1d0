// What every tool does around its work: signals, and each failure as one line on stderr and an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace summand::cli {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kInterrupted = 130 };

/// Call once, before any work. `program` begins what is said when an interrupt ends the process.
void prepare_signals(const char* program);

/// One line on stderr, "summand search: …", for a speaker "summand search". A message that already begins with the
/// verb is not given it twice.
void complain(const std::string& speaker, const std::string& message);

/// Runs the work, which returns an exit code, and says what went wrong; `memory_advice` follows "out of memory".
int guarded(const std::string& speaker, const std::function<int()>& work, const std::string& memory_advice = "");

/// The same for work that is done when it returns, and what it printed is written.
int run_work(const std::string& speaker, const std::function<void()>& work, const std::string& memory_advice = "");

/// All of a program without verbs: parses, then works.
int run_program(CLI::App& app, int count, char** arguments, const std::function<void()>& work);

}  // namespace summand::cli
