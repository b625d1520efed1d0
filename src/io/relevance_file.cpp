// Relevance lists in a text file: a line per query.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_set>

#include "summand/error.h"
#include "summand/retrieval.h"

namespace summand {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 27;  // of the table that all lists become: 1 GiB

// One line of the file, for messages.
struct Line {
    const std::string& path;
    std::size_t number;

    template <class... Parts>
    void check(bool ok, const Parts&... parts) const {
        require(ok, path, ": line ", number, ": ", parts...);
    }
};

std::int64_t parse_id(const std::string& word, std::size_t images, const Line& line) {
    std::int64_t id = -1;
    const char* last = word.data() + word.size();
    const auto [end, status] = std::from_chars(word.data(), last, id);
    line.check(status == std::errc() && end == last && id >= 0, "expected the number of an image, got '", word, "'");
    line.check(static_cast<std::uint64_t>(id) < images, "expected a number below ", images,
               ", the number of images, got ", id);
    return id;
}

// The query and what is relevant to it; empty for a line without content.
std::vector<std::int64_t> parse_line(const std::string& text, std::size_t images, const Line& line) {
    std::istringstream words(text.substr(0, text.find('#')));
    std::vector<std::int64_t> ids;
    std::unordered_set<std::int64_t> named;
    for (std::string word; words >> word;) {
        const std::int64_t id = parse_id(word, images, line);
        const bool query_again = !ids.empty() && id == ids[0];  // lists of an object may name the query too
        line.check(query_again || named.insert(id).second, "image ", id, " is named twice");
        if (!query_again) ids.push_back(id);
    }
    if (!ids.empty()) line.check(ids.size() > 1, "expected images relevant to query ", ids[0], ", got none");
    return ids;
}

}  // namespace

Relevance read_relevance(const std::string& path, std::size_t images) {
    std::ifstream file(path);
    require(file.is_open(), path, ": cannot open for reading");
    std::vector<std::vector<std::int64_t>> rows;
    std::map<std::int64_t, std::size_t> line_of;
    std::size_t columns = 0, number = 0;
    for (std::string text; std::getline(file, text);) {
        const Line line{path, ++number};
        std::vector<std::int64_t> ids = parse_line(text, images, line);
        if (ids.empty()) continue;
        const auto [before, is_new] = line_of.emplace(ids[0], number);
        line.check(is_new, "query ", ids[0], " has a list already, on line ", before->second);
        columns = std::max(columns, ids.size() - 1);
        rows.push_back(std::move(ids));
    }
    require(!file.bad(), path, ": cannot be read");
    require(!rows.empty(), path, ": expected a line for each query, got none");
    require(columns <= kMostCells / rows.size(), path, ": expected lists that fill a table of at most ", kMostCells,
            " numbers, got ", rows.size(), " lists, the longest of ", columns);
    Relevance relevance{{}, Matrix<std::int64_t>(rows.size(), columns, kNoId)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        relevance.queries.push_back(rows[i][0]);
        std::copy(rows[i].begin() + 1, rows[i].end(), relevance.relevant.row(i));
    }
    return relevance;
}

}  // namespace summand
