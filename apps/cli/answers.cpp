#include "answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "text_file.h"

namespace summand::cli {
namespace {

constexpr const char* kText = "-";

void print_rows(const Neighbors& found) {
    for (std::size_t query = 0; query < found.ids.rows(); ++query) fmt::print("{}\n", fmt::join(found.ids[query], " "));
}

}  // namespace

void add_scores_help(CLI::App& verb) {
    verb.footer(verb.get_footer() +
                "\n\nScores order the neighbours, the smallest first:\n"
                "  euclidean  squared distance\n"
                "  cosine     2 - 2 cos(q, x): the squared distance of the directions, from 0 (the same) to 4\n"
                "  ip         minus the inner product: the largest product comes first");
}

void add_answers(CLI::App& verb, std::string& path, const RunOptions& options) {
    verb.add_option("-o,--output", path,
                    "Ids to write, best first (.ivecs .ibin .npy); -: printed as text, ivecs:-: in binary (required)");
    verb.parse_complete_callback([&path, &options] {
        if (path.empty() && !options.dry_run) throw CLI::RequiredError("--output");
    });
}

void write_answers(const std::string& path, const Neighbors& found) {
    if (path == kText) return print_rows(found);
    if (is_standard_output(answers_output(path))) return write_ids(path, found.ids.view());
    uninterrupted([&] { write_ids(path, found.ids.view()); });
}

void print_names(const Neighbors& found, const NamesOf& names) {
    for (std::size_t query = 0; query < found.ids.rows(); ++query) {
        const auto end = std::find(found.ids[query].begin(), found.ids[query].end(), kNoId);
        fmt::print("{}\n", fmt::join(names({found.ids[query].begin(), end}), "\t"));
    }
}

void write_range_answers(const std::string& path, const RangeNeighbors& found, const NamesOf& names) {
    std::string lines;
    for (std::size_t query = 0; query + 1 < found.begin.size(); ++query)
        for (std::size_t i = found.begin[query]; i < found.begin[query + 1]; ++i) {
            const std::int64_t id = found.entries[i].id;
            lines += fmt::format("{}\t{}\t{}\n", query, names ? names({&id, 1}).front() : std::to_string(id),
                                 found.entries[i].score);
        }
    if (path == kText)
        fmt::print("{}", lines);
    else
        save_text(path, lines);
}

Output answers_output(const std::string& path) { return {path, path == kText ? Content::any : Content::ids}; }

}  // namespace summand::cli
