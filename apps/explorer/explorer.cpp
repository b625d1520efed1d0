#include "explorer.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base64.h"
#include "explorer_template.h"
#include "summand/error.h"
#include "summand/io.h"
#include "summand/text.h"
#include "text_file.h"

namespace summand::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kGreySteps = 8;  // of packed pictures, of which two pixels share a byte

std::vector<std::byte> deflated(std::span<const std::byte> bytes) {
    uLongf size = compressBound(bytes.size());
    std::vector<std::byte> packed(size);
    const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
    require(status == Z_OK, "page: ", bytes.size(), " bytes cannot be compressed");
    packed.resize(size);
    return packed;
}

// Text inside a script element, which ends at the first "</".
std::string inside_script(std::string text) {
    for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.replace(at, 2, "<\\/");
    return text;
}

// A field of a table whose fields end with tabs and whose rows end with lines.
std::string in_one_line(std::string text) {
    for (char& c : text)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return text;
}

void replace(std::string& text, const std::string& name, const std::string& content) {
    const std::size_t at = text.find(name);
    require(at != std::string::npos, "page: the template has no ", name);
    text.replace(at, name.size(), content);
}

std::vector<std::byte> bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    require(static_cast<bool>(file), path, ": cannot be read");
    const auto bytes = std::as_bytes(std::span(content));
    return {bytes.begin(), bytes.end()};
}

std::string picture_type(const std::string& path) {
    std::string type = fs::path(path).extension().string().substr(1);
    std::transform(type.begin(), type.end(), type.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    return type == "jpg" ? "jpeg" : type == "svg" ? "svg+xml" : type;
}

bool all_bytes(MatrixView<float> rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (const float value : rows[i])
            if (value != std::round(value) || value < 0 || value > 255) return false;
    return true;
}

}  // namespace

ExplorerPage::ExplorerPage(const std::string& title, const std::string& text)
    : description_{{"title", title},
                   {"text", text},
                   {"indexes", nlohmann::json::array()},
                   {"items", {{"kind", "numbers"}}},
                   {"shape", nullptr}} {}

void ExplorerPage::add_part(const std::string& name, std::span<const std::byte> bytes) {
    parts_.emplace_back(name, base64(deflated(bytes)));
}

void ExplorerPage::require_count(const std::string& what, std::size_t count) const {
    require(count == size_, "page: expected ", what, " for each of the ", size_, " vectors of the index, got ", count);
}

void ExplorerPage::add_index(const std::string& name, const Index& index) {
    const std::size_t number = description_["indexes"].size();
    require(number == 0 || (index.size() == size_ && index.dimensions() == dimensions_), "page: expected an index of ",
            size_, " vectors of ", dimensions_, " dimensions like the first one, got ", index.size(), " of ",
            index.dimensions());
    require(index.size() > 0, "page: the index is empty");
    size_ = index.size();
    dimensions_ = index.dimensions();
    description_["indexes"].push_back({{"name", name}});
    add_part(concatenate("index-", number), index.to_bytes());
}

void ExplorerPage::set_picture_shape(PictureShape shape) {
    require(shape.pixels() == dimensions_, "page: expected pictures of ", dimensions_,
            " pixels, one for each dimension of the index, got ", shape.width, "x", shape.height);
    description_["shape"] = {{"width", shape.width}, {"height", shape.height}};
    if (description_["items"]["kind"] == "numbers") description_["items"]["kind"] = "vectors";
}

void ExplorerPage::set_texts(const std::vector<std::string>& columns,
                             const std::vector<std::vector<std::string>>& rows) {
    require_count("a line", rows.size());
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        for (const std::string& field : row) text += in_one_line(field) + '\t';
        text.back() = '\n';
    }
    text.pop_back();
    add_part("texts", std::as_bytes(std::span(text)));
    description_["items"]["columns"] = columns;
}

void ExplorerPage::set_words(const Index& words, const std::vector<std::string>& vocabulary) {
    require(words.dimensions() == dimensions_, "page: expected words of ", dimensions_, " dimensions, got ",
            words.dimensions());
    require(vocabulary.size() == words.size(), "page: expected a line for each of the ", words.size(), " words, got ",
            vocabulary.size());
    std::string text;
    for (const std::string& word : vocabulary) text += word + '\n';
    text.pop_back();
    add_part("words", words.to_bytes());
    add_part("vocabulary", std::as_bytes(std::span(text)));
    description_["words"] = true;
}

void ExplorerPage::set_pixels(std::span<const std::uint8_t> grey, PictureShape shape) {
    require_count("a picture", grey.size() / shape.pixels());
    std::vector<std::uint8_t> packed((grey.size() + 1) / 2);
    for (std::size_t i = 0; i < grey.size(); ++i)
        packed[i / 2] |= static_cast<std::uint8_t>((grey[i] * (kGreySteps - 1) + 127) / 255 << (4 * (i % 2)));
    add_part("pixels", std::as_bytes(std::span(packed)));
    description_["items"].update(
        {{"kind", "pixels"}, {"small", {{"width", shape.width}, {"height", shape.height}, {"steps", kGreySteps}}}});
}

