// Experiments about searching: figures 2 and 7 to 13.
#include <fmt/format.h>

#include <algorithm>

#include "compared.h"
#include "published.h"

namespace summand::cli {
namespace {

Method by_inner_product(Method method) {
    method.measure = Measure::inner_product;
    return method;
}

Method with_queries_by(Method method, const std::string& query_spec) {
    method.measure = Measure::compressed_queries;
    method.query_spec = query_spec;
    return method;
}

// The order of the paper: the second of each pair is not above the first.
void check_order(const std::vector<Method>& best_first, const ExperimentInput& input, std::vector<Check>& checks) {
    for (std::size_t i = 0; i + 1 < best_first.size(); ++i)
        check_above({best_first[i], best_first[i + 1]}, input, checks);
}

double ratio(const Comparison& compared, const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    return cell_of(compared.more, set, bits, input).report.recall_at(1) /
           cell_of(compared.less, set, bits, input).report.recall_at(1);
}

// Of recall@1, as a ratio.
void check_growing_lead(const Comparison& here, const Comparison& before, const ExperimentInput& input,
                        std::vector<Check>& checks) {
    for (const PaperSet& set : input.sets)
        for (const std::size_t bits : input.bits) {
            const double now = ratio(here, set, bits, input), plain = ratio(before, set, bits, input);
            checks.push_back({fmt::format("the lead of {} over {} in recall@1 grows, {} bits, {}", here.more.label,
                                          here.less.label, bits, set.title),
                              fmt::format("a ratio of {:.2f} after {:.2f}", now, plain), now > plain});
        }
}

// --- query time ---

// AQ as it is described looks pairs of words up. Recall and tables are those of AQ.
const Method kPairs{"AQ, pairs looked up", "AQ{}"};

QuerySeconds alone(const Method& method, const Cell& cell) {
    return method.label == kPairs.label ? cell.quadratic : cell.report.alone;
}

TableCell microseconds(double seconds) { return number_cell(seconds * 1e6, fmt::format("{:.1f}", seconds * 1e6)); }

TableRow time_row(const Method& method, const Cell& cell) {
    const QuerySeconds query = alone(method, cell), tables = cell.report.tables_alone;
    const bool pairs = method.label == kPairs.label;
    return {
        microseconds(tables.median),
        microseconds(query.median - tables.median),
        microseconds(query.median),
        {.text = fmt::format("{:.1f} to {:.1f}", query.low * 1e6, query.high * 1e6), .number = query.high - query.low},
        microseconds(pairs ? -1 : batch_seconds(cell.report)),
        share_cell(cell.report.recall_at(10))};
}

FigureTable time_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", "Tables, µs", "Scan, µs", "A query, µs", "Half of them, µs",
                                 "In a batch, µs", "Recall@10"}};
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods)
            table.rows.push_back(table_row(method, bits, time_row(method, cell_of(method, set, bits, input))));
    for (const std::size_t column : {2, 3, 4, 6}) mark_best(table, column, Better::less, 0);
    mark_best(table, 7, Better::more, 0);
    return table;
}

Plot time_plot(const std::vector<Method>& methods, const PaperSet& set, std::size_t bits,
               const ExperimentInput& input) {
    Plot plot{.title = fmt::format("{} bits", bits),
              .x = {"time of a query, µs", Scale::logarithmic},
              .y = {"recall@10", Scale::linear, 0, 1}};
    for (const Method& method : methods) {
        const Cell& cell = cell_of(method, set, bits, input);
        const double time = alone(method, cell).median * 1e6, recall = cell.report.recall_at(10);
        plot.series.push_back(
            {.name = method.label,
             .colour = colour_of(method.label),
             .points = {{time, recall, fmt::format("{}: {:.1f} µs, {:.3f}", method.label, time, recall)}},
             .line = Line::none});
    }
    return plot;
}

// Half the distance between the quartiles, as a share of the median.
double noise(const QuerySeconds& seconds) { return (seconds.high - seconds.low) / (2 * seconds.median); }

enum class Timed { query, tables };

struct TimeCheck {
    const Method& slower;
    const Method& faster;
    Timed what;
    double most;  // times as long
};

// A time may exceed its bound by what half of the queries vary.
void check_time(const TimeCheck& check, const ExperimentInput& input, std::vector<Check>& checks) {
    const auto seconds = [&](const Method& method, const PaperSet& set, std::size_t bits) {
        const Cell& cell = cell_of(method, set, bits, input);
        return check.what == Timed::tables ? cell.report.tables_alone : alone(method, cell);
    };
    for (const PaperSet& set : input.sets)
        for (const std::size_t bits : input.bits) {
            const QuerySeconds slower = seconds(check.slower, set, bits), faster = seconds(check.faster, set, bits);
            const double margin = 1 + std::max(noise(slower), noise(faster));
            checks.push_back({fmt::format("{} of {} takes no more than {:g} times that of {}, {} bits, {}",
                                          check.what == Timed::tables ? "building tables" : "a query",
                                          check.slower.label, check.most, check.faster.label, bits, set.title),
                              fmt::format("{:.1f} µs against {:.1f} µs", slower.median * 1e6, faster.median * 1e6),
                              slower.median <= margin * check.most * faster.median});
        }
}

