// What the verbs share: common options, outputs, and how they ask the library to learn and to build.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tool.h"

namespace summand::cli {

/// What every verb has that works for a while: --threads, --json, --quiet.
void add_run(CLI::App& verb, RunOptions& options);
void add_dry_run(CLI::App& verb, RunOptions& options);
/// All of these and --seed, of verbs that learn or encode.
void add_learning_run(CLI::App& verb, RunOptions& options);
/// The codes that are learnt where no spec is given.
std::string usual_codes();
/// `otherwise`: what happens without the option.
void add_spec(CLI::App& verb, std::string& spec, const std::string& otherwise);
void add_neighbors(CLI::App& verb, std::size_t& k);
void add_learn_size(CLI::App& verb, std::size_t& size);
void add_checkpoint(CLI::App& verb, std::string& path, const std::string& what);
/// Required, unless it is a dry run.
void add_output(CLI::App& verb, std::string& path, const std::string& what, const RunOptions& options);

/// A file that a verb writes; none where the path is empty, or "-" for standard output.
struct Output {
    std::string path;
    Content content = Content::any;
};

/// "-", or for vectors and ids "-" with a format before it, as in ivecs:-.
bool is_standard_output(const Output& output);

/// Throws before any work is done where an output could not be written, is one of the inputs or is given twice.
void check_outputs(const std::vector<std::string>& inputs, const std::vector<Output>& outputs);

/// Adds --metric. Without it `metric` stays empty and the verb decides.
void add_metric(CLI::App& verb, std::optional<Metric>& metric);

/// What the verbs that build and train share.
struct LearnOptions {
    std::string spec = {};  ///< empty: default_spec
    std::size_t learn_size = 0;
    std::optional<Metric> metric = {};
    std::string checkpoint = {};  ///< file to save after every iteration and to go on from; empty: none
};

BuildSettings build_settings(const LearnOptions& options, const RunOptions& run_options, Run& run);

/// Prints an estimate, and writes it as JSON where that is asked for.
void show(const Estimate& estimate, const Run& run);

/// Null where it was not measured.
nlohmann::ordered_json held_out(const TrainingSummary& training);

}  // namespace summand::cli
