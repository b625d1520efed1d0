// summand evaluate: an index, queries and their true neighbours, or lists of relevant images, in, a report out.
#include <fmt/format.h>

#include <algorithm>

#include "answers.h"
#include "protocols.h"
#include "queries.h"
#include "search_options.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string index, truth, relevance, protocol;
    QueryOptions queries;
    std::size_t k = 0;  ///< 0: as the measure needs
    ProbeOptions probes;
    RunOptions run;
};

void print_report(const Index& index, const Matrix<float>& queries, const Options& options, Run& run) {
    constexpr std::size_t kDefault = 100;
    const Matrix<std::int64_t> truth = read_ids(options.truth);
    require(truth.rows() >= queries.rows(), options.truth, ": expected a row for each of the ", queries.rows(),
            " queries of ", options.queries.path, ", got ", truth.rows());
    const std::size_t k = std::min(options.k > 0 ? options.k : kDefault, index.size());
    const Report report = about(options.truth, [&] {
        return evaluate(index, queries.view(), truth.view(), search_options(options.probes, k, run.execution()));
    });
    std::string text = table({report});
    text.pop_back();
    run.print(text);
    run.write_json(nlohmann::ordered_json::parse(json({report})));
}

// The file holds the images of the base in their order.
void print_retrieval(const Index& index, const Matrix<float>& images, const Options& options, Run& run) {
    const bool holidays = options.protocol == name(Protocol::holidays);
    const Protocol protocol = holidays ? Protocol::holidays : Protocol::ukbench;
    require(images.rows() == index.size(), options.queries.path, ": expected the ", index.size(), " images of ",
            options.index, " for --relevance, got ", images.rows());
    const Relevance relevance = read_relevance(options.relevance, images.rows());
    const std::size_t k = std::min(options.k > 0 ? options.k : needed_answers(protocol, index.size()), index.size());
    const Neighbors found = about(options.queries.path, [&] {
        return index.search(listed_queries(images, relevance).view(),
                            search_options(options.probes, k, run.execution()));
    });
    const double value = judged(protocol, found, relevance);
    run.print(fmt::format("{} {:.4f}: {} queries among {} images", holidays ? "MAP" : "score", value,
                          grouped(relevance.queries.size()), grouped(index.size())));
    run.write_json({{"protocol", options.protocol},
                    {"queries", relevance.queries.size()},
                    {"images", index.size()},
                    {"k", k},
                    {holidays ? "map" : "score", value}});
}

void run_evaluate(const Options& options) {
    Run run(options.run);
    check_outputs({options.index, options.queries.path, options.queries.model, options.truth, options.relevance},
                  {{options.run.json}});
    const Index index = load_for_search(options.index, options.probes);
    const Matrix<float> queries =
        read_queries(options.queries, {options.index, index.dimensions(), index.metric()}, run.silent_execution());
    const auto print = options.relevance.empty() ? print_report : print_retrieval;
    print(index, queries, options, run);
}

void add_relevance(CLI::App& verb, Options& options, CLI::Option* truth) {
    CLI::Option* relevance =
        verb.add_option("--relevance", options.relevance,
                        "Text file with a line per query: its number, then those of the images relevant to it; instead "
                        "of TRUTH, and QUERIES are the images of the index")
            ->excludes(truth);
    CLI::Option* protocol =
        verb.add_option("--protocol", options.protocol, "holidays: MAP without the query itself; ukbench: 4 × recall@4")
            ->check(CLI::IsMember({"holidays", "ukbench"}))
            ->needs(relevance);
    relevance->needs(protocol);
    verb.parse_complete_callback([truth, relevance] {
        if (truth->count() + relevance->count() == 0) throw CLI::RequiredError("TRUTH or --relevance");
    });
}

}  // namespace

void add_evaluate(CLI::App& app, Chosen& chosen) {
    auto [verb, options] =
        add_verb(app, chosen, "evaluate", "Measure an index: recall, time and memory",
                 "summand evaluate index.smd queries.fvecs truth.ivecs --json report.json\n"
                 "  summand evaluate index.smd images.fvecs --relevance objects.txt --protocol holidays",
                 run_evaluate);
    add_scores_help(verb);
    verb.add_option("INDEX", options->index, "Index made by 'summand build'")->required();
    add_queries(verb, options->queries);
    CLI::Option* truth = verb.add_option("TRUTH", options->truth, "Their true neighbours, see 'summand exact'");
    add_relevance(verb, *options, truth);
    verb.add_option("-k,--neighbors", options->k,
                    "Neighbours per query; default: 100, for --protocol holidays all, for ukbench 4")
        ->check(whole_number(1, std::uint64_t{1} << 40));
    add_probes(verb, options->probes);
    add_run(verb, options->run);
}

}  // namespace summand::cli
