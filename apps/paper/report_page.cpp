// The report as a page.
#include <fmt/format.h>

#include <algorithm>

#include "figures.h"
#include "report.h"
#include "sources_name.h"
#include "summand/device.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

std::string verdict_class(const Verdict& judged) {
    if (judged.all == 0) return "open";
    if (judged.held == judged.all) return "agrees";
    return 2 * judged.held >= judged.all ? "partly" : "differs";
}

std::string badge(const Verdict& judged) {
    return fmt::format(R"(<span class="badge {}">{}</span>)", verdict_class(judged), judged.word);
}

// --- head of the page ---

constexpr const char* kFastNote =
    "<p class=\"note\">A fast run: small slices of the data and few iterations show that everything works. Its "
    "verdicts "
    "say little about the methods.</p>\n";

std::string sets_html(const CampaignOptions& options) {
    std::vector<PaperSet> sets = options.sets;
    std::copy_if(options.slices.begin(), options.slices.end(), std::back_inserter(sets),
                 [](const PaperSet& set) { return set.name != set.files.name; });
    FigureTable table{.titles = {"Data set", "Searched", "Of", "Learnt from", "Queries", "Dimensions", "The paper's"}};
    const auto count = [](std::size_t rows) { return number_cell(static_cast<double>(rows), grouped(rows)); };
    for (const PaperSet& set : sets)
        table.rows.push_back({{.text = set.title},
                              count(set.base),
                              count(set.base_rows),
                              count(set.learn),
                              count(set.queries),
                              count(set.dimensions),
                              {.text = set.published.empty() ? "no" : "yes"}});
    return "<h2 id=\"sets\">Data</h2>\n" + html(table);
}

std::string contents(const std::vector<ExperimentResult>& results) {
    std::string text =
        "<h2 id=\"contents\">Experiments</h2>\n<div class=\"card scroll contents\"><table><thead><tr>"
        "<th>Experiment</th><th class=\"words\">Our figures</th><th>Checks that hold</th><th class=\"words\">In the "
        "paper</th></tr></thead><tbody>\n";
    for (const ExperimentResult& one : results) {
        const Verdict judged = verdict(one.findings);
        text += fmt::format(
            R"(<tr><td data-value="{0}"><a href="#{1}">{0}</a></td><td data-value="{3}" class="words">{4}</td>)"
            R"(<td data-value="{5:.3f}">{6} of {7}</td><td data-value="{2}" class="words">{2}</td></tr>)"
            "\n",
            escaped(one.experiment.title), one.experiment.name, one.experiment.source, judged.word, badge(judged),
            judged.all == 0 ? 0.0 : static_cast<double>(judged.held) / static_cast<double>(judged.all), judged.held,
            judged.all);
    }
    return text + "</tbody></table></div>" + std::string(kMoreColumns) + "\n";
}