// Twice the dictionaries, four times the pairs.
void check_quadratic(const ExperimentInput& input, std::vector<Check>& checks) {
    for (const PaperSet& set : input.sets)
        for (std::size_t i = 0; i + 1 < input.bits.size(); ++i) {
            const std::size_t few = input.bits[i], many = input.bits[i + 1];
            const double before = cell_of(kPairs, set, few, input).quadratic.median,
                         after = cell_of(kPairs, set, many, input).quadratic.median;
            const double longer = static_cast<double>(many) / static_cast<double>(few);
            checks.push_back({fmt::format("{} takes more than {:g} times as long with {} bits as with {}, {}",
                                          kPairs.label, longer, many, few, set.title),
                              fmt::format("{:.2f} times", after / before), after > longer * before});
        }
}

// --- MAP ---

const LengthFigure kPrecision{"MAP", [](const Cell& cell) { return cell.report.map; }, published_precision};

FigureTable precision_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    const std::string beside = published_beside(set.known);
    FigureTable table{.titles = {"Bits", "Method", "MAP", published_title("Paper", set)}};
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods)
            if (possible(method, set, bits))
                table.rows.push_back(
                    table_row(method, bits,
                              {share_cell(cell_of(method, set, bits, input).report.map),
                               share_cell(published_precision(beside, bits, method.label).value_or(-1))}));
    mark_best(table, 2, Better::more, 0);
    return table;
}

}  // namespace

Findings query_time(const ExperimentInput& input) {
    const std::vector<Method> methods = {kPq, kCkm, kNocq, kSparse1, kSparse2, kAq, kPairs, kAqe};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{heading(set), {}, {time_table(methods, set, input)}};
        for (const std::size_t bits : input.bits) block.plots.push_back(time_plot(methods, set, bits, input));
        findings.blocks.push_back(std::move(block));
    }
    check_time({kNocq, kCkm, Timed::query, kSlightly}, input, findings.checks);
    check_time({kAqe, kNocq, Timed::query, kSlightly}, input, findings.checks);
    check_time({kNocq, kPairs, Timed::query, 1}, input, findings.checks);
    check_quadratic(input, findings.checks);
    check_time({kSparse1, kPq, Timed::tables, 2}, input, findings.checks);
    check_time({kSparse2, kCkm, Timed::tables, 2}, input, findings.checks);
    check_above({kSparse1, kPq}, input, findings.checks);
    check_above({kSparse2, kCkm}, input, findings.checks);
    return findings;
}

Findings recall_curves(const ExperimentInput& input) {
    const std::vector<Method> methods = {kItq, kPq, kCkm, kPrinted, kNocq, kLocq};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{heading(set), {}, {recall_table(methods, set, input)}};
        for (const std::size_t truths : {1, 10, 50})
            for (Plot& plot : recall_plots(methods, set, truths, input)) block.plots.push_back(std::move(plot));
        findings.blocks.push_back(std::move(block));
    }
    check_order({kPrinted, kCkm, kPq, kItq}, input, findings.checks);
    check_above({kNocq, kCkm}, input, findings.checks);
    return findings;
}

Findings precision_by_length(const ExperimentInput& input) {
    const std::vector<Method> methods = {kItq, kPq, kCkm, kPrinted, kNocq, kLocq};
    Findings findings;
    for (const PaperSet& set : input.sets)
        findings.blocks.push_back(
            {heading(set), {length_plot(kPrecision, methods, set, input)}, {precision_table(methods, set, input)}});
    for (const Method& nocq : {kPrinted, kNocq})
        for (const Method& other : {kCkm, kPq, kItq})
            for (const PaperSet& set : input.sets)
                check_length_figure(kPrecision, nocq, other, set, input, findings.checks);
    return findings;
}

Findings inner_product_search(const ExperimentInput& input) {
    const Method pq = by_inner_product(kPq), ckm = by_inner_product(kCkm), nocq = by_inner_product(kNocq),
                 cq = by_inner_product(kCq), anisotropic = by_inner_product(kAnisotropic);
    Findings findings{recall_blocks({pq, ckm, nocq, cq, anisotropic}, input)};
    check_above({nocq, ckm}, input, findings.checks);
    check_above({nocq, pq}, input, findings.checks);
    return findings;
}

Findings query_compression(const ExperimentInput& input) {
    const Method pq = with_queries_by(kPq, "PQ{}"), ckm = with_queries_by(kCkm, "OPQ{}"),
                 nocq = with_queries_by(kNocq, "CQ{}"), locq = with_queries_by(kLocq, "CQ{}");
    Findings findings{recall_blocks({pq, ckm, nocq, locq}, input)};
    check_above({nocq, ckm}, input, findings.checks);
    check_above({nocq, pq}, input, findings.checks);
    check_growing_lead({nocq, ckm}, {kNocq, kCkm}, input, findings.checks);
    return findings;
}

}  // namespace summand::cli
