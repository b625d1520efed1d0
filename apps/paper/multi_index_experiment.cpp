// The inverted multi-index, table 7: recall and time for lists of L candidates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compared.h"
#include "published.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

constexpr const char* kBillion = "1B SIFT";

struct ListedMethod {
    Method fine;
    const char* coarse;
};

std::vector<ListedMethod> listed_methods() {
    return {{kPq, "PQ"}, {kCkm, "OPQ"}, {kNocq, "NOCQ"}, {kSparse1, "NOCQ"}, {kSparse2, "NOCQ"}};
}

// As many cells per vector as 2^14 · 2^14 for a billion of them.
std::size_t coarse_bits(const PaperSet& set) {
    const double papers = 14 + std::log2(static_cast<double>(set.base) / 1e9) / 2;
    return static_cast<std::size_t>(std::clamp(std::lround(papers), 4L, 14L));
}

struct Candidates {
    std::size_t papers, used;  // L
};

// The paper's lengths for a million vectors and more; for fewer, the same shares of the vectors.
std::vector<Candidates> candidate_counts(const PaperSet& set) {
    constexpr std::size_t kWhole = 1'000'000, kLeast = 100;
    std::vector<Candidates> counts;
    for (const std::size_t papers : {10'000, 30'000, 100'000}) {
        const std::size_t share = papers * std::min(set.base, kWhole) / kWhole;
        const std::size_t used = std::min(std::max(share, papers / kLeast), set.base);
        if (counts.empty() || counts.back().used < used) counts.push_back({papers, used});
    }
    return counts;
}

struct Place {
    const PaperSet& set;
    std::size_t bits;
    Candidates candidates;

    std::string text() const { return fmt::format("L = {}, {} bits, {}", grouped(candidates.used), bits, set.title); }
};

std::vector<Place> places(const PaperSet& set, std::size_t bits) {
    std::vector<Place> all;
    for (const Candidates& candidates : candidate_counts(set)) all.push_back({set, bits, candidates});
    return all;
}

const Cell& cell_at(const ListedMethod& method, const Place& place, const ExperimentInput& input) {
    const std::string spec = fmt::format("IMI2x{}(coarse={}),{}", coarse_bits(place.set), method.coarse,
                                         spec_of(method.fine.spec, place.set, place.bits, input));
    return input.cell(
        {.set = place.set.name, .spec = spec, .measure = Measure::multi_index, .candidates = place.candidates.used});
}

TableCell milliseconds(double time) { return number_cell(time, fmt::format("{:.3f}", time)); }

TableRow multi_index_row(const ListedMethod& method, const Place& place, const ExperimentInput& input) {
    const Cell& cell = cell_at(method, place, input);
    TableRow figures{number_cell(static_cast<double>(place.candidates.used), grouped(place.candidates.used))};
    for (const std::size_t answers : {1, 10, 100}) figures.push_back(share_cell(cell.report.recall_at(answers)));
    for (const double seconds : {cell.reconstruct_seconds, batch_seconds(cell.report), cell.report.cell_order_seconds})
        figures.push_back(milliseconds(1e3 * seconds));
    const auto printed = published_multi_index(place.bits, place.candidates.papers, method.fine.label);
    if (printed) {
        figures.push_back(number_cell(static_cast<double>(printed->candidates), grouped(printed->candidates)));
        for (const double recall : printed->recalls) figures.push_back(share_cell(recall));
        for (const double time : {printed->t1, printed->t2}) figures.push_back(milliseconds(time));
    }
    return table_row(method.fine, place.bits, figures);
}

FigureTable multi_index_table(const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", "L", "Recall@1", "Recall@10", "Recall@100", "T1, ms", "T2, ms",
                                 "Multi-sequence, ms"}};
    for (const Place& place : places(set, bits))
        for (const ListedMethod& method : listed_methods()) table.rows.push_back(multi_index_row(method, place, input));
    for (const std::size_t column : {3, 4, 5}) mark_best(table, column, Better::more, 2);
    for (const std::size_t column : {6, 7, 8}) mark_best(table, column, Better::less, 2);
    if (table.rows.front().size() > table.titles.size())
        for (const char* what : {"Paper L", "Paper @1", "Paper @10", "Paper @100", "Paper T1, ms", "Paper T2, ms"})
            table.titles.push_back(published_title(what, set, kBillion));
    return table;
}

