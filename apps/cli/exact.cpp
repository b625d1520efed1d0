// summand exact: the true neighbours by brute force, a chunk of the base at a time.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "answers.h"
#include "estimate.h"
#include "exact.h"
#include "run.h"
#include "text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string base, queries, output;
    std::size_t k = 100;
    Metric metric = Metric::euclidean;
    RunOptions run;
};

// Both are sorted. Where scores are equal the part found earlier, with the smaller ids, goes first; each part keeps
// its order, which was decided in double precision.
void merge(Neighbors& best, const Neighbors& part, std::size_t first) {
    const std::size_t k = best.ids.columns();
    for (std::size_t query = 0; query < best.ids.rows(); ++query) {
        const auto old_ids = std::vector(best.ids.row(query), best.ids.row(query) + k);
        const auto old_scores = std::vector(best.scores.row(query), best.scores.row(query) + k);
        std::size_t from_old = 0, from_part = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const bool part_left = from_part < part.ids.columns() && part.ids[query][from_part] != kNoId;
            if (part_left && part.scores[query][from_part] < old_scores[from_old]) {
                best.scores[query][i] = part.scores[query][from_part];
                best.ids[query][i] = part.ids[query][from_part++] + static_cast<std::int64_t>(first);
            } else {
                best.scores[query][i] = old_scores[from_old];
                best.ids[query][i] = old_ids[from_old++];
            }
        }
    }
}

}  // namespace

Neighbors exact_in_file(const VectorReader& base, MatrixView<float> queries, std::size_t neighbors, Metric metric,
                        Run& run) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const Stopwatch watch;
    const std::size_t k = std::min(neighbors, base.rows());
    Neighbors best{{queries.rows(), k, kNoId}, {queries.rows(), k, kInfinity}};
    const std::size_t size = chunk_rows(base);
    for (std::size_t first = 0; first < base.rows(); first += size) {
        const Matrix<float> part = base.read(first, std::min(size, base.rows() - first));
        if (metric == Metric::cosine)
            require_directions(part.view(), base.path(), [&](std::size_t i) { return first + i; });
        merge(best, exact_neighbors(part.view(), queries, k, metric, run.silent_execution()), first);
        run.display().update({"exact", first + part.rows(), base.rows(), kNone, kNone, kNone, watch.seconds()});
    }
    return best;
}

namespace {

void run_exact(const Options& options) {
    Run run(options.run);
    require(options.k > 0, "expected k of at least 1, got 0");
    const VectorReader base(options.base), reader(options.queries);
    require_dimensions(reader, base.columns(), options.base);
    if (options.run.dry_run) return show(estimate_exact(base, reader, options.k), run);
    check_outputs({options.base, options.queries}, {answers_output(options.output), {options.run.json}});
    const Matrix<float> queries = read_all(reader);
    if (options.metric == Metric::cosine)
        require_directions(queries.view(), options.queries, [](std::size_t i) { return i; });
    const Stopwatch watch;
    const Neighbors found = exact_in_file(base, queries.view(), options.k, options.metric, run);
    const double seconds = watch.seconds();
    run.display().erase();
    write_answers(options.output, found);
    if (!is_standard_output(answers_output(options.output)))
        run.print(fmt::format("{}: {} true neighbours of each of {} queries among {} vectors in {}", options.output,
                              found.ids.columns(), grouped(queries.rows()), grouped(base.rows()), duration(seconds)));
    run.write_json(
        {{"vectors", base.rows()}, {"queries", queries.rows()}, {"k", found.ids.columns()}, {"seconds", seconds}});
}

}  // namespace

void add_exact(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App& verb =
        add_verb(app, chosen, "exact", "Find the true neighbours by brute force",
                 "summand exact base.fvecs queries.fvecs -k 100 -o truth.ivecs", [options] { run_exact(*options); });
    add_scores_help(verb);
    verb.add_option("BASE", options->base, "Vectors to search in, read in chunks")->required();
    verb.add_option("QUERIES", options->queries, "Vectors to search for")->required();
    add_neighbors(verb, options->k);
    add_answers(verb, options->output, options->run);
    add_metric(verb, options->metric);
    add_threads(verb, options->run);
    add_json(verb, options->run);
    add_dry_run(verb, options->run);
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
