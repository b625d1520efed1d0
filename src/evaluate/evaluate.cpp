// Searches with an index, measures and times it.
#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "index/cell_order.h"
#include "index/cell_tables.h"
#include "index/index_parts.h"
#include "model/lookup.h"
#include "summand/device.h"
#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

constexpr std::size_t kTimedQueries = 200;
constexpr std::size_t kRelevant = 100;  // true neighbours that count for MAP, as in the paper

// 1, 2, 5, 10, 20, 50 … up to k, and k itself.
std::vector<std::size_t> answer_counts(std::size_t k) {
    std::vector<std::size_t> counts;
    for (std::size_t decade = 1; decade <= k; decade *= 10)
        for (const std::size_t step : {1, 2, 5})
            if (step * decade < k) counts.push_back(step * decade);
    counts.push_back(k);
    return counts;
}

std::vector<RecallPoint> recall_points(const Neighbors& found, MatrixView<std::int64_t> truth) {
    std::vector<RecallPoint> points;
    for (const std::size_t truths : {1, 10, 50, 100}) {
        if (truths > truth.columns()) break;
        for (const std::size_t answers : answer_counts(found.ids.columns()))
            points.push_back({truths, answers, recall(found, truth, answers, truths)});
    }
    return points;
}

// Tables as a search builds them, on one thread, with the model's part prepared.
class TimedTables {
public:
    TimedTables(const Quantizer& quantizer, Metric metric)
        : slots_((quantizer.dictionaries.words + 15) / 16 * 16),
          words_(words_of(quantizer.dictionaries, slots_)),
          builder_(quantizer, metric, {slots_, words_}) {}

    double seconds(MatrixView<float> queries) {
        entries_.resize(builder_.entries() * queries.rows());
        offsets_.resize(queries.rows());
        const Stopwatch watch;
        builder_.build("evaluate", queries, 0, entries_.data(), offsets_.data());
        return watch.seconds();
    }

private:
    static std::vector<std::uint8_t> words_of(const Dictionaries& dictionaries, std::size_t slots) {
        std::vector<std::uint8_t> words(dictionaries.count * slots);
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = static_cast<std::uint8_t>(std::min(i % slots, dictionaries.words - 1));
        return words;
    }

    std::size_t slots_;
    std::vector<std::uint8_t> words_;
    TableBuilder builder_;
    std::vector<float> entries_ = {}, offsets_ = {};
};

// `seconds` takes one query.
template <class Seconds>
QuerySeconds one_by_one(MatrixView<float> queries, const Seconds& seconds) {
    std::vector<double> all;
    for (std::size_t q = 0; q < queries.rows(); ++q) all.push_back(seconds(queries.slice(q, 1)));
    return quartiles(std::move(all));
}

// What the figures of every kind of index need.
struct Measured {
    const Quantizer& quantizer;
    Metric metric;  // of the tables
    std::size_t k;
    const Execution& execution;
};

// `search` takes queries and an Execution.
template <class Search>
Report report_of(const Measured& what, MatrixView<float> queries, MatrixView<std::int64_t> truth,
                 const Search& search) {
    require(!queries.empty(), "evaluate: expected at least one query, got none");
    require(truth.rows() >= queries.rows(), "evaluate: expected a truth row for each of ", queries.rows(),
            " queries, got ", truth.rows());
    const auto searching = [&](MatrixView<float> some) {
        const Stopwatch single;
        search(some, {.threads = 1});
        return single.seconds();
    };
    // First one by one thread, so that neither threads nor pages are new to the search that tells queries per second.
    const auto timed = queries.slice(0, std::min(queries.rows(), kTimedQueries));
    const auto count = static_cast<double>(timed.rows());
    const double batch_seconds = searching(timed) / count;
    const Stopwatch watch;
    const Neighbors found = search(queries, what.execution);
    const double seconds = watch.seconds();

    Report report;
    report.dimensions = what.quantizer.dimensions();
    report.queries = queries.rows();
    report.k = what.k;
    report.recalls = recall_points(found, truth);
    if (what.k >= kRelevant && truth.columns() >= kRelevant)
        report.map = mean_average_precision(found, truth, kRelevant);

    report.queries_per_second = static_cast<double>(queries.rows()) / std::max(seconds, 1e-9);
    TimedTables tables(what.quantizer, what.metric);
    report.table_seconds = tables.seconds(timed) / count;
    report.scan_seconds = std::max(0.0, batch_seconds - report.table_seconds);
    report.tables_alone = one_by_one(timed, [&](MatrixView<float> one) { return tables.seconds(one); });
    report.alone = one_by_one(timed, searching);
    report.threads = thread_count(what.execution);
    report.kernels = kernel_level();
    return report;
}

// Times the two steps that choose cells separately.
void time_cells(const InvertedIndex& index, MatrixView<float> queries, const SearchParameters& parameters,
                Report& report) {
    const auto count = static_cast<double>(queries.rows());
    const Stopwatch scoring;
    const ListParts lists(*IndexParts::lists(index));
    const CellScores scores("evaluate", IndexParts::cells(index), lists, queries, 0, ProbeLimit::of(parameters));
    report.word_score_seconds = scoring.seconds() / count;
    const Stopwatch ordering;
    for (std::size_t q = 0; q < queries.rows(); ++q) scores.nearest(q);
    report.cell_order_seconds = ordering.seconds() / count;
}

}  // namespace

QuerySeconds quartiles(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](std::size_t quarter) { return seconds[quarter * (seconds.size() - 1) / 4]; };
    return {at(1), at(2), at(3)};
}

Report evaluate(const Index& index, MatrixView<float> queries, MatrixView<std::int64_t> truth,
                const SearchOptions& options) {
    const Metric metric = index.flat() ? index.metric() : inner_metric(index.metric());
    Report report = report_of({index.quantizer(), metric, options.k, options.execution}, queries, truth,
                              [&](MatrixView<float> some, const Execution& execution) {
                                  SearchOptions own = options;
                                  own.execution = execution;
                                  return index.search(some, own);
                              });
    const SearchParameters parameters = index.resolved(options.parameters(), options.k);
    report.method = index.spec();
    report.vectors = index.size();
    report.memory_bytes = index.memory_bytes();
    report.code_bytes = index.code_bytes();
    report.compression =
        static_cast<double>(report.dimensions * sizeof(float)) / static_cast<double>(report.code_bytes);
    report.candidates = parameters.candidates;
    report.probes = parameters.candidates > 0 ? 0 : parameters.probes;
    report.reach = parameters.reach;
    report.refine = *parameters.refine;
    if (index.inverted())
        time_cells(*index.inverted(), queries.slice(0, std::min(queries.rows(), kTimedQueries)), parameters, report);
    return report;
}

}  // namespace summand
