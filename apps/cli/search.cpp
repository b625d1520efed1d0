// summand search: an index and queries in, ids out.
#include <fmt/format.h>

#include <algorithm>

#include "answers.h"
#include "filter_option.h"
#include "queries.h"
#include "search_options.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string index, output, scores, filter;
    QueryOptions queries;
    std::size_t k = 10;
    std::optional<float> radius = {};
    ProbeOptions probes;
    RunOptions run;
};

// Without an output, ids are printed, or stand in the JSON where that is printed.
std::string output_of(const Options& options) {
    if (!options.output.empty()) return options.output;
    return options.run.json == "-" ? "" : "-";
}

// Scores come first: with ids on standard output, a reader that stops early cannot prevent them.
void write(const Options& options, const Neighbors& found, const NamesOf& names) {
    const std::string output = output_of(options);
    const bool printed = is_standard_output(answers_output(output));
    uninterrupted([&] { write_neighbors(printed ? "" : output, options.scores, found); });
    if (!printed) return;
    if (names)
        print_names(found, names);
    else
        write_answers(output, found);
}

// Files of numbers cannot hold texts.
NamesOf names_of(const Options& options, const LivingIndex& index) {
    if (!index.info().named) return {};
    const std::string output = output_of(options);
    require(options.radius || output.empty() || output == "-", output, ": cannot hold the ids of ", options.index,
            ", which are texts; they are printed without --output, or with --json -");
    return [&index](std::span<const std::int64_t> ids) { return index.names(ids); };
}

void check_files(const Options& options) {
    const auto holds_floats = [&](const std::string& format) {
        return options.scores.ends_with("." + format) || options.scores.starts_with(format + ":");
    };
    require(options.scores.empty() || holds_floats("fvecs") || holds_floats("fbin") || holds_floats("npy"),
            options.scores, ": cannot write scores, expected .fvecs .fbin or .npy");
    check_outputs({options.index, options.queries.path, options.queries.model},
                  {options.radius ? Output{output_of(options)} : answers_output(output_of(options)),
                   {options.scores, Content::vectors},
                   {options.run.json}});
}

nlohmann::ordered_json ids_of(std::span<const std::int64_t> ids, const NamesOf& names) {
    if (!names) return std::vector(ids.begin(), ids.end());
    nlohmann::ordered_json texts = nlohmann::ordered_json::array();
    for (std::string& name : names(ids))
        texts.push_back(name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(std::move(name)));
    return texts;
}

nlohmann::ordered_json rows_of(const Matrix<float>& matrix) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < matrix.rows(); ++i) rows.push_back(std::vector(matrix[i].begin(), matrix[i].end()));
    return rows;
}

// What was found, "10 neighbours of each of 100 queries", and how fast.
nlohmann::ordered_json summarize(const Options& options, const std::string& what, std::size_t queries, double seconds,
                                 const Run& run) {
    const double rate = static_cast<double>(queries) / std::max(seconds, 1e-9);
    if (!is_standard_output(answers_output(output_of(options))))
        run.print(fmt::format("{}: {} of {} queries in {} ({} queries per second)", options.output, what,
                              grouped(queries), duration(seconds), grouped(static_cast<std::uint64_t>(rate))));
    return {{"queries", queries}, {"seconds", seconds}, {"queries_per_second", rate}};
}

template <class AnyIndex>
void search_nearest(const Options& options, const AnyIndex& index, MatrixView<float> queries,
                    const SearchOptions& asked, const NamesOf& names, Run& run) {
    const Stopwatch watch;
    const Neighbors found = about(options.queries.path, [&] { return index.search(queries, asked); });
    const double seconds = watch.seconds();
    run.display().erase();
    write(options, found, names);
    auto summary =
        summarize(options, fmt::format("{} neighbours of each", found.ids.columns()), queries.rows(), seconds, run);
    summary["k"] = found.ids.columns();
    if (options.output.empty()) {
        summary["ids"] = nlohmann::ordered_json::array();
        for (std::size_t query = 0; query < found.ids.rows(); ++query)
            summary["ids"].push_back(ids_of(found.ids[query], names));
        summary["scores"] = rows_of(found.scores);
    }
    run.write_json(summary);
}

