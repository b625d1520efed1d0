// summand convert: one vector format to another, or a part of a file, in pieces so that files of any size fit.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>

#include "run.h"
#include "text.h"
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

std::size_t number(std::string_view text, const std::string& rows) {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(status == std::errc() && end == text.data() + text.size() && !text.empty(),
            "--rows: expected FIRST:COUNT as in 0:1000, got '", rows, "'");
    return value;
}

RowRange rows_of(const Options& options, const VectorReader& reader) {
    if (options.rows.empty()) return {0, reader.rows()};
    const std::size_t colon = options.rows.find(':');
    require(colon != std::string::npos, "--rows: expected FIRST:COUNT as in 0:1000, got '", options.rows, "'");
    const std::string_view text = options.rows;
    const RowRange range{number(text.substr(0, colon), options.rows), number(text.substr(colon + 1), options.rows)};
    require(range.count > 0 && range.first < reader.rows() && range.count <= reader.rows() - range.first, reader.path(),
            ": expected --rows within its ", reader.rows(), " rows, got ", options.rows);
    return range;
}

// The guard is held throughout: the file in the making is removed before the process ends.
void copy_rows(const VectorReader& reader, const RowRange& range, const std::string& output, Run& run) {
    constexpr std::size_t kPieceBytes = 8u << 20;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const Stopwatch watch;
    const SaveGuard guard;
    VectorWriter writer(output, reader.columns());
    const std::size_t piece = std::max<std::size_t>(1, kPieceBytes / (sizeof(float) * reader.columns()));
    for (std::size_t done = 0; done < range.count;) {
        check_interrupt();
        const std::size_t rows = std::min(piece, range.count - done);
        writer.write(reader.read(range.first + done, rows).view());
        done += rows;
        run.display().update({"convert", done, range.count, kNone, kNone, kNone, watch.seconds()});
    }
    writer.finish();
}

void run_convert(const Options& options) {
    Run run(options.run);
    const VectorReader reader(options.input);
    const RowRange range = rows_of(options, reader);
    require_writable(options.output);
    copy_rows(reader, range, options.output, run);
    run.print(fmt::format("{}: {} vectors of {} dimensions", options.output, grouped(range.count), reader.columns()));
}

}  // namespace

void add_convert(CLI::App& app, Chosen& chosen) {
    auto options = std::make_shared<Options>();
    CLI::App& verb =
        add_verb(app, chosen, "convert", "Write vectors in another format, or a part of them",
                 "summand convert base.bvecs first.npy --rows 0:1000", [options] { run_convert(*options); });
    verb.add_option("IN", options->input, "Vectors to read, format by extension")->required();
    verb.add_option("OUT", options->output, "File to write: .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy")
        ->required();
    verb.add_option("--rows", options->rows, "FIRST:COUNT: only these rows");
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
