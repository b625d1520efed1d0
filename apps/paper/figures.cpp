#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "published.h"
#include "summand/text.h"
#include "summand/train.h"

namespace summand::cli {
namespace {

constexpr std::array<std::size_t, 3> kAnswers = {1, 10, 100};

int usual_iterations(const std::string& method) {
    constexpr std::string_view kOption = "iterations=";
    for (const MethodInfo& info : methods())
        for (const std::string_view option : info.options)
            if (info.name == method && option.starts_with(kOption))
                return std::stoi(std::string(option.substr(kOption.size())));
    return 1;
}

std::string method_of(const std::string& pattern) { return pattern.substr(0, pattern.find('{')); }

double recall_of(const Method& method, const PaperSet& set, std::size_t bits, std::size_t answers,
                 const ExperimentInput& input) {
    return cell_of(method, set, bits, input).report.recall_at(answers);
}

TableRow recall_row(const Method& method, const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    TableRow figures;
    for (const std::size_t answers : kAnswers)
        figures.push_back(share_cell(recall_of(method, set, bits, answers, input)));
    return table_row(method, bits, figures);
}

void add_published(FigureTable& table, const PaperSet& set) {
    const std::string beside = published_beside(set.known);
    bool any = false;
    for (TableRow& row : table.rows) {
        const auto printed = published_recall(beside, static_cast<std::size_t>(*row[0].number), row[1].text);
        any |= printed.has_value();
        constexpr PublishedRecall kNone{"", 0, "", {-1, -1, -1}};
        for (const double recall : printed.value_or(kNone).recalls) row.push_back(share_cell(recall));
    }
    for (const std::size_t answers : kAnswers)
        table.titles.push_back(published_title(fmt::format("Paper @{}", answers), set));
    if (any) return;
    table.titles.resize(table.titles.size() - kAnswers.size());
    for (TableRow& row : table.rows) row.resize(row.size() - kAnswers.size());
}

PlotSeries recall_series(const Method& method, const Cell& cell, std::size_t truths) {
    PlotSeries series{.name = method.label, .colour = colour_of(method.label)};
    for (const RecallPoint& point : cell.report.recalls)
        if (point.truths == truths)
            series.points.push_back(
                {static_cast<double>(point.answers), point.recall,
                 fmt::format("{} recall@{} of {}: {:.3f}", method.label, point.answers, truths, point.recall)});
    return series;
}

void add_published(Plot& plot, const Method& method, const PaperSet& set, std::size_t bits) {
    const auto printed = published_recall(set.published, bits, method.label);
    if (set.published.empty() || !printed) return;
    PlotSeries series{.name = method.label + ", paper",
                      .colour = colour_of(method.label),
                      .marks = Marks::hollow,
                      .line = Line::none};
    for (std::size_t i = 0; i < kAnswers.size(); ++i)
        if (printed->recalls[i] >= 0)
            series.points.push_back(
                {static_cast<double>(kAnswers[i]), printed->recalls[i],
                 fmt::format("{} in the paper, recall@{}: {}", method.label, kAnswers[i], printed->recalls[i])});
    plot.series.push_back(std::move(series));
}

struct Compared {
    double more, less;
    std::string where;
};

// Figures of both methods on all sets and code lengths at which both exist.
std::vector<Compared> compared_figures(const Comparison& compared, const ExperimentInput& input) {
    std::vector<Compared> all;
    for (const PaperSet& set : input.sets)
        for (const std::size_t bits : input.bits) {
            if (!possible(compared.more, set, bits) || !possible(compared.less, set, bits)) continue;
            all.push_back({recall_of(compared.more, set, bits, compared.answers, input),
                           recall_of(compared.less, set, bits, compared.answers, input),
                           fmt::format("recall@{}, {} bits, {}", compared.answers, bits, set.title)});
        }
    return all;
}

}  // namespace

std::string spec_of(const std::string& pattern, const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    const std::string method = method_of(pattern);
    Spec spec = parse_spec(fmt::format(fmt::runtime(pattern), method == "ITQ" ? bits : bits / 8));
    if (method == "PQ" && set.known == "1M GIST") spec.options["order"] = "structured";  // as the paper does
    if (input.iterations != 1)
        spec.options["iterations"] =
            std::to_string(std::max(2, static_cast<int>(input.iterations * usual_iterations(method))));
    return to_string(spec);
}

bool possible(const Method& method, const PaperSet& set, std::size_t bits) {
    const std::string name = method_of(method.spec);
    if (name == "ITQ") return bits <= set.dimensions;
    return name != "CQc" || bits > 32;
}

const Cell& cell_of(const Method& method, const PaperSet& set, std::size_t bits, const ExperimentInput& input) {
    const std::string by = method.query_spec.empty() ? "" : spec_of(method.query_spec, set, bits, input);
    return input.cell({set.name, spec_of(method.spec, set, bits, input), method.measure, by});
}

std::string heading(const PaperSet& set) {
    if (set.name == set.files.name) return set.title;
    return fmt::format("{}: {} searched, {} learnt from, {} queries", set.title, grouped(set.base), grouped(set.learn),
                       grouped(set.queries));
}

std::size_t colour_of(const std::string& label) {
    constexpr const char* kLabels[] = {"PQ",   "CKM",  "NOCQ",   "LOCQ",   "CQ",  "OCQ",
                                       "ITQ",  "AQ",   "OTQ",    "AQ-e",   "UB",  "CQ-e",
                                       "CQ-d", "CQ-c", "SNOCQ1", "SNOCQ2", "QAV", "AQ, pairs looked up"};
    constexpr std::size_t kColours[] = {0, 1, 2, 3, 4, 5, 7, 4, 5, 7, 3, 4, 6, 0, 6, 5, 7, 3};
    const auto found = std::find(std::begin(kLabels), std::end(kLabels), label);
    return found == std::end(kLabels) ? 6 : kColours[found - std::begin(kLabels)];
}

TableCell number_cell(double number, const std::string& text) {
    if (!std::isfinite(number) || number < 0) return {.text = ""};
    return {.text = text, .number = number};
}

std::string figure_text(double figure) {
    if (!(figure >= 1000)) return fmt::format("{:.4g}", figure);
    return grouped(static_cast<std::uint64_t>(std::llround(figure)));
}

TableCell share_cell(double share) { return number_cell(share, fmt::format("{:.3f}", share)); }

TableRow table_row(const Method& method, std::size_t bits, const TableRow& figures) {
    TableRow row{number_cell(static_cast<double>(bits), std::to_string(bits)),
                 {.text = method.label, .colour = colour_of(method.label)}};
    row.insert(row.end(), figures.begin(), figures.end());
    return row;
}

std::string published_title(const std::string& what, const PaperSet& set, std::string belonging_to) {
    if (belonging_to.empty()) belonging_to = published_beside(set.known);
    return fmt::format("{}, {}{}", what, belonging_to, set.published == belonging_to ? ", same data" : "");
}

FigureTable recall_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", "Recall@1", "Recall@10", "Recall@100"}};
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods)
            if (possible(method, set, bits)) table.rows.push_back(recall_row(method, set, bits, input));
    for (const std::size_t column : {2, 3, 4}) mark_best(table, column, Better::more, 0);
    if (methods.front().measure == Measure::search) add_published(table, set);
    return table;
}

