// Object retrieval, tables 8 and 9: data sets with lists of relevant images are judged by them.
#include <fmt/format.h>

#include "compared.h"
#include "published.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

struct Judging {
    Protocol protocol;
    const char* papers_set;
    LengthFigure figure;
};

double retrieval_of(const Cell& cell) { return cell.retrieval; }

const Judging kJudgings[] = {{Protocol::holidays, "Holidays", {"MAP by the Holidays protocol", retrieval_of}},
                             {Protocol::ukbench, "UKBench", {"UKBench score", retrieval_of}}};

std::vector<Method> judged_methods(const Judging& judging) {
    std::vector<Method> methods = {kItq, kPq, kCkm, kNocq, kLocq};
    for (Method& method : methods) method.measure = measure_of(judging.protocol);
    return methods;
}

FigureTable retrieval_table(const Judging& judging, const PaperSet& set, const ExperimentInput& input) {
    FigureTable table{.titles = {"Bits", "Method", judging.figure.name}};
    std::vector<std::string> printed;
    for (const char* kind : {"Fisher", "VLAD"}) printed.push_back(fmt::format("{}, {}", judging.papers_set, kind));
    for (const std::string& one : printed) table.titles.push_back(published_title("Paper", set, one));
    for (const std::size_t bits : input.bits)
        for (const Method& method : judged_methods(judging)) {
            if (!possible(method, set, bits)) continue;
            TableRow figures{share_cell(retrieval_of(cell_of(method, set, bits, input)))};
            for (const std::string& one : printed)
                figures.push_back(share_cell(published_retrieval(one, bits, method.label).value_or(-1)));
            table.rows.push_back(table_row(method, bits, figures));
        }
    mark_best(table, 2, Better::more, 0);
    return table;
}

void add_judging(const Judging& judging, const PaperSet& set, const ExperimentInput& input, Findings& findings) {
    const std::vector<Method> methods = judged_methods(judging);
    findings.blocks.push_back(
        {heading(set), {length_plot(judging.figure, methods, set, input)}, {retrieval_table(judging, set, input)}});
    const Method& nocq = methods[3];
    for (std::size_t i = 0; i < 3; ++i)
        check_length_figure(judging.figure, nocq, methods[i], set, input, findings.checks);
}

}  // namespace

Findings object_retrieval(const ExperimentInput& input) {
    Findings findings;
    for (const PaperSet& set : input.sets)
        for (const Judging& judging : kJudgings) {
            if (!set.lists.contains(judging.protocol)) continue;
            if (set.base == set.base_rows)
                add_judging(judging, set, input, findings);
            else
                findings.notes.push_back(fmt::format(
                    "{} was not judged by its lists for {}: only {} of its {} images are searched, and lists need all.",
                    set.title, judging.papers_set, grouped(set.base), grouped(set.base_rows)));
        }
    if (findings.blocks.empty() && findings.notes.empty())
        findings.notes.push_back(
            "No data set with lists of relevant images was found, so nothing was measured. Looked for "
            "relevance_holidays.txt and relevance_ukbench.txt, or NAME_relevance_holidays.txt and "
            "NAME_relevance_ukbench.txt, beside base and queries.");
    return findings;
}

}  // namespace summand::cli
