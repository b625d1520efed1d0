// summand evaluate: an index, queries and their true neighbours in, a report out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "run.h"
#include "search_options.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string index, queries, truth;
    std::size_t k = 100;
    ProbeOptions probes;
    RunOptions run;
};

void run_evaluate(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    check_outputs({options.index, options.queries, options.truth}, {{options.run.json}});
    const AnyIndex index = load_for_search(options.index, options.probes);
    const VectorReader reader(options.queries);
    require_dimensions(reader, index.dimensions(), options.index);
    const Matrix<std::int64_t> truth = read_ids(options.truth);
    require(truth.rows() >= reader.rows(), options.truth, ": expected a row for each of the ", reader.rows(),
            " queries of ", options.queries, ", got ", truth.rows());
    const Matrix<float> queries = read_all(reader);
    const Report report = about_file(options.truth, [&] {
        return evaluate(index, queries.view(), truth.view(),
                        search_options(options.probes, std::min(options.k, index.size()), run.execution()));
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
    verb.add_option("QUERIES", options->queries, "Vectors to search for")->required();
    verb.add_option("TRUTH", options->truth, "Their true neighbours, see 'summand exact'")->required();
    add_neighbors(verb, options->k);
    add_probes(verb, options->probes);
    add_threads(verb, options->run);
    add_json(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