template <class AnyIndex>
void search_radius(const Options& options, const AnyIndex& index, MatrixView<float> queries, const SearchOptions& asked,
                   const NamesOf& names, Run& run) {
    const Stopwatch watch;
    const RangeNeighbors found =
        about(options.queries.path, [&] { return index.search_range(queries, *options.radius, asked); });
    const double seconds = watch.seconds();
    run.display().erase();
    if (const std::string output = output_of(options); !output.empty()) write_range_answers(output, found, names);
    auto summary = summarize(
        options, fmt::format("{} neighbours within {} of all", grouped(found.entries.size()), *options.radius),
        queries.rows(), seconds, run);
    summary["radius"] = *options.radius;
    summary["answers"] = found.entries.size();
    if (options.output.empty()) {
        summary["begin"] = found.begin;
        std::vector<std::int64_t> ids;
        for (const Neighbor& entry : found.entries) {
            ids.push_back(entry.id);
            summary["scores"].push_back(entry.score);
        }
        summary["ids"] = ids_of(ids, names);
    }
    run.write_json(summary);
}

template <class AnyIndex>
void search_in(const Options& options, const AnyIndex& index, const std::optional<IdFilter>& filter,
               const NamesOf& names, Run& run) {
    const Matrix<float> queries =
        read_queries(options.queries, {options.index, index.dimensions(), index.metric()}, run.silent_execution());
    const std::size_t k = std::clamp<std::size_t>(index.size(), 1, options.k);
    SearchOptions asked = search_options(options.probes, k, run.execution());
    asked.filter = filter ? &*filter : nullptr;
    if (options.radius)
        search_radius(options, index, queries.view(), asked, names, run);
    else
        search_nearest(options, index, queries.view(), asked, names, run);
}

void run_search(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    check_files(options);
    std::optional<IdFilter> filter;
    if (LivingIndex::is_at(options.index)) {
        const LivingIndex index = LivingIndex::open(options.index);
        if (!options.filter.empty()) filter = parse_filter(options.filter, index);
        return search_in(options, index, filter, names_of(options, index), run);
    }
    if (!options.filter.empty()) filter = parse_filter(options.filter);
    search_in(options, load_for_search(options.index, options.probes), filter, {}, run);
}

}  // namespace

void add_search(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "search", "Find the nearest neighbours of queries",
                                    "summand search index.smd queries.fvecs -k 10 -o result.ivecs\n"
                                    "  zcat queries.fvecs.gz | summand search index.smd fvecs:- | head -n 1",
                                    run_search);
    add_scores_help(verb);
    verb.add_option("INDEX", options->index, "Index made by 'summand build', or a folder made by 'summand create'")
        ->required();
    add_queries(verb, options->queries);
    add_neighbors(verb, options->k);
    CLI::Option* radius = verb.add_option("--radius", options->radius,
                                          "Instead of so many neighbours, all with a score below this one: lines of "
                                          "query, id and score, best first")
                              ->excludes(verb.get_option("--neighbors"));
    verb.add_option("--filter", options->filter,
                    "Ids that may be found: 0-999,2000,3000- or @FILE with such text, or of .ivecs .ibin .npy .roaring "
                    ".roaring64; @FILE "
                    "with one in each line "
                    "where they are texts")
        ->type_name("IDS");
    add_probes(verb, options->probes);
    verb.add_option("-o,--output", options->output,
                    "Ids to write, best first (.ivecs .ibin .npy); without it, or as -, they are printed as text, as "
                    "ivecs:- in binary");
    verb.add_option("--scores", options->scores,
                    "Scores to write (.fvecs .fbin .npy); +infinity where a query found fewer")
        ->excludes(radius);
    add_run(verb, options->run);
}

}  // namespace summand::cli