PlotSeries published_series(const ListedMethod& method, const PaperSet& set, std::size_t bits) {
    PlotSeries series{.name = method.fine.label + ", paper",
                      .colour = colour_of(method.fine.label),
                      .marks = Marks::hollow,
                      .line = Line::none};
    if (set.published != kBillion) return series;
    for (const Place& place : places(set, bits))
        if (const auto printed = published_multi_index(bits, place.candidates.papers, method.fine.label))
            series.points.push_back({printed->t2, printed->recalls[1], "paper, " + place.text()});
    return series;
}

Plot multi_index_plot(const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    Plot plot{.title = fmt::format("{} bits", bits),
              .x = {"T2 per query, ms", Scale::logarithmic},
              .y = {"recall@10", Scale::linear, 0, 1}};
    for (const ListedMethod& method : listed_methods()) {
        PlotSeries series{.name = method.fine.label, .colour = colour_of(method.fine.label)};
        for (const Place& place : places(set, bits)) {
            const Report& report = cell_at(method, place, input).report;
            const double time = 1e3 * batch_seconds(report), recall = report.recall_at(10);
            series.points.push_back({time, recall,
                                     fmt::format("{}, L = {}: {:.3f} ms, {:.3f}", method.fine.label,
                                                 grouped(place.candidates.used), time, recall)});
        }
        plot.series.push_back(std::move(series));
        PlotSeries printed = published_series(method, set, bits);
        if (!printed.points.empty()) plot.series.push_back(std::move(printed));
    }
    return plot;
}

void check_recall(const ListedMethod& more, const ListedMethod& less, const Place& place, const ExperimentInput& input,
                  std::vector<Check>& checks) {
    const double high = cell_at(more, place, input).report.recall_at(10),
                 low = cell_at(less, place, input).report.recall_at(10);
    checks.push_back(
        {fmt::format("{} is at least as good as {} in recall@10, {}", more.fine.label, less.fine.label, place.text()),
         fmt::format("{:.3f} against {:.3f}", high, low), high >= low});
}

void check_tables(const ListedMethod& method, const Place& place, const ExperimentInput& input,
                  std::vector<Check>& checks) {
    const Cell& cell = cell_at(method, place, input);
    const double t1 = 1e3 * cell.reconstruct_seconds, t2 = 1e3 * batch_seconds(cell.report);
    checks.push_back({fmt::format("T2 of {} is no more than its T1, {}", method.fine.label, place.text()),
                      fmt::format("{:.3f} ms against {:.3f} ms", t2, t1), t2 <= t1});
}

void check_sparse_time(const ListedMethod& sparse, const ListedMethod& blocks, const Place& place,
                       const ExperimentInput& input, std::vector<Check>& checks) {
    const double ours = 1e3 * batch_seconds(cell_at(sparse, place, input).report),
                 theirs = 1e3 * batch_seconds(cell_at(blocks, place, input).report);
    checks.push_back({fmt::format("T2 of {} is no more than {:g} times that of {}, {}", sparse.fine.label, kSlightly,
                                  blocks.fine.label, place.text()),
                      fmt::format("{:.3f} ms against {:.3f} ms", ours, theirs), ours <= kSlightly * theirs});
}

void check_place(const Place& place, const ExperimentInput& input, std::vector<Check>& checks) {
    const std::vector<ListedMethod> methods = listed_methods();
    const ListedMethod &pq = methods[0], &ckm = methods[1], &nocq = methods[2], &sparse1 = methods[3],
                       &sparse2 = methods[4];
    check_recall(nocq, ckm, place, input, checks);
    check_recall(ckm, pq, place, input, checks);
    check_recall(sparse1, pq, place, input, checks);
    check_recall(sparse2, ckm, place, input, checks);
    for (const ListedMethod& method : {nocq, sparse1, sparse2}) check_tables(method, place, input, checks);
    for (const ListedMethod& method : {sparse1, sparse2}) check_sparse_time(method, pq, place, input, checks);
}

}  // namespace

Findings multi_index(const ExperimentInput& input) {
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{heading(set)};
        for (const std::size_t bits : input.bits) {
            block.plots.push_back(multi_index_plot(set, bits, input));
            block.tables.push_back(multi_index_table(set, bits, input));
            for (const Place& place : places(set, bits)) check_place(place, input, findings.checks);
        }
        findings.blocks.push_back(std::move(block));
    }
    return findings;
}

}  // namespace summand::cli
