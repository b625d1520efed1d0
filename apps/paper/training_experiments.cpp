// Experiments about what is minimised: figures 1 and 4, table 3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compared.h"
#include "published.h"

namespace summand::cli {
namespace {

constexpr double kSettled = 0.02;  // relative change of the objective in the last iteration

// --- recall against distortion ---

Plot distortion_plot(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    Plot plot{.title = "Recall against mean squared error",
              .x = {"mean squared error", Scale::logarithmic},
              .y = {"recall", Scale::linear, 0, 1}};
    std::size_t colour = 0;
    for (const std::size_t answers : {1, 10, 100}) {
        PlotSeries ours{.name = fmt::format("recall@{}", answers), .colour = colour};
        PlotSeries printed{.name = fmt::format("recall@{}, paper", answers),
                           .colour = colour++,
                           .marks = Marks::hollow,
                           .line = Line::none};
        for (const std::size_t bits : input.bits)
            for (const Method& method : methods) {
                const Report& report = cell_of(method, set, bits, input).report;
                const std::string label = fmt::format("{}, {} bits, recall@{}", method.label, bits, answers);
                ours.points.push_back({report.distortion, report.recall_at(answers),
                                       fmt::format("{}: {:.3f}", label, report.recall_at(answers))});
                const auto error = published_distortion(set.published, bits, method.label);
                const auto recall = published_recall(set.published, bits, method.label);
                if (error && recall) printed.points.push_back({*error, recall->recalls[colour - 1], "paper, " + label});
            }
        std::sort(ours.points.begin(), ours.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        plot.series.push_back(std::move(ours));
        if (!printed.points.empty()) plot.series.push_back(std::move(printed));
    }
    return plot;
}

FigureTable error_table(const std::vector<Method>& methods, const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", "Mean squared error"}};
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods) {
            const double error = cell_of(method, set, bits, input).report.distortion;
            table.rows.push_back(table_row(method, bits, {number_cell(error, figure_text(error))}));
        }
    mark_best(table, 2, Better::less, 0);
    return table;
}

void add_recalls(FigureTable& table, const std::vector<Method>& methods, const PaperSet& set,
                 const ExperimentInput& input) {
    std::size_t row = 0;
    for (const std::size_t bits : input.bits)
        for (const Method& method : methods) {
            for (const std::size_t answers : {1, 10, 100})
                table.rows[row].push_back(share_cell(cell_of(method, set, bits, input).report.recall_at(answers)));
            ++row;
        }
    for (const std::size_t answers : {1, 10, 100}) table.titles.push_back(fmt::format("Recall@{}", answers));
    for (const std::size_t column : {3, 4, 5}) mark_best(table, column, Better::more, 0);
}

void check_lower_error(const Method& less, const Method& more, const ExperimentInput& input,
                       std::vector<Check>& checks) {
    for (const PaperSet& set : input.sets)
        for (const std::size_t bits : input.bits) {
            const double low = cell_of(less, set, bits, input).report.distortion,
                         high = cell_of(more, set, bits, input).report.distortion;
            checks.push_back(
                {fmt::format("{} has a lower error than {}, {} bits, {}", less.label, more.label, bits, set.title),
                 fmt::format("{} against {}", figure_text(low), figure_text(high)), low < high});
        }
}

// --- convergence ---

Plot objective_plot(const PaperSet& set, const ExperimentInput& input) {
    Plot plot{.title = "Objective of NOCQ", .x = {"iteration"}, .y = {"objective ÷ that of the first iteration"}};
    std::size_t colour = 0;
    for (const std::size_t bits : input.bits) {
        const std::vector<double>& objective = cell_of(kNocq, set, bits, input).objective;
        PlotSeries series{.name = fmt::format("{} bits", bits), .colour = colour++};
        for (std::size_t i = 0; i < objective.size(); ++i)
            series.points.push_back({static_cast<double>(i + 1), objective[i] / objective[0],
                                     fmt::format("{} bits, iteration {}: {}", bits, i + 1, figure_text(objective[i]))});
        plot.series.push_back(std::move(series));
    }
    return plot;
}

FigureTable objective_table(const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Iterations", "First", "Last", "Lowest"}};
    for (const std::size_t bits : input.bits) {
        const std::vector<double>& objective = cell_of(kNocq, set, bits, input).objective;
        if (objective.empty()) continue;
        const auto figure = [](double value) { return number_cell(value, figure_text(value)); };
        table.rows.push_back({number_cell(static_cast<double>(bits), std::to_string(bits)),
                              number_cell(static_cast<double>(objective.size()), std::to_string(objective.size())),
                              figure(objective.front()), figure(objective.back()),
                              figure(*std::min_element(objective.begin(), objective.end()))});
    }
    return table;
}

void check_convergence(const PaperSet& set, std::size_t bits, const std::vector<double>& objective,
                       std::vector<Check>& checks) {
    if (objective.size() < 2) return;
    const double last = objective.back(), before = objective[objective.size() - 2];
    const std::string where = fmt::format("{} bits, {}", bits, set.title);
    checks.push_back({fmt::format("the objective ends below its first value, {}", where),
                      fmt::format("{} against {}", figure_text(last), figure_text(objective.front())),
                      last < objective.front()});
    checks.push_back(
        {fmt::format("the last iteration changes the objective by less than {:g} %, {}", 100 * kSettled, where),
         fmt::format("{:+.2f} %", 100 * (last / before - 1)), std::abs(last / before - 1) < kSettled});
}

}  // namespace

Findings recall_against_distortion(const ExperimentInput& input) {
    const std::vector<Method> methods = {kPq, kCkm, kPrinted, kNocq};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        FigureTable table = error_table(methods, set, input);
        add_recalls(table, methods, set, input);
        findings.blocks.push_back({heading(set), {distortion_plot(methods, set, input)}, {std::move(table)}});
    }
    for (const Method& nocq : {kPrinted, kNocq}) check_lower_error(nocq, kCkm, input, findings.checks);
    check_lower_error(kCkm, kPq, input, findings.checks);
    for (const Method& nocq : {kPrinted, kNocq}) check_above({nocq, kCkm}, input, findings.checks);
    check_above({kCkm, kPq}, input, findings.checks);
    return findings;
}

