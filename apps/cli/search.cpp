// summand search: an index and queries in, ids out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "queries.h"
#include "search_options.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string index, output, scores;
    QueryOptions queries;
    std::size_t k = 10;
    ProbeOptions probes;
    RunOptions run;
};

void print_rows(const Neighbors& found) {
    for (std::size_t query = 0; query < found.ids.rows(); ++query) fmt::print("{}\n", fmt::join(found.ids[query], " "));
}

void write(const Options& options, const Neighbors& found) {
    const SaveGuard guard;
    write_neighbors(options.output, options.scores, found);
}

void check_files(const Options& options) {
    const auto holds_floats = [&](const char* extension) { return options.scores.ends_with(extension); };
    require(options.scores.empty() || holds_floats(".fvecs") || holds_floats(".fbin") || holds_floats(".npy"),
            options.scores, ": cannot write scores, expected .fvecs .fbin or .npy");
    check_outputs({options.index, options.queries.path, options.queries.model},
                  {{options.output, Content::ids}, {options.scores, Content::vectors}, {options.run.json}});
}

void run_search(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    check_files(options);
    const Index index = load_for_search(options.index, options.probes);
    const Matrix<float> queries = read_queries(options.queries, {options.index, index}, run.silent_execution());
    const Stopwatch watch;
    const Neighbors found = about_file(options.queries.path, [&] {
        return index.search(queries.view(),
                            search_options(options.probes, std::min(options.k, index.size()), run.execution()));
    });
    const double seconds = watch.seconds();
    write(options, found);
    const double rate = static_cast<double>(queries.rows()) / std::max(seconds, 1e-9);
    if (options.output.empty() && options.run.json != "-") print_rows(found);
    if (!options.output.empty())
        run.print(fmt::format("{}: {} neighbours of each of {} queries in {} ({} queries per second)", options.output,
                              found.ids.columns(), grouped(queries.rows()), duration(seconds),
                              grouped(static_cast<std::uint64_t>(rate))));
    run.write_json(
        {{"queries", queries.rows()}, {"k", found.ids.columns()}, {"seconds", seconds}, {"queries_per_second", rate}});
}

}  // namespace

void add_search(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App& verb =
        add_verb(app, chosen, "search", "Find the nearest neighbours of queries",
                 "summand search index.smd queries.fvecs -k 10 -o result.ivecs", [options] { run_search(*options); });
    verb.add_option("INDEX", options->index, "Index made by 'summand build'")->required();
    add_queries(verb, options->queries);
    add_neighbors(verb, options->k);
    add_probes(verb, options->probes);
    verb.add_option("-o,--output", options->output,
                    "Ids to write, best first (.ivecs .ibin .npy); without it they are printed");
    verb.add_option("--scores", options->scores,
                    "Scores to write (.fvecs .fbin .npy); +infinity where a query found fewer");
    add_threads(verb, options->run);
    add_json(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
