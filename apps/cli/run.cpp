#include "run.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// Whether both name one file, one of them perhaps as file.hdf5:dataset or npy:file; files need not exist.
bool same_file(const std::string& output, const std::string& input) {
    namespace fs = std::filesystem;
    std::error_code error;
    const auto same = [&error](const std::string& a, const std::string& b) {
        return fs::equivalent(a, b, error) || fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
    };
    return !input.empty() && (same(output, input) || same(vector_file(output), vector_file(input)));
}

std::string container_error(const std::string& path) {
    return path == "-" ? "standard output takes ids and vectors only, expected the name of a file" : "";
}

}  // namespace

CLI::App& add_verb(CLI::App& app, Chosen& chosen, const std::string& name, const std::string& summary,
                   const std::string& example, std::function<void()> work) {
    CLI::App& verb = *app.add_subcommand(name, summary);
    verb.footer("Example:\n  " + example);
    verb.callback([&chosen, name, work = std::move(work)] { chosen = {name, work}; });
    return verb;
}

void add_run(CLI::App& verb, RunOptions& options) {
    add_threads(verb, options);
    verb.add_option("--json", options.json, "Write what was measured to this file; -: standard output");
    add_quiet(verb, options);
}

void add_dry_run(CLI::App& verb, RunOptions& options) {
    verb.add_flag("-n,--dry-run", options.dry_run, "Estimate memory and time, then stop");
}

void add_learning_run(CLI::App& verb, RunOptions& options) {
    add_seed(verb, options);
    add_dry_run(verb, options);
    add_run(verb, options);
}

void add_metric(CLI::App& verb, std::optional<Metric>& metric) {
    const auto parse = [&metric](const std::string& text) { metric = parse_metric(text); };
    verb.add_option_function<std::string>("-m,--metric", parse, "euclidean (default), ip or cosine")
        ->check(CLI::IsMember({"euclidean", "ip", "cosine"}));
}

std::string usual_codes() {
    return default_spec(Metric::euclidean) + ", for ip " + default_spec(Metric::inner_product);
}

void add_spec(CLI::App& verb, std::string& spec, const std::string& otherwise) {
    verb.add_option(
            "-s,--spec", spec,
            "Method and code size: PQ8, OPQ16x4, PQ8(iterations=50); see 'summand methods'. Default: " + otherwise)
        ->type_name("SPEC");
}

void add_neighbors(CLI::App& verb, std::size_t& k) {
    verb.add_option("-k,--neighbors", k, "Neighbours per query; where there are fewer, all of them")
        ->check(whole_number(0, kLargest))
        ->capture_default_str();
}

void add_checkpoint(CLI::App& verb, std::string& path, const std::string& what) {
    verb.add_option("--checkpoint", path, "File to save " + what + "; where it exists, the work goes on from it")
        ->check(CLI::Validator(container_error, ""));
}

void add_learn_size(CLI::App& verb, std::size_t& size) {
    verb.add_option(
            "--learn-size", size,
            "Vectors drawn to learn from, at most; default: as many as take 2 GB of memory and 6e12 operations, "
            "about a minute on two cores")
        ->check(whole_number(1, kLargest));
}

void add_output(CLI::App& verb, std::string& path, const std::string& what, const RunOptions& options) {
    verb.add_option("-o,--output", path, what + " (required)")->check(CLI::Validator(container_error, ""));
    verb.parse_complete_callback([&path, &options] {
        if (path.empty() && !options.dry_run) throw CLI::RequiredError("--output");
    });
}

bool is_standard_output(const Output& output) {
    return output.path == "-" || (output.content != Content::any && vector_file(output.path) == "-");
}

void check_outputs(const std::vector<std::string>& inputs, const std::vector<Output>& outputs) {
    const auto printed = std::count_if(outputs.begin(), outputs.end(), is_standard_output);
    require(printed <= 1, "standard output is given for ", printed, " outputs, expected one");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string& path = outputs[i].path;
        if (path.empty()) continue;
        if (is_standard_output(outputs[i])) {
            if (path != "-") check_output(path, outputs[i].content);
            continue;
        }
        for (const std::string& input : inputs)
            require(!same_file(path, input), path, ": cannot write: it is also to be read");
        for (std::size_t j = 0; j < i; ++j)
            require(!same_file(path, outputs[j].path), path, ": cannot write: it is given for two outputs");
        check_output(path, outputs[i].content);
    }
}

BuildSettings build_settings(const LearnOptions& options, const RunOptions& run_options, Run& run) {
    return {.metric = options.metric,
            .seed = run_options.seed,
            .learn_size = options.learn_size,
            .checkpoint = options.checkpoint,
            .saving = uninterrupted,
            .execution = run.execution()};
}

void show(const Estimate& estimate, const Run& run) {
    std::string text = fmt::format("memory  about {}\noutput  about {}", bytes_text(estimate.memory_bytes),
                                   bytes_text(estimate.output_bytes));
    if (estimate.search_bytes > 0) text += "\nsearch  about " + bytes_text(estimate.search_bytes) + " in memory";
    if (estimate.train_seconds > 0) text += "\ntrain   about " + duration(estimate.train_seconds);
    if (estimate.work_seconds > 0) text += "\nwork    about " + duration(estimate.work_seconds);
    run.print(text +
              "\nBytes are right within a fifth, times on an idle machine within a factor of two; nothing was done.");
    nlohmann::ordered_json summary{{"dry_run", true},
                                   {"memory_bytes", estimate.memory_bytes},
                                   {"output_bytes", estimate.output_bytes},
                                   {"search_bytes", estimate.search_bytes},
                                   {"train_seconds", estimate.train_seconds},
                                   {"work_seconds", estimate.work_seconds}};
    if (!estimate.spec.empty()) summary["spec"] = estimate.spec;
    run.write_json(summary);
}

nlohmann::ordered_json held_out(const TrainingSummary& training) {
    if (!training.held_out_distortion) return nullptr;
    return *training.held_out_distortion;
}

}  // namespace summand::cli
