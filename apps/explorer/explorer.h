// Pages that search an index inside the browser, without a server: one file, or a folder whose index.html is opened
// from a disk as well.
//
//     ExplorerPage page("Clothes", "60,000 pictures, 8 bytes each.");
//     page.add_index("LOCQ8", index);
//     page.set_picture_shape({28, 28});                  // vectors are pictures
//     page.save("page.html");
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "summand/index.h"

namespace summand::cli {

struct PictureShape {
    std::size_t width = 0, height = 0;

    std::size_t pixels() const { return width * height; }
};

class ExplorerPage {
public:
    ExplorerPage(const std::string& title, const std::string& text);

    /// Throws `Error` where the indexes differ in size or dimension, or have ids that are not those from 0 to n - 1.
    void add_index(const std::string& name, const Index& index);

    /// The page shows approximations, words and queries as pictures of grey values from 0 to 255.
    void set_picture_shape(PictureShape shape);

    /// What stands for the vectors; without any of these it is their approximation or their number. Each throws `Error`
    /// unless there is one for each vector of the indexes.
    void set_pixels(std::span<const std::uint8_t> grey, PictureShape shape);  ///< kept in 8 steps
    void set_files(const std::vector<std::string>& paths);
    /// Names, or with pictures what is said of them: a row of fields for each, the first of which is the name.
    void set_texts(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows);

    /// The kind of each vector, by which the page colours and filters; at most 256 names.
    void set_labels(std::span<const std::uint8_t> labels, const std::vector<std::string>& names);

    /// Examples to search for, and their true neighbours where they are known: a row each.
    void set_queries(MatrixView<float> queries, MatrixView<std::int64_t> truth,
                     std::span<const std::uint8_t> labels = {});

    void set_query_names(const std::vector<std::string>& names);

    /// What is typed is searched for as the mean of its words' approximations: the items of another index, of which
    /// each has a word of the vocabulary.
    void set_words(const Index& words, const std::vector<std::string>& vocabulary);

    /// A table below the map.
    void set_figures(const std::vector<std::string>& titles, const std::vector<std::vector<std::string>>& rows,
                     const std::string& note);

    /// One file where the path ends with .html, else a folder. Throws `Error` where one file would be larger than
    /// `kLargestPage`.
    void save(const std::string& path) const;

    static constexpr std::size_t kLargestPage = 32u << 20;

private:
    void add_part(const std::string& name, std::span<const std::byte> bytes);
    void require_count(const std::string& what, std::size_t count) const;
    std::string html(const nlohmann::json& description, const std::string& parts) const;
    void save_file(const std::string& path) const;
    void save_folder(const std::string& path) const;

    std::size_t size_ = 0, dimensions_ = 0;
    nlohmann::json description_;
    std::vector<std::pair<std::string, std::string>> parts_ = {};  ///< name; deflated, base64
    std::vector<std::string> files_ = {};                          ///< pictures, where they lie
};

}  // namespace summand::cli
