// summand page: an index as a page that searches it in the browser.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "explorer.h"
#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> indexes;
    std::string items, labels, queries, truth, pictures, title = "An index to look at", output;
    RunOptions run;
};

constexpr std::size_t kMostLabels = 256;
constexpr const char* kPictureTypes[] = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg"};

std::optional<PictureShape> parse_shape(const std::string& text) {
    PictureShape shape;
    const char* last = text.data() + text.size();
    const auto width = std::from_chars(text.data(), last, shape.width);
    if (width.ec != std::errc() || width.ptr == last || *width.ptr != 'x') return std::nullopt;
    const auto height = std::from_chars(width.ptr + 1, last, shape.height);
    const bool whole = height.ec == std::errc() && height.ptr == last && shape.width > 0 && shape.height > 0;
    return whole && shape.width < 1 << 16 && shape.height < 1 << 16 ? std::optional(shape) : std::nullopt;
}

std::string check_shape(const std::string& text) {
    return parse_shape(text) ? "" : fmt::format("expected WIDTHxHEIGHT as in 28x28, got '{}'", text);
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(std::move(line));
    }
    require(!file.bad() && (file.eof() || file.is_open()) && !lines.empty(), path,
            ": expected a text file with a line for each vector");
    return lines;
}

// Pictures in the order of their names; numbers in names count as numbers.
std::vector<std::string> pictures_of(const std::string& folder) {
    std::vector<std::string> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string type = entry.path().extension().string();
        if (std::find(std::begin(kPictureTypes), std::end(kPictureTypes), type) != std::end(kPictureTypes))
            paths.push_back(entry.path().string());
    }
    const auto key = [](const std::string& path) {
        const std::string name = fs::path(path).filename().string();
        std::string padded;
        for (std::size_t i = 0; i < name.size();) {
            std::size_t end = i;
            while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) ++end;
            padded += end > i ? fmt::format("{:0>12}", name.substr(i, end - i)) : name.substr(i, 1);
            i = std::max(end, i + 1);
        }
        return padded;
    };
    std::sort(paths.begin(), paths.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    require(!paths.empty(), folder, ": expected pictures (.png .jpg .jpeg .webp .gif .svg), found none");
    return paths;
}

void add_items(const Options& options, ExplorerPage& page) {
    if (options.items.empty()) return;
    if (fs::is_directory(options.items))
        about(options.items, [&] { page.set_files(pictures_of(options.items)); });
    else
        about(options.items, [&] { page.set_texts(lines_of(options.items)); });
}

// A label for each vector, a line each; names in the order in which they come.
void add_labels(const Options& options, ExplorerPage& page) {
    if (options.labels.empty()) return;
    std::vector<std::string> names;
    std::vector<std::uint8_t> labels;
    for (const std::string& line : lines_of(options.labels)) {
        const auto found = std::find(names.begin(), names.end(), line);
        require(found != names.end() || names.size() < kMostLabels, options.labels, ": expected at most ", kMostLabels,
                " different labels");
        labels.push_back(static_cast<std::uint8_t>(found - names.begin()));
        if (found == names.end()) names.push_back(line);
    }
    about(options.labels, [&] { page.set_labels(labels, names); });
}

void add_queries(const Options& options, ExplorerPage& page) {
    if (options.queries.empty()) return;
    const Matrix<float> queries = read_vectors(options.queries);
    const Matrix<std::int64_t> truth = options.truth.empty() ? Matrix<std::int64_t>() : read_ids(options.truth);
    about(options.queries, [&] { page.set_queries(queries.view(), truth.view()); });
}

void run_page(const Options& options) {
    Run run(options.run);
    const Index first = Index::open(options.indexes.front());
    ExplorerPage page(options.title, fmt::format("{} vectors in {} bytes each, searched inside this page.",
                                                 grouped(first.size()), first.code_bytes()));
    for (const std::string& path : options.indexes) {
        const Index index = Index::open(path);
        about(path, [&] { page.add_index(index.spec(), index); });
    }
    if (!options.pictures.empty()) page.set_picture_shape(*parse_shape(options.pictures));
    add_items(options, page);
    add_labels(options, page);
    add_queries(options, page);
    page.save(options.output);
    run.print(fmt::format("{}: {} vectors; open it in a browser",
                          options.output.ends_with(".html") ? options.output : options.output + "/index.html",
                          grouped(first.size())));
}

}  // namespace

void add_page(CLI::App& app, Chosen& chosen) {
    auto [verb, options] = add_verb(app, chosen, "page", "Write a page that searches an index in the browser",
                                    "summand page index.smd --items pictures/ -o page.html\n"
                                    "  summand page pq.smd locq.smd --items names.txt --labels kinds.txt -o page",
                                    run_page);
    verb.add_option("INDEX", options->indexes, "Indexes of the same vectors; the page switches between them")
        ->required();
    verb.add_option("-o,--output", options->output,
                    "FILE.html, which holds all, or a folder for index.html and its parts")
        ->required();
    verb.add_option("--items", options->items,
                    "Folder of pictures, in the order of their names, or a text file with a line for each vector");
    verb.add_option("--labels", options->labels, "Text file with the kind of each vector, a line each");
    verb.add_option("--queries", options->queries, "Vectors to offer as examples");
    verb.add_option("--truth", options->truth, "Their true neighbours, as `summand exact` writes them");
    verb.add_option("--pictures", options->pictures, "WIDTHxHEIGHT: vectors are pictures of grey values from 0 to 255")
        ->check(check_shape)
        ->type_name("SHAPE");
    verb.add_option("--title", options->title, "Title of the page")->capture_default_str()->type_name("TITLE");
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
