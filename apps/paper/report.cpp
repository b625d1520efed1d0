// Verdicts, and the report as JSON.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "commit_name.h"
#include "summand/device.h"

namespace summand::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kNamedChecks = 4;  // that do not hold, at most, in a verdict; the list has all

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
    return "unknown processor";
}

ordered_json table_json(const FigureTable& table) {
    ordered_json rows = ordered_json::array();
    for (const TableRow& row : table.rows) {
        ordered_json values = ordered_json::array();
        for (const TableCell& cell : row)
            values.push_back(cell.number         ? ordered_json(*cell.number)
                             : cell.text.empty() ? ordered_json()
                                                 : ordered_json(cell.text));
        rows.push_back(values);
    }
    return {{"columns", table.titles}, {"rows", rows}};
}

ordered_json plot_json(const Plot& plot) {
    ordered_json all = ordered_json::array();
    for (const PlotSeries& series : plot.series) {
        ordered_json points = ordered_json::array();
        for (const PlotPoint& point : series.points) points.push_back({point.x, point.y});
        all.push_back({{"name", series.name}, {"published", series.marks == Marks::hollow}, {"points", points}});
    }
    return {{"title", plot.title}, {"x", plot.x.title}, {"y", plot.y.title}, {"series", all}};
}

ordered_json experiment_json(const ExperimentResult& one) {
    const Verdict judged = verdict(one.findings);
    ordered_json checks = ordered_json::array(), blocks = ordered_json::array();
    for (const Check& check : one.findings.checks)
        checks.push_back({{"claim", check.claim}, {"figures", check.figures}, {"holds", check.holds}});
    for (const Block& block : one.findings.blocks) {
        ordered_json tables = ordered_json::array(), plots = ordered_json::array();
        for (const FigureTable& table : block.tables) tables.push_back(table_json(table));
        for (const Plot& plot : block.plots) plots.push_back(plot_json(plot));
        blocks.push_back({{"set", block.heading}, {"tables", tables}, {"plots", plots}});
    }
    return {{"name", one.experiment.name},
            {"title", one.experiment.title},
            {"source", one.experiment.source},
            {"claim", one.experiment.claim},
            {"remark", one.experiment.remark},
            {"verdict", judged.word},
            {"held", judged.held},
            {"notes", one.findings.notes},
            {"checks", checks},
            {"blocks", blocks}};
}

ordered_json set_json(const PaperSet& set) {
    ordered_json protocols = ordered_json::array();
    for (const auto& [protocol, hash] : set.lists) protocols.push_back(name(protocol));
    return {{"name", set.files.name},     {"title", set.title},           {"published_as", set.published},
            {"base", set.base},           {"learn", set.learn},           {"queries", set.queries},
            {"base_rows", set.base_rows}, {"dimensions", set.dimensions}, {"hash", fmt::format("{:016x}", set.hash)},
            {"relevance", protocols}};
}

std::string verdict_word(const Verdict& judged) {
    if (judged.held == judged.all) return "agrees";
    if (judged.held == 0) return "differs";
    if (2 * judged.held == judged.all) return "agrees in half";
    return 2 * judged.held > judged.all ? "mostly agrees" : "mostly differs";
}

}  // namespace

Verdict verdict(const Findings& findings) {
    if (findings.checks.empty()) return {.word = "open", .text = "No check applies to these sets and code lengths."};
    Verdict judged{.all = findings.checks.size()};
    std::string broken;
    std::size_t others = 0;
    for (const Check& check : findings.checks)
        if (!check.holds && ++others <= kNamedChecks)
            broken += fmt::format("{}{} ({})", broken.empty() ? "" : "; ", check.claim, check.figures);
    judged.held = judged.all - others;
    judged.word = verdict_word(judged);
    judged.text = fmt::format("{} of {} checks hold.", judged.held, judged.all);
    if (others > 0)
        judged.text += fmt::format(" It is not so that {}{}.", broken,
                                   others > kNamedChecks ? fmt::format("; and {} more", others - kNamedChecks) : "");
    return judged;
}

std::string machine_name(unsigned threads) {
    const unsigned used = threads == 0 ? default_threads() : threads;
    return fmt::format("{}, {} thread{}, {} instructions", processor(), used, used == 1 ? "" : "s", kernel_level());
}

std::vector<std::string> commits(const CampaignResult& result) {
    std::set<std::string> names;
    for (const auto& [key, cell] : result.cells)
        if (!cell.commit.empty()) names.insert(cell.commit);
    return {names.begin(), names.end()};
}

ordered_json to_json(const PaperReport& report) {
    ordered_json sets = ordered_json::array(), all = ordered_json::array(), cells = ordered_json::array();
    for (const PaperSet& set : report.options.sets) sets.push_back(set_json(set));
    for (const ExperimentResult& one : report.result.results) all.push_back(experiment_json(one));
    for (const auto& [key, cell] : report.result.cells) cells.push_back(to_json(key, cell));
    return {
        {"version", version()},
        {"commit", kCommitName},
        {"cell_commits", commits(report.result)},
        {"missing_cells", report.result.missing},
        {"machine", report.machine},
        {"options", {{"bits", report.options.bits}, {"iterations", report.options.iterations}, {"seed", report.seed}}},
        {"sets", sets},
        {"experiments", all},
        {"cells", cells}};
}

}  // namespace summand::cli
