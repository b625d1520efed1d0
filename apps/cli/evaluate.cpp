// summand evaluate: an index, queries and their true neighbours in, a report out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "queries.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string index, truth;
    QueryOptions queries;
    std::size_t k = 100;
    ProbeOptions probes;
    RunOptions run;
};

void run_evaluate(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    check_outputs({options.index, options.queries.path, options.queries.model, options.truth}, {{options.run.json}});
    const AnyIndex index(options.index, options.probes);
    const Matrix<float> queries = read_queries(options.queries, index, run.silent_execution());
    const Matrix<std::int64_t> truth = read_ids(options.truth);
    require(truth.rows() >= queries.rows(), options.truth, ": expected a row for each of the ", queries.rows(),
            " queries of ", options.queries.path, ", got ", truth.rows());
    const Report report = about_file(options.truth, [&] {
        return index.evaluate(queries.view(), truth.view(), std::min(options.k, index.size()), run.execution());
    });
    std::string text = table({report});
    text.pop_back();
    run.print(text);
    run.write_json(nlohmann::ordered_json::parse(json({report})));
}

}  // namespace

void add_evaluate(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App& verb = add_verb(app, chosen, "evaluate", "Measure an index: recall, time and memory",
                              "summand evaluate index.smd queries.fvecs truth.ivecs --json report.json",
                              [options] { run_evaluate(*options); });
    verb.add_option("INDEX", options->index, "Index made by 'summand build'")->required();
    add_queries(verb, options->queries);
    verb.add_option("TRUTH", options->truth, "Their true neighbours, see 'summand exact'")->required();
    add_neighbors(verb, options->k);
    add_probes(verb, options->probes);
    add_threads(verb, options->run);
    add_json(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
