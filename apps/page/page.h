// Pieces of the pages that tools write: one file each, with style, script and plots inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand::cli {

/// Text with the characters that mean something to HTML replaced.
std::string escaped(std::string_view text);

/// Colour of a series, in both schemes, as CSS.
std::string colour(std::size_t series);
std::string swatch(std::size_t series);

/// What is shown, and what the column is sorted by: the number, or the text where there is none.
struct TableCell {
    std::string text;
    std::optional<double> number = {};
    std::optional<std::size_t> colour = {};  ///< a swatch in front
    bool best = false;
};

using TableRow = std::vector<TableCell>;

/// A click on a title sorts by that column.
struct FigureTable {
    std::vector<std::string> titles;
    std::vector<TableRow> rows = {};
};

enum class Better { more, less };

/// Marks the best number of a column, unless all are equal; among rows with the same text in the column `group`, where
/// one is given.
void mark_best(FigureTable& table, std::size_t column, Better better, std::optional<std::size_t> group = {});

std::string html(const FigureTable& table);

/// What follows a table in a box of the class "scroll"; it is shown where the table is wider than the box.
inline constexpr std::string_view kMoreColumns = R"(<p class="soft more">more columns →</p>)";

/// A whole document with a switch between the colour schemes.
std::string page(std::string_view title, const std::string& body);

}  // namespace summand::cli
