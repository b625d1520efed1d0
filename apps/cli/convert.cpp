// summand convert: one vector format to another, or a part of a file, in pieces so that files of any size fit.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

struct Options {
    std::string input, output, rows;
    RunOptions run;
};

struct RowRange {
    std::size_t first, count;
};

std::optional<RowRange> parse_rows(const std::string& text) {
    RowRange range{};
    const char* last = text.data() + text.size();
    const auto first = std::from_chars(text.data(), last, range.first);
    if (first.ec != std::errc() || first.ptr == last || *first.ptr != ':') return std::nullopt;
    const auto count = std::from_chars(first.ptr + 1, last, range.count);
    if (count.ec != std::errc() || count.ptr != last) return std::nullopt;
    return range;
}

std::string check_rows(const std::string& text) {
    return parse_rows(text) ? "" : fmt::format("expected FIRST:COUNT as in 0:1000, got '{}'", text);
}

RowRange rows_of(const Options& options, const VectorReader& reader) {
    if (options.rows.empty()) return {0, reader.rows()};
    const RowRange range = *parse_rows(options.rows);
    require(range.count > 0 && range.first < reader.rows() && range.count <= reader.rows() - range.first, reader.path(),
            ": expected --rows within its ", reader.rows(), " rows, got ", options.rows);
    return range;
}

// Holds the guard throughout for a file, so that an unfinished one is removed before the process ends. For standard
// output it does not: the reader may keep us waiting, and an interrupt must end that.
void copy_rows(const VectorReader& reader, const RowRange& range, const std::string& output, Run& run) {
    constexpr std::size_t kPieceBytes = 8u << 20;
    const Stopwatch watch;
    std::optional<SaveGuard> guard;
    if (!is_standard_output({output, Content::vectors})) guard.emplace();
    VectorWriter writer(output, reader.columns());
    const std::size_t piece = std::max<std::size_t>(1, kPieceBytes / (sizeof(float) * reader.columns()));
    for (std::size_t done = 0; done < range.count;) {
        check_interrupt();
        const std::size_t rows = std::min(piece, range.count - done);
        writer.write(reader.read(range.first + done, rows).view());
        done += rows;
        run.display().update({.stage = "convert", .step = done, .steps = range.count, .seconds = watch.seconds()});
    }
    writer.finish();
}

void run_convert(const Options& options) {
    Run run(options.run);
    const VectorReader reader(options.input);
    const RowRange range = rows_of(options, reader);
    check_outputs({options.input}, {{options.output, Content::vectors}});
    copy_rows(reader, range, options.output, run);
    if (is_standard_output({options.output, Content::vectors})) return;
    run.print(fmt::format("{}: {} vectors of {} dimensions", options.output, grouped(range.count), reader.columns()));
}

}  // namespace

void add_convert(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "convert", "Write vectors in another format, or a part of them",
                                    "summand convert base.bvecs first.npy --rows 0:1000\n"
                                    "  summand convert table.csv fvecs:- | summand search index.smd fvecs:-",
                                    run_convert);
    verb.add_option("IN", options->input,
                    "Vectors to read, format by extension or named as in csv:FILE; -: standard input, as in fvecs:-")
        ->required();
    verb.add_option("OUT", options->output,
                    "File to write: .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy; standard output as npy:-")
        ->required();
    verb.add_option("--rows", options->rows, "FIRST:COUNT: only these rows")->check(check_rows)->type_name("ROWS");
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
