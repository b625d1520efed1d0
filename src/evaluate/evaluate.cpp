// Searches with an index, measures and times it.
#include <algorithm>
#include <bit>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "model/lookup.h"
#include "summand/device.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "train/registry.h"

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
    for (const std::size_t truths : {1, 10, 50}) {
        if (truths > truth.columns()) break;
        for (const std::size_t answers : answer_counts(found.ids.columns()))
            points.push_back({truths, answers, recall(found, truth, answers, truths)});
    }
    return points;
}

// The shortest spec that names this model: the number of words is written where it is not 256.
std::string spec_of(const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    std::string text = concatenate(quantizer.method, spec_number(quantizer));
    if (dictionaries.words == kMaxWords) return text;
    if (std::has_single_bit(dictionaries.words)) return concatenate(text, "x", std::bit_width(dictionaries.words) - 1);
    return concatenate(text, " of ", dictionaries.words, " words");
}

// As a search builds them: many queries after each other on one thread, with what depends on the model prepared.
double table_seconds(const FlatIndex& index, MatrixView<float> queries) {
    const std::size_t slots = (index.quantizer().dictionaries.words + 15) / 16 * 16;
    std::vector<std::uint8_t> words(index.quantizer().dictionaries.count * slots);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint8_t>(std::min(i % slots, index.quantizer().dictionaries.words - 1));
    const TableBuilder builder(index.quantizer(), index.metric(), {slots, words});
    std::vector<float> entries(builder.entries() * queries.rows()), offsets(queries.rows());
    const Stopwatch watch;
    builder.build("evaluate", queries, 0, entries.data(), offsets.data());
    return watch.seconds() / static_cast<double>(queries.rows());
}

// One thread, the tables not counted.
double scan_seconds(const FlatIndex& index, MatrixView<float> queries, std::size_t k, double tables) {
    const Stopwatch watch;
    index.search(queries, {.k = k, .execution = {.threads = 1}});
    return std::max(0.0, watch.seconds() / static_cast<double>(queries.rows()) - tables);
}

}  // namespace

Report evaluate(const FlatIndex& index, MatrixView<float> queries, MatrixView<std::int64_t> truth,
                const EvaluateOptions& options) {
    require(!queries.empty(), "evaluate: expected at least one query, got none");
    require(truth.rows() >= queries.rows(), "evaluate: expected a truth row for each of ", queries.rows(),
            " queries, got ", truth.rows());
    const Stopwatch watch;
    const Neighbors found = index.search(queries, {.k = options.k, .execution = options.execution});
    const double seconds = watch.seconds();

    Report report;
    report.method = spec_of(index.quantizer());
    report.vectors = index.size();
    report.dimensions = index.quantizer().dimensions();
    report.queries = queries.rows();
    report.k = options.k;
    report.code_bytes = index.quantizer().code_bytes();
    report.memory_bytes = index.memory_bytes();
    report.compression =
        static_cast<double>(report.dimensions * sizeof(float)) / static_cast<double>(report.code_bytes);
    report.recalls = recall_points(found, truth);
    if (options.k >= kRelevant && truth.columns() >= kRelevant)
        report.map = mean_average_precision(found, truth, kRelevant);

    const auto timed = queries.slice(0, std::min(queries.rows(), kTimedQueries));
    report.queries_per_second = static_cast<double>(queries.rows()) / std::max(seconds, 1e-9);
    report.table_seconds = table_seconds(index, timed);
    report.scan_seconds = scan_seconds(index, timed, options.k, report.table_seconds);
    report.threads = thread_count(options.execution);
    report.kernels = kernel_level();
    return report;
}

}  // namespace summand