Findings quantization_error(const ExperimentInput& input) {
    Findings findings;
    for (const PaperSet& set : input.sets) {
        FigureTable table = error_table({kCq, kPrinted, kNocq}, set, input);
        const std::string beside = published_beside(set.known);
        table.titles.push_back(published_title("Paper", set));
        for (TableRow& row : table.rows) {
            const auto error = published_distortion(beside, static_cast<std::size_t>(*row[0].number), row[1].text);
            row.push_back(error ? number_cell(*error, figure_text(*error)) : number_cell(-1, ""));
        }
        findings.blocks.push_back({heading(set), {}, {std::move(table)}});
    }
    for (const Method& nocq : {kPrinted, kNocq}) check_lower_error(kCq, nocq, input, findings.checks);
    return findings;
}

Findings what_training_adds(const ExperimentInput& input) {
    const std::vector<Method> nocq = {kPrinted, kPrintedMean, kPrintedAutomatic, kValidated, kNocq},
                              cq = {kPrintedCq, kIterative, kCq};
    Findings findings;
    for (const PaperSet& set : input.sets) {
        Block block{heading(set)};
        for (const auto& methods : {nocq, cq}) {
            FigureTable table = error_table(methods, set, input);
            add_recalls(table, methods, set, input);
            block.tables.push_back(std::move(table));
        }
        findings.blocks.push_back(std::move(block));
    }
    check_above({kNocq, kPrinted}, input, findings.checks);
    check_similar({kNocq, kValidated}, kSimilar, input, findings.checks);
    check_lower_error(kCq, kPrintedCq, input, findings.checks);
    return findings;
}

Findings convergence(const ExperimentInput& input) {
    Findings findings;
    for (const PaperSet& set : input.sets) {
        findings.blocks.push_back({heading(set), {objective_plot(set, input)}, {objective_table(set, input)}});
        for (const std::size_t bits : input.bits)
            check_convergence(set, bits, cell_of(kNocq, set, bits, input).objective, findings.checks);
    }
    return findings;
}

}  // namespace summand::cli
