// summand exact: the true neighbours by brute force, a chunk of the base at a time.
#include <fmt/format.h>

#include "answers.h"
#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string base, queries, output;
    std::size_t k = 100;
    std::optional<Metric> metric = {};
    RunOptions run;
};

void run_exact(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    const VectorSource base = VectorSource::file(options.base), asked = VectorSource::file(options.queries);
    if (options.run.dry_run) return show(estimate_exact(base, asked, options.k, run.execution()), run);
    check_outputs({options.base, options.queries}, {answers_output(options.output), {options.run.json}});
    const Stopwatch watch;
    const Neighbors found =
        exact_neighbors(base, asked, options.k, options.metric.value_or(Metric::euclidean), run.execution());
    const double seconds = watch.seconds();
    run.display().erase();
    write_answers(options.output, found);
    if (!is_standard_output(answers_output(options.output)))
        run.print(fmt::format("{}: {} true neighbours of each of {} queries among {} vectors in {}", options.output,
                              found.ids.columns(), grouped(asked.rows), grouped(base.rows), duration(seconds)));
    run.write_json({{"vectors", base.rows}, {"queries", asked.rows}, {"k", found.ids.columns()}, {"seconds", seconds}});
}

}  // namespace

void add_exact(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "exact", "Find the true neighbours by brute force",
                                    "summand exact base.fvecs queries.fvecs -k 100 -o truth.ivecs", run_exact);
    add_scores_help(verb);
    verb.add_option("BASE", options->base, "Vectors to search in, read in chunks")->required();
    verb.add_option("QUERIES", options->queries, "Vectors to search for")->required();
    add_neighbors(verb, options->k);
    add_answers(verb, options->output, options->run);
    add_metric(verb, options->metric);
    add_dry_run(verb, options->run);
    add_run(verb, options->run);
}

}  // namespace summand::cli
