// summand-demo: the main methods on one set of images at 64 bits, as a table, a page and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "demo_data.h"
#include "demo_explorer.h"
#include "demo_page.h"
#include "program.h"
#include "summand/text.h"
#include "text_file.h"
#include "tool.h"

namespace summand::cli {
namespace {

constexpr std::size_t kNeighbors = 100;
constexpr std::size_t kGalleryRows = 12, kGalleryNeighbors = 8, kGalleryTruths = 10;

struct Options {
    std::string data, output = "demo";
    std::vector<std::string> specs;
    std::size_t learn_size = 0;  // all
    RunOptions run;
};

struct Measured {
    Report report;
    FlatIndex index;
};

// What a user would choose between; the rest of the family is measured by summand-paper. The page opens with the first.
constexpr const char* kSpecs[] = {"LOCQ8", "OPQ8(iterations=6)", "PQ8"};

Measured measure(const std::string& text, const DemoData& data, MatrixView<std::int64_t> truth, const Options& options,
                 Run& run) {
    const Spec spec = parse_spec(text);
    const std::size_t learned =
        options.learn_size == 0 ? data.base.rows() : std::min(data.base.rows(), options.learn_size);
    const Stopwatch training;
    const Quantizer model = rounded(
        train(data.base.view().slice(0, learned), spec, {.seed = options.run.seed, .execution = run.execution()}));
    const double train_seconds = training.seconds();
    const Stopwatch encoding;
    const Codes codes = encode(model, data.base.view(), {.seed = options.run.seed, .execution = run.execution()});
    const double encode_seconds = encoding.seconds();
    FlatIndex index(model, codes, Metric::euclidean);
    Report report = evaluate(index, data.queries.view(), truth, {.k = kNeighbors, .execution = run.silent_execution()});
    report.method = text;
    report.train_seconds = train_seconds;
    report.encode_seconds = encode_seconds;
    report.distortion = distortion(model, data.base.view(), codes, run.silent_execution());
    run.display().note(fmt::format("{}: trained in {}, encoded in {}, recall@10of1 {:.3f}", text,
                                   duration(train_seconds), duration(encode_seconds), report.recall_at(10)));
    return {std::move(report), std::move(index)};
}

std::vector<GalleryRow> gallery(const FlatIndex& index, const DemoData& data, MatrixView<std::int64_t> truth) {
    std::vector<GalleryRow> rows;
    for (std::size_t i = 0; i < kGalleryRows; ++i) {
        const std::size_t query = i * (data.queries.rows() / kGalleryRows);
        const Neighbors found = index.search(data.queries.view().slice(query, 1), {.k = kGalleryNeighbors});
        const auto nearest = truth[query].first(kGalleryTruths);
        rows.push_back(
            {query, {found.ids.row(0), found.ids.row(0) + found.ids.columns()}, {nearest.begin(), nearest.end()}});
    }
    return rows;
}

DemoData images(const Options& options, Run& run) {
    if (!options.data.empty()) return read_demo_images(options.data);
    run.display().note("no --data folder: using generated images, whose figures say nothing about real data");
    return draw_demo_images(options.run.seed);
}

// What the methods are held against.
std::string exact_line(const DemoData& data, double seconds) {
    return fmt::format("exact scan {} bytes per image, {:.0f} queries/s\n", grouped(data.base.columns()),
                       static_cast<double>(data.queries.rows()) / seconds);
}

void run_demo(const Options& options) {
    Run run(options.run);
    std::vector<std::string> specs = options.specs;
    if (specs.empty()) specs.assign(std::begin(kSpecs), std::end(kSpecs));
    for (const std::string& spec : specs) check(parse_spec(spec));
    const DemoData data = images(options, run);
    run.display().note(fmt::format("{}: {} images to search, {} queries, {} dimensions", data.name,
                                   grouped(data.base.rows()), grouped(data.queries.rows()), data.base.columns()));
    std::filesystem::create_directories(options.output);
    const Stopwatch exact;
    const Neighbors truth =
        exact_neighbors(data.base.view(), data.queries.view(), kNeighbors, Metric::euclidean, run.execution());
    const double exact_seconds = exact.seconds();
    run.display().note("true neighbours found in " + duration(exact_seconds));

    DemoPage page{.data = data, .reports = {}, .gallery_method = {}, .gallery = {}};
    std::vector<DemoIndex> indexes;
    std::size_t best = 0;
    double best_recall = -1;
    for (const std::string& spec : specs) {
        Measured measured = measure(spec, data, truth.ids.view(), options, run);
        page.reports.push_back(measured.report);
        indexes.push_back({spec.substr(0, spec.find('(')), Index(std::move(measured.index))});
        if (measured.report.recall_at(10) <= best_recall) continue;
        best_recall = measured.report.recall_at(10);
        page.gallery_method = spec;
        best = indexes.size() - 1;
    }
    page.gallery = gallery(*indexes[best].index.flat(), data, truth.ids.view());
    const std::string page_path = options.output + "/report.html";
    save_text(options.output + "/report.json", json(page.reports));
    save_text(page_path, html(page));
    const std::string explorer_path = options.output + "/explorer.html";
    save_explorer(explorer_path, data, truth.ids.view(), indexes, page.reports,
                  {static_cast<double>(data.queries.rows()) / exact_seconds});
    run.print(
        fmt::format("\n{}{}\nThe plot and the pictures are in {}\nSearch all images by a click: open {} in a browser",
                    table(page.reports), exact_line(data, exact_seconds), page_path, explorer_path));
}

void add_options(CLI::App& app, Options& options) {
    app.add_option("-d,--data", options.data,
                   "Folder with the idx files of Fashion-MNIST or MNIST; without it images are generated");
    app.add_option("-o,--output", options.output, "Folder for explorer.html, report.html and report.json")
        ->capture_default_str();
    app.add_option("-s,--spec", options.specs,
                   "Only these specs (may be repeated), instead of the main methods at 64 bits");
    app.add_option("--learn-size", options.learn_size, "Learn from the first so many images, instead of all")
        ->check(whole_number(1, std::numeric_limits<std::size_t>::max()));
    add_threads(app, options.run);
    add_seed(app, options.run);
    add_quiet(app, options.run);
}

int main(int count, char** arguments) {
    CLI::App app("Compare the main methods on images and write a page about it.", "summand-demo");
    app.set_version_flag("--version", std::string(version()));
    app.footer("Example:\n  summand-demo --data /usr/share/datasets/fashion-mnist -o demo");
    Options options;
    add_options(app, options);
    return run_program(app, count, arguments, [&options] { run_demo(options); });
}

}  // namespace
}  // namespace summand::cli

int main(int count, char** arguments) { return summand::cli::main(count, arguments); }
