// Experiments about searching: figures 2 and 7 to 13.
#include <fmt/format.h>

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

FigureTable time_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", "Tables, µs", "Scan, µs", "Together, µs", "Recall@10"}};
    const auto microseconds = [](double seconds) {
        return number_cell(seconds * 1e6, fmt::format("{:.1f}", seconds * 1e6));
    };
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods) {
            const Report& report = cell_of(method, set, bits, input).report;
            table.rows.push_back(table_row(method, bits,
                                           {microseconds(report.table_seconds), microseconds(report.scan_seconds),
                                            microseconds(query_seconds(report)), share_cell(report.recall_at(10))}));
        }
    for (const std::size_t column : {2, 3, 4}) mark_best(table, column, Better::less, 0);
    mark_best(table, 5, Better::more, 0);
    return table;
}

Plot time_plot(const std::vector<Method>& methods, const PaperSet& set, std::size_t bits,
               const ExperimentInput& input) {
    Plot plot{.title = fmt::format("{} bits", bits),
              .x = {"time per query, µs", Scale::logarithmic},
              .y = {"recall@10", Scale::linear, 0, 1}};
    for (const Method& method : methods) {
        const Report& report = cell_of(method, set, bits, input).report;
        const double time = query_seconds(report) * 1e6;
        plot.series.push_back(
            {.name = method.label,
             .colour = colour_of(method.label),
             .points = {{time, report.recall_at(10),
                         fmt::format("{}: {:.1f} µs, {:.3f}", method.label, time, report.recall_at(10))}},
             .line = Line::none});
    }
    return plot;
}

struct TimeCheck {
    const Method& slower;
    const Method& faster;
    double Report::*seconds;  // null: tables and scan
    const char* what;
    double most;  // times as long
};

void check_time(const TimeCheck& check, const ExperimentInput& input, std::vector<Check>& checks) {
    for (const PaperSet& set : input.sets)
        for (const std::size_t bits : input.bits) {
            const Report &slower = cell_of(check.slower, set, bits, input).report,
                         &faster = cell_of(check.faster, set, bits, input).report;
            const double ours = check.seconds ? slower.*check.seconds : query_seconds(slower),
                         others = check.seconds ? faster.*check.seconds : query_seconds(faster);
            checks.push_back({fmt::format("{} of {} takes no more than {:g} times that of {}, {} bits, {}", check.what,
                                          check.slower.label, check.most, check.faster.label, bits, set.title),
                              fmt::format("{:.1f} µs against {:.1f} µs", ours * 1e6, others * 1e6),
                              ours <= check.most * others});
        }
}

// --- MAP ---

const LengthFigure kPrecision{"MAP", [](const Cell& cell) { return cell.report.map; }, published_precision};

FigureTable precision_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    const std::string beside = published_beside(set.title);
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
    const std::vector<Method> methods = {kPq, kCkm, kNocq, kSparse1, kSparse2, kAq, kAqe};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{set.title, {}, {time_table(methods, set, input)}};
        for (const std::size_t bits : input.bits) block.plots.push_back(time_plot(methods, set, bits, input));
        findings.blocks.push_back(std::move(block));
    }
    check_time({kNocq, kCkm, nullptr, "a query", kSlightly}, input, findings.checks);
    check_time({kAqe, kNocq, nullptr, "a query", kSlightly}, input, findings.checks);
    check_time({kSparse1, kPq, &Report::table_seconds, "building tables", 2}, input, findings.checks);
    check_time({kSparse2, kCkm, &Report::table_seconds, "building tables", 2}, input, findings.checks);
    check_above({kSparse1, kPq}, input, findings.checks);
    check_above({kSparse2, kCkm}, input, findings.checks);
    return findings;
}

Findings recall_curves(const ExperimentInput& input) {
    const std::vector<Method> methods = {kItq, kPq, kCkm, kNocq, kLocq};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{set.title, {}, {recall_table(methods, set, input)}};
        for (const std::size_t truths : {1, 10, 50})
            for (Plot& plot : recall_plots(methods, set, truths, input)) block.plots.push_back(std::move(plot));
        findings.blocks.push_back(std::move(block));
    }
    check_order({kNocq, kCkm, kPq, kItq}, input, findings.checks);
    return findings;
}

Findings precision_by_length(const ExperimentInput& input) {
    const std::vector<Method> methods = {kItq, kPq, kCkm, kNocq, kLocq};
    Findings findings;
    for (const PaperSet& set : input.sets)
        findings.blocks.push_back(
            {set.title, {length_plot(kPrecision, methods, set, input)}, {precision_table(methods, set, input)}});
    for (const Method& other : {kCkm, kPq, kItq})
        for (const PaperSet& set : input.sets)
            check_length_figure(kPrecision, kNocq, other, set, input, findings.checks);
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
