#include "item_table.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "summand/error.h"

namespace summand::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The content of a file, without the mark of its encoding and the carriage returns before line ends.
std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    require(file.is_open() && !file.bad(), path, ": cannot be read");
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
}

// One field of .csv from `at` on, which moves to the comma or line end behind it.
std::string field_of(const std::string& text, std::size_t& at, const std::string& path) {
    if (text[at] != '"') {
        const std::size_t begin = at;
        at = std::min(text.find_first_of(",\n", at), text.size());
        return text.substr(begin, at - begin);
    }
    std::string field;
    for (++at;; ++at) {
        require(at < text.size(), path, ": a field begins with a quote that nothing closes");
        if (text[at] == '"' && text[++at] != '"') return field;
        field += text[at];
    }
}

Rows rows_of_csv(const std::string& text, const std::string& path) {
    Rows rows;
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::vector<std::string> row{field_of(text, at, path)};
        while (at < text.size() && text[at] == ',') row.push_back(field_of(text, ++at, path));
        require(at >= text.size() || text[at] == '\n', path, ": expected a comma or the end of the line after '",
                row.back(), "' in row ", rows.size());
        rows.push_back(std::move(row));
    }
    return rows;
}

Rows rows_of_tsv(const std::vector<std::string>& lines) {
    Rows rows;
    for (const std::string& line : lines) {
        std::vector<std::string>& row = rows.emplace_back();
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find('\t', begin), line.size());
            row.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return rows;
}

}  // namespace

std::optional<std::vector<std::string>> ItemTable::take(const std::string& column) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) return std::nullopt;
    const auto place = found - columns.begin();
    std::vector<std::string> fields;
    for (std::vector<std::string>& row : rows) {
        fields.push_back(std::move(row[static_cast<std::size_t>(place)]));
        row.erase(row.begin() + place);
    }
    columns.erase(found);
    return fields;
}

std::vector<std::string> lines_of(const std::string& path) {
    const std::string text = text_of(path);
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    require(!lines.empty(), path, ": expected a text file with a line for each vector");
    return lines;
}

ItemTable read_item_table(const std::string& path) {
    const bool csv = path.ends_with(".csv");
    if (!csv && !path.ends_with(".tsv")) {
        ItemTable table{{"text"}, {}};
        for (std::string& line : lines_of(path)) table.rows.push_back({std::move(line)});
        return table;
    }
    ItemTable table{{}, csv ? rows_of_csv(text_of(path), path) : rows_of_tsv(lines_of(path))};
    require(table.rows.size() > 1, path, ": expected a line with the names of the columns and a row for each vector");
    table.columns = std::move(table.rows.front());
    table.rows.erase(table.rows.begin());
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        require(table.rows[i].size() == table.columns.size(), path, ": expected ", table.columns.size(),
                " fields in each row, got ", table.rows[i].size(), " in row ", i + 1);
    return table;
}

}  // namespace summand::cli
