// summand tune: the cheapest search parameters that find enough, kept in the index as its defaults.
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <optional>

#include "run.h"
#include "search_options.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string index, queries, target = "recall@10=0.95", truth, base;
    OpenOptions opening;
    RunOptions run;
};

std::string target_error(const std::string& text) {
    try {
        parse_target(text);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

Matrix<std::int64_t> truth_of(const Options& options, const TuneTarget& target, const Index& index,
                              const Matrix<float>& queries, Run& run) {
    if (!options.truth.empty()) return read_ids(options.truth);
    const VectorReader base(options.base);
    require_dimensions(base, index.dimensions(), options.index);
    require(base.rows() == index.size(), options.base, ": expected the ", index.size(), " vectors of ", options.index,
            ", got ", base.rows());
    return exact_neighbors(base, queries, target.truths, index.metric(), run.execution()).ids;
}

std::string setting_text(const SearchParameters& parameters) {
    std::string text;
    const auto add = [&text](const char* name, auto value) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    };
    if (parameters.probes > 0) add("probes", parameters.probes);
    if (parameters.reach > 0) add("reach", parameters.reach);
    if (parameters.candidates > 0) add("candidates", parameters.candidates);
    if (parameters.refine) add("refine", *parameters.refine);
    return text.empty() ? "exhaustive" : text;
}

void print_trials(const Tuning& tuning, std::size_t queries, const Run& run) {
    run.print(fmt::format("  {:<28} {:>8} {:>12} {:>14} {:>7} {:>10}", "setting", "cells", "vectors", "cost", "recall",
                          "queries/s"));
    for (const Trial& trial : tuning.trials) {
        const bool chosen = tuning.chosen && tuning.chosen->parameters == trial.parameters;
        run.print(fmt::format("{} {:<28} {:>8.1f} {:>12.1f} {:>14.0f} {:>7.4f} {:>10.0f}", chosen ? '*' : ' ',
                              setting_text(trial.parameters), trial.cells, trial.vectors, trial.cost, trial.recall,
                              static_cast<double>(queries) / std::max(trial.seconds, 1e-9)));
    }
}

Json json_of(const Trial& trial) {
    return {{"probes", trial.parameters.probes},
            {"reach", trial.parameters.reach},
            {"candidates", trial.parameters.candidates},
            {"refine", trial.parameters.refine.value_or(0)},
            {"cells", trial.cells},
            {"vectors", trial.vectors},
            {"cost", trial.cost},
            {"recall", trial.recall},
            {"seconds", trial.seconds}};
}

void write_summary(const Options& options, const Tuning& tuning, const Run& run) {
    Json trials = Json::array();
    for (const Trial& trial : tuning.trials) trials.push_back(json_of(trial));
    run.write_json(
        {{"target", options.target}, {"chosen", tuning.chosen ? json_of(*tuning.chosen) : Json()}, {"trials", trials}});
}

/// Which file a path names, and which state of it.
using FileIdentity = std::array<std::int64_t, 5>;

FileIdentity identity_of(const std::string& path) {
    struct ::stat status {};
    require(::stat(path.c_str(), &status) == 0, path, ": cannot be found any more");
    return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino), status.st_size,
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void run_tune(const Options& options) {
    Run run(options.run);
    const TuneTarget target = parse_target(options.target);
    check_outputs({options.index, options.queries, options.truth, options.base}, {{options.run.json}});
    check_output(options.index);
    const FileIdentity loaded = identity_of(options.index);
    Index index = Index::open(options.index, options.opening);
    const VectorReader reader(options.queries);
    require_dimensions(reader, index.dimensions(), options.index);
    const Matrix<float> queries = read_all(reader, run.silent_execution());
    const Matrix<std::int64_t> truth = truth_of(options, target, index, queries, run);
    const Tuning tuning = about(options.truth.empty() ? options.queries : options.truth, [&] {
        return tune(index, queries.view(), truth.view(), target, run.silent_execution());
    });
    print_trials(tuning, queries.rows(), run);
    write_summary(options, tuning, run);
    require(tuning.chosen.has_value(), options.index, ": cannot reach ", options.target, ": ",
            setting_text(tuning.trials.front().parameters), " finds ", tuning.trials.front().recall,
            "; more bytes per vector or a second layer, Refine(...), would find more. The index is as it was");
    index.set_defaults(tuning.chosen->parameters);
    uninterrupted([&] {
        require(identity_of(options.index) == loaded, options.index,
                ": was replaced while it was tuned and is left as it is now; tune it again");
        index.save(options.index);
    });
    run.print(fmt::format("{}: searches with {} from now on; recall {:.4f} on these {} queries", options.index,
                          setting_text(tuning.chosen->parameters), tuning.chosen->recall, grouped(queries.rows())));
}

}  // namespace

void add_tune(CLI::App& app, Chosen& chosen) {
    auto [verb, options] =
        add_verb(app, chosen, "tune", "Find the cheapest search that finds enough, and keep it in the index",
                 "summand tune index.smd queries.fvecs --target recall@10=0.95 --truth truth.ivecs", run_tune);
    verb.add_option("INDEX", options->index, "Index made by 'summand build'; gets the parameters as its defaults")
        ->required();
    verb.add_option("QUERIES", options->queries, "Vectors like those that will be searched for")->required();
    verb.add_option("--target", options->target,
                    "recall@R=VALUE: share of the R nearest neighbours that are among the first R answers; "
                    "recall@RofT=VALUE: share of the T nearest; recall@10of1 is the measure of the paper")
        ->check(CLI::Validator(target_error, ""))
        ->type_name("TARGET")
        ->capture_default_str();
    CLI::Option* truth = verb.add_option("--truth", options->truth, "True neighbours of the queries");
    CLI::Option* base = verb.add_option("--base", options->base, "Vectors of the index, to find the true neighbours in")
                            ->excludes(truth);
    add_refine_file(verb, options->opening);
    verb.parse_complete_callback([truth, base] {
        if (truth->count() + base->count() == 0) throw CLI::RequiredError("--truth or --base");
    });
    add_run(verb, options->run);
}

}  // namespace summand::cli