// The claims that the paper rests on, each with its verdict and one plot: of the first set, and of the
// second code length where there are several.
std::string headlines(const std::vector<ExperimentResult>& results) {
    std::string text = "<h2 id=\"claims\">The paper's claims</h2>\n<div class=\"plots\">\n";
    for (const ExperimentResult& one : results) {
        if (one.experiment.standing != Standing::headline || one.findings.blocks.empty()) continue;
        const std::vector<Plot>& plots = one.findings.blocks.front().plots;
        const Verdict judged = verdict(one.findings);
        text += fmt::format("<div class=\"card claim\"><p>{} {} <a href=\"#{}\">{} of {} checks</a></p>\n",
                            badge(judged), escaped(one.experiment.claim), one.experiment.name, judged.held, judged.all);
        if (!plots.empty()) {
            const Plot& plot = plots[std::min<std::size_t>(1, plots.size() - 1)];
            text += fmt::format("<p class=\"soft\">{}</p><figure>{}</figure>{}",
                                escaped(one.findings.blocks.front().heading), svg(plot), legend(plot.series));
        }
        text += "</div>\n";
    }
    return text + "</div>\n";
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string unfinished(const CampaignResult& result) {
    if (result.missing == 0) return "";
    return fmt::format(
        "<p class=\"note\">Not finished: {} of {} cells are measured. The same command goes on from here.</p>\n",
        grouped(result.cells.size()), grouped(result.cells.size() + result.missing));
}

std::string introduction(const PaperReport& report) {
    std::vector<std::string> bits;
    for (const std::size_t one : report.options.bits) bits.push_back(std::to_string(one));
    const std::string iterations = report.options.iterations == 1
                                       ? "the usual iterations"
                                       : fmt::format("{:g} times the usual iterations", report.options.iterations);
    return fmt::format(
               "<h1>Composite quantization: the paper's experiments</h1>\n"
               "<p>Every figure was measured by the same sources of summand, named below. Each section says what the "
               "paper "
               "claims and "
               "whether our "
               "figures bear it out. Filled marks are ours; hollow ones are printed in the paper, and are drawn where "
               "the "
               "data "
               "is the very same. Figures of the paper that belong to other data stand in table columns that say "
               "so.</p>\n"
               "<p class=\"soft\">summand {}, sources {} · codes of {} bits · {} · seed {} · {}</p>\n",
               version(), kSourcesName, joined(bits), iterations, report.seed, escaped(report.machine)) +
           unfinished(report.result) + (report.options.iterations == 1 ? "" : kFastNote);
}

// --- sections ---

// A legend for the plots that share their series, after the last of them.
std::string plots_html(const std::vector<Plot>& plots) {
    if (plots.empty()) return "";
    std::string text = "<div class=\"card\"><div class=\"plots\">\n";
    std::vector<PlotSeries> named;
    for (const Plot& plot : plots) {
        text += "<figure>" + svg(plot) + "</figure>\n";
        for (const PlotSeries& series : plot.series)
            if (std::none_of(named.begin(), named.end(), [&](const auto& one) { return one.name == series.name; }))
                named.push_back({.name = series.name, .colour = series.colour, .marks = series.marks});
    }
    return text + "</div>" + legend(named) + "</div>\n";
}

std::string checks_html(const std::vector<Check>& checks) {
    std::string text = fmt::format("<details><summary>All {} checks</summary><ul class=\"checks\">\n", checks.size());
    for (const Check& check : checks)
        text += fmt::format("<li class=\"{}\">{}: {}</li>\n", check.holds ? "held" : "broken", escaped(check.claim),
                            escaped(check.figures));
    return text + "</ul></details>\n";
}

std::string section(const ExperimentResult& one) {
    const Verdict judged = verdict(one.findings);
    std::string text = fmt::format(
        "<section id=\"{}\">\n<h2>{} <span class=\"source\">{}</span> {}</h2>\n<p><b>The paper:</b> {}</p>\n"
        "<p><b>Here:</b> {}</p>\n",
        one.experiment.name, escaped(one.experiment.title), one.experiment.source, badge(judged),
        escaped(one.experiment.claim), escaped(judged.text));
    if (!one.experiment.remark.empty())
        text += fmt::format("<p class=\"soft\">{}</p>\n", escaped(one.experiment.remark));
    for (const std::string& note : one.findings.notes) text += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
    text += checks_html(one.findings.checks);
    for (const Block& block : one.findings.blocks) {
        text += fmt::format("<h3>{}</h3>\n", escaped(block.heading)) + plots_html(block.plots);
        for (const FigureTable& table : block.tables) text += html(table);
    }
    return text + "</section>\n";
}

}  // namespace

std::string html(const PaperReport& report) {
    std::string text = introduction(report) + headlines(report.result.results) + contents(report.result.results) +
                       sets_html(report.options);
    for (const ExperimentResult& one : report.result.results) text += section(one);
    return page("summand: the paper's experiments", text);
}

}  // namespace summand::cli
