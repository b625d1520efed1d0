// summand page: an index as a page that searches it in the browser.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "explorer.h"
#include "item_table.h"
#include "run.h"
#include "summand/text.h"
#include "verbs.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<std::string> indexes;
    std::string items, labels, queries, query_names, truth, pictures, words, vocabulary, title = "An index to look at",
                                                                                         about, output;
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

// A label for each vector; names in the order in which they come. `path`: the file that they are from.
void add_labels(const std::vector<std::string>& texts, const std::string& path, ExplorerPage& page) {
    std::vector<std::string> names;
    std::vector<std::uint8_t> labels;
    for (const std::string& text : texts) {
        const auto found = std::find(names.begin(), names.end(), text);
        require(found != names.end() || names.size() < kMostLabels, path, ": expected at most ", kMostLabels,
                " different labels");
        labels.push_back(static_cast<std::uint8_t>(found - names.begin()));
        if (found == names.end()) names.push_back(text);
    }
    about(path, [&] { page.set_labels(labels, names); });
}

void add_pictures(const std::vector<std::string>& paths, bool named, ExplorerPage& page) {
    page.set_files(paths);
    if (named) return;
    std::vector<std::vector<std::string>> names;
    for (const std::string& path : paths) names.push_back({fs::path(path).stem().string()});
    page.set_texts({"name"}, names);
}

void add_table(const Options& options, ExplorerPage& page) {
    ItemTable table = read_item_table(options.items);
    if (const auto labels = table.take("label")) {
        require(options.labels.empty(), options.items, ": has a column label, expected no --labels beside it");
        add_labels(*labels, options.items, page);
    }
    auto pictures = table.take("picture");
    about(options.items, [&] {
        if (!table.columns.empty()) page.set_texts(table.columns, table.rows);
        if (!pictures) return;
        for (std::string& path : *pictures) path = (fs::path(options.items).parent_path() / path).string();
        add_pictures(*pictures, !table.columns.empty(), page);
    });
}

void add_items(const Options& options, ExplorerPage& page) {
    if (options.items.empty()) return;
    if (fs::is_directory(options.items))
        about(options.items, [&] { add_pictures(pictures_of(options.items), false, page); });
    else
        add_table(options, page);
}

void add_queries(const Options& options, ExplorerPage& page) {
    if (options.queries.empty()) return;
    const Matrix<float> queries = read_vectors(options.queries);
    const Matrix<std::int64_t> truth = options.truth.empty() ? Matrix<std::int64_t>() : read_ids(options.truth);
    about(options.queries, [&] { page.set_queries(queries.view(), truth.view()); });
    if (!options.query_names.empty())
        about(options.query_names, [&] { page.set_query_names(lines_of(options.query_names)); });
}

void add_words(const Options& options, ExplorerPage& page) {
    if (options.words.empty()) return;
    const Index words = Index::open(options.words);
    about(options.vocabulary, [&] { page.set_words(words, lines_of(options.vocabulary)); });
}

void run_page(const Options& options) {
    Run run(options.run);
    const Index first = Index::open(options.indexes.front());
    const std::string sizes = fmt::format("{} vectors in {} bytes each, searched inside this page.",
                                          grouped(first.size()), first.code_bytes());
    ExplorerPage page(options.title, options.about.empty() ? sizes : options.about + " " + sizes);
    for (const std::string& path : options.indexes) {
        const Index index = Index::open(path);
        const std::vector<std::int64_t> ids = index.ids();
        require(ids.empty() || ids.back() == static_cast<std::int64_t>(ids.size()) - 1, path,
                ": a page needs the ids from 0 to ", ids.size() - 1, ", got ", ids.empty() ? 0 : ids.back());
        about(path, [&] { page.add_index(index.spec(), index); });
    }
    if (!options.pictures.empty()) page.set_picture_shape(*parse_shape(options.pictures));
    add_items(options, page);
    if (!options.labels.empty()) add_labels(lines_of(options.labels), options.labels, page);
    add_queries(options, page);
    add_words(options, page);
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
    verb.add_option(
        "--items", options->items,
        "Folder of pictures, in the order of their names; table with a head line (.csv, .tsv), whose columns "
        "label and picture are the kind and the path of a picture; or a text file with a line for each vector");
    verb.add_option("--labels", options->labels, "Text file with the kind of each vector, a line each");
    auto* queries = verb.add_option("--queries", options->queries, "Vectors to offer as examples");
    verb.add_option("--query-names", options->query_names, "Text file with what stands for each of them, a line each")
        ->needs(queries);
    verb.add_option("--truth", options->truth, "Their true neighbours, as `summand exact` writes them")->needs(queries);
    auto* words = verb.add_option("--words", options->words,
                                  "Index of the vectors of words or parts of words: what is typed is searched for as "
                                  "the mean of its words");
    words->needs(
        verb.add_option("--vocabulary", options->vocabulary, "Text file with these words, a line each")->needs(words));
    verb.add_option("--pictures", options->pictures, "WIDTHxHEIGHT: vectors are pictures of grey values from 0 to 255")
        ->check(check_shape)
        ->type_name("SHAPE");
    verb.add_option("--title", options->title, "Title of the page")->capture_default_str()->type_name("TITLE");
    verb.add_option("--about", options->about, "Sentences below the title")->type_name("TEXT");
    add_quiet(verb, options->run);
}

}  // namespace summand::cli