std::vector<Plot> recall_plots(const std::vector<Method>& methods, const PaperSet& set, std::size_t truths,
                               const ExperimentInput& input) {
    std::vector<Plot> plots;
    for (const std::size_t bits : input.bits) {
        Plot plot{.title = fmt::format("{} bits, T = {}", bits, truths),
                  .x = {"R", Scale::logarithmic, 1, 100},
                  .y = {"recall@R", Scale::linear, 0, 1}};
        for (const Method& method : methods) {
            if (!possible(method, set, bits)) continue;
            plot.series.push_back(recall_series(method, cell_of(method, set, bits, input), truths));
            if (truths == 1 && method.measure == Measure::search) add_published(plot, method, set, bits);
        }
        plots.push_back(std::move(plot));
    }
    return plots;
}

std::vector<Block> recall_blocks(const std::vector<Method>& methods, const ExperimentInput& input) {
    std::vector<Block> blocks;
    for (const PaperSet& set : input.sets)
        blocks.push_back({heading(set), recall_plots(methods, set, 1, input), {recall_table(methods, set, input)}});
    return blocks;
}

Plot length_plot(const LengthFigure& figure, const std::vector<Method>& methods, const PaperSet& set,
                 const ExperimentInput& input) {
    Plot plot{.title = figure.name + " against code length", .x = {"bits"}, .y = {figure.name}};
    for (const Method& method : methods) {
        PlotSeries series{.name = method.label, .colour = colour_of(method.label)};
        PlotSeries printed{
            .name = method.label + ", paper", .colour = series.colour, .marks = Marks::hollow, .line = Line::none};
        for (const std::size_t bits : input.bits) {
            if (!possible(method, set, bits)) continue;
            const double value = figure.value(cell_of(method, set, bits, input));
            const std::string label = fmt::format("{}, {} bits: {:.3f}", method.label, bits, value);
            if (value >= 0) series.points.push_back({static_cast<double>(bits), value, label});
            const auto paper = figure.published ? figure.published(set.published, bits, method.label) : std::nullopt;
            if (paper) printed.points.push_back({static_cast<double>(bits), *paper, "paper, " + series.name});
        }
        plot.series.push_back(std::move(series));
        if (!printed.points.empty()) plot.series.push_back(std::move(printed));
    }
    return plot;
}

void check_length_figure(const LengthFigure& figure, const Method& more, const Method& less, const PaperSet& set,
                         const ExperimentInput& input, std::vector<Check>& checks) {
    for (const std::size_t bits : input.bits) {
        if (!possible(more, set, bits) || !possible(less, set, bits)) continue;
        const double high = figure.value(cell_of(more, set, bits, input)),
                     low = figure.value(cell_of(less, set, bits, input));
        checks.push_back({fmt::format("{} is at least as good as {} in {}, {} bits, {}", more.label, less.label,
                                      figure.name, bits, set.title),
                          fmt::format("{:.3f} against {:.3f}", high, low), high >= low});
    }
}

void check_above(const Comparison& compared, const ExperimentInput& input, std::vector<Check>& checks) {
    for (const Compared& one : compared_figures(compared, input))
        checks.push_back(
            {fmt::format("{} is at least as good as {} in {}", compared.more.label, compared.less.label, one.where),
             fmt::format("{:.3f} against {:.3f}", one.more, one.less), one.more >= one.less - compared.slack});
}

void check_similar(const Comparison& compared, double tolerance, const ExperimentInput& input,
                   std::vector<Check>& checks) {
    for (const Compared& one : compared_figures(compared, input))
        checks.push_back({fmt::format("{} and {} differ by no more than {} in {}", compared.more.label,
                                      compared.less.label, tolerance, one.where),
                          fmt::format("{:.3f} against {:.3f}", one.more, one.less),
                          std::abs(one.more - one.less) <= tolerance});
}

}  // namespace summand::cli
