// What every tool shares: common options, the threads, progress and interrupts of one run, and what a tool does around
// its work.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "interrupt.h"
#include "progress.h"
#include "summand/summand.h"

namespace summand::cli {

struct RunOptions {
    unsigned threads = 0;
    std::uint64_t seed = 1;
    std::string json;
    bool quiet = false;
    bool dry_run = false;
};

void add_threads(CLI::App& verb, RunOptions& options);
void add_seed(CLI::App& verb, RunOptions& options);
void add_quiet(CLI::App& verb, RunOptions& options);

/// Text that is a whole number in that range.
CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest);

/// One run of a tool or a verb.
class Run {
public:
    explicit Run(const RunOptions& options);

    /// Threads, interrupts and progress for the library.
    Execution execution();
    /// The same for inner work whose steps are part of a larger count.
    Execution silent_execution() const;

    ProgressDisplay& display() { return display_; }

    /// A line on stdout unless quiet; the bar of the progress is removed first.
    void print(const std::string& line) const;

    /// Writes what was measured to the file of --json, or to stdout for "-".
    void write_json(const nlohmann::ordered_json& summary) const;

private:
    const RunOptions& options_;
    mutable ProgressDisplay display_;  // what it shows is no part of the run's state
};

void require_dimensions(const VectorReader& reader, std::size_t dimensions, const std::string& other);

}  // namespace summand::cli
