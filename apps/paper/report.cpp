// Verdicts, and the report as JSON.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "commit_name.h"
#include "sources_name.h"
#include "summand/device.h"

namespace summand::cli {
namespace {

using nlohmann::ordered_json;

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
    return {{"name", set.name},           {"title", set.title},           {"published_as", set.published},
            {"base", set.base},           {"learn", set.learn},           {"queries", set.queries},
            {"base_rows", set.base_rows}, {"dimensions", set.dimensions}, {"hash", fmt::format("{:016x}", set.hash)},
            {"relevance", protocols}};
}

// What checks claim, up to the first comma, and the places after it where it does not hold.
std::vector<std::pair<std::string, std::string>> broken_claims(const std::vector<Check>& checks) {
    std::vector<std::pair<std::string, std::string>> claims;
    for (const Check& check : checks) {
        if (check.holds) continue;
        const std::size_t comma = std::min(check.claim.find(", "), check.claim.size());
        const std::string claim = check.claim.substr(0, comma);
        const std::string place = comma == check.claim.size() ? "" : check.claim.substr(comma + 2) + " ";
        auto found = std::find_if(claims.begin(), claims.end(), [&](const auto& one) { return one.first == claim; });
        if (found == claims.end()) found = claims.insert(claims.end(), {claim, ""});
        found->second += fmt::format("{}{}({})", found->second.empty() ? "" : "; ", place, check.figures);
    }
    return claims;
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
    judged.held = static_cast<std::size_t>(
        std::count_if(findings.checks.begin(), findings.checks.end(), [](const Check& check) { return check.holds; }));
    judged.word = verdict_word(judged);
    judged.text = fmt::format("{} of {} checks hold.", judged.held, judged.all);
    for (const auto& [claim, places] : broken_claims(findings.checks))
        judged.text += fmt::format(" It is not so that {}: {}.", claim, places);
    return judged;
}

std::string machine_name(unsigned threads) {
    const unsigned used = threads == 0 ? default_threads() : threads;
    return fmt::format("{}, {} thread{}, {} instructions", processor(), used, used == 1 ? "" : "s", kernel_level());
}

std::string summary(const PaperReport& report) {
    std::string text =
        fmt::format("Written by summand-paper with the report; sources {}, {}.\n", kSourcesName, report.machine);
    for (const ExperimentResult& one : report.result.results) {
        const Verdict judged = verdict(one.findings);
        text += fmt::format("\n**{}** ({}): {}. {} {}\n", one.experiment.title, one.experiment.source, judged.word,
                            one.experiment.claim, judged.text);
        for (const std::string& note : one.findings.notes) text += fmt::format("{}\n", note);
    }
    return text;
}

ordered_json to_json(const PaperReport& report) {
    ordered_json sets = ordered_json::array(), all = ordered_json::array(), cells = ordered_json::array();
    for (const PaperSet& set : report.options.sets) sets.push_back(set_json(set));
    for (const PaperSet& set : report.options.slices)
        if (set.name != set.files.name) sets.push_back(set_json(set));
    for (const ExperimentResult& one : report.result.results) all.push_back(experiment_json(one));
    for (const auto& [key, cell] : report.result.cells) cells.push_back(to_json(key, cell));
    return {
        {"version", version()},
        {"commit", kCommitName},
        {"sources", kSourcesName},
        {"missing_cells", report.result.missing},
        {"machine", report.machine},
        {"options", {{"bits", report.options.bits}, {"iterations", report.options.iterations}, {"seed", report.seed}}},
        {"sets", sets},
        {"experiments", all},
        {"cells", cells}};
}

}  // namespace summand::cli