void ExplorerPage::set_files(const std::vector<std::string>& paths) {
    require_count("a picture", paths.size());
    files_ = paths;
    description_["items"]["kind"] = "files";
}

void ExplorerPage::set_labels(std::span<const std::uint8_t> labels, const std::vector<std::string>& names) {
    require_count("a label", labels.size());
    for (const std::uint8_t label : labels)
        require(label < names.size(), "page: expected labels below ", names.size(), ", got ", int{label});
    description_["items"]["labelNames"] = names;
    add_part("labels", std::as_bytes(labels));
}

void ExplorerPage::set_queries(MatrixView<float> queries, MatrixView<std::int64_t> truth,
                               std::span<const std::uint8_t> labels) {
    require(queries.columns() == dimensions_, "page: expected queries of ", dimensions_, " dimensions, got ",
            queries.columns());
    require(truth.rows() == 0 || truth.rows() == queries.rows(), "page: expected true neighbours of ", queries.rows(),
            " queries, got those of ", truth.rows());
    const bool bytes = all_bytes(queries);
    const std::span<const float> values(queries.data(), queries.rows() * queries.columns());
    if (bytes) {
        std::vector<std::uint8_t> grey(values.size());
        std::transform(values.begin(), values.end(), grey.begin(),
                       [](float x) { return static_cast<std::uint8_t>(x); });
        add_part("queries", std::as_bytes(std::span(grey)));
    } else {
        add_part("queries", std::as_bytes(values));
    }
    if (truth.rows() > 0) {
        std::vector<std::uint32_t> ids;
        for (std::size_t i = 0; i < truth.rows(); ++i)
            for (const std::int64_t id : truth[i]) {
                require(id >= 0 && static_cast<std::size_t>(id) < size_, "page: expected true neighbours below ", size_,
                        ", got ", id);
                ids.push_back(static_cast<std::uint32_t>(id));
            }
        add_part("truth", std::as_bytes(std::span(ids)));
    }
    if (!labels.empty()) add_part("query-labels", std::as_bytes(labels));
    description_["queries"] = {{"count", queries.rows()},
                               {"dimensions", queries.columns()},
                               {"bytes", bytes},
                               {"truths", truth.rows() > 0 ? truth.columns() : 0},
                               {"labelled", !labels.empty()}};
}

void ExplorerPage::set_query_names(const std::vector<std::string>& names) {
    const std::size_t count = description_["queries"]["count"];
    require(names.size() == count, "page: expected a line for each of the ", count, " queries, got ", names.size());
    description_["queries"]["names"] = names;
}

void ExplorerPage::set_figures(const std::vector<std::string>& titles,
                               const std::vector<std::vector<std::string>>& rows, const std::string& note) {
    description_["figures"] = {{"titles", titles}, {"rows", rows}, {"note", note}};
}

std::string ExplorerPage::html(const nlohmann::json& description, const std::string& parts) const {
    std::string page = kExplorerTemplate;
    replace(page, "@DESCRIPTION@",
            concatenate("<script type=\"application/json\" id=\"description\">", inside_script(description.dump()),
                        "</script>"));
    replace(page, "@PARTS@", parts);
    return page;
}

void ExplorerPage::save(const std::string& path) const {
    require(!description_["indexes"].empty(), "page: expected an index");
    fs::path(path).extension() == ".html" ? save_file(path) : save_folder(path);
}

void ExplorerPage::save_file(const std::string& path) const {
    std::string parts;
    for (const auto& [name, text] : parts_)
        parts += concatenate("<script type=\"text/plain\" id=\"part-", name, "\">", text, "</script>\n");
    nlohmann::json description = description_;
    std::size_t size = parts.size();
    for (const std::string& file : files_) {
        const std::string text = base64(bytes_of(file));
        size += text.size();
        require(size <= kLargestPage, "page: one file would be larger than ", bytes_text(kLargestPage),
                ", expected a folder, as in -o page");
        description["items"]["files"].push_back(concatenate("data:image/", picture_type(file), ";base64,", text));
    }
    require(size <= kLargestPage, "page: one file would take ", bytes_text(static_cast<double>(size)),
            ", expected a folder, as in -o page");
    save_text(path, html(description, parts));
}

void ExplorerPage::save_folder(const std::string& path) const {
    const fs::path folder(path), items = folder / "items";
    fs::create_directories(folder / "parts");
    for (const auto& [name, text] : parts_)
        save_text((folder / "parts" / (name + ".js")).string(),
                  concatenate("(window.summandParts ||= new Map()).set(\"", name, "\", \"", text, "\");\n"));
    nlohmann::json description = description_;
    description["folder"] = "parts";
    if (!files_.empty()) fs::create_directories(items);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const std::string name = concatenate(i, fs::path(files_[i]).extension().string());
        fs::copy_file(files_[i], items / name, fs::copy_options::overwrite_existing);
        description["items"]["files"].push_back("items/" + name);
    }
    save_text((folder / "index.html").string(), html(description, ""));
}

}  // namespace summand::cli
