#include "page.h"

#include <fmt/format.h>

#include <algorithm>

#include "page_style.h"

namespace summand::cli {
namespace {

constexpr std::size_t kColours = 8;

// Columns of words are aligned to the left, those of numbers to the right.
bool holds_words(const FigureTable& table, std::size_t column) {
    return std::none_of(table.rows.begin(), table.rows.end(),
                        [&](const TableRow& row) { return row[column].number.has_value(); });
}

std::string cell_html(const TableCell& cell, bool words) {
    return fmt::format(R"(<td data-value="{}"{}{}>{}{}</td>)",
                       cell.number ? fmt::format("{}", *cell.number) : escaped(cell.text),
                       words ? R"( class="words")" : "", cell.best ? R"( class="best")" : "",
                       cell.colour ? swatch(*cell.colour) : "", escaped(cell.text));
}

std::string style() {
    return fmt::format(
        "\n:root {{ color-scheme: light dark;{0}}}\n"
        "@media (prefers-color-scheme: dark) {{ :root:not([data-scheme=light]) {{{1}}} }}\n"
        ":root[data-scheme=dark] {{ color-scheme: dark;{1}}}\n:root[data-scheme=light] {{ color-scheme: light; }}\n{2}",
        kLightColours, kDarkColours, kPageStyle);
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        if (letter == '&')
            safe += "&amp;";
        else if (letter == '<')
            safe += "&lt;";
        else if (letter == '>')
            safe += "&gt;";
        else if (letter == '"')
            safe += "&quot;";
        else
            safe += letter;
    }
    return safe;
}

std::string colour(std::size_t series) { return fmt::format("var(--s{})", series % kColours); }

std::string swatch(std::size_t series) {
    return fmt::format(R"(<span class="swatch" style="background:{}"></span>)", colour(series));
}

void mark_best(FigureTable& table, std::size_t column, Better better, std::optional<std::size_t> group) {
    const double sign = better == Better::more ? 1 : -1;
    for (TableRow& row : table.rows) {
        const std::optional<double> number = row[column].number;
        bool beaten = false, beats = false;
        for (const TableRow& other : table.rows) {
            if (!number || !other[column].number || (group && other[*group].text != row[*group].text)) continue;
            beaten |= sign * (*other[column].number - *number) > 0;
            beats |= sign * (*number - *other[column].number) > 0;
        }
        row[column].best = beats && !beaten;
    }
}

std::string html(const FigureTable& table) {
    std::string text = R"(<div class="card scroll"><table><thead><tr>)";
    std::vector<bool> words;
    for (std::size_t column = 0; column < table.titles.size(); ++column) {
        words.push_back(holds_words(table, column));
        text += fmt::format(R"(<th{}>{}</th>)", words.back() ? R"( class="words")" : "", escaped(table.titles[column]));
    }
    text += "</tr></thead><tbody>\n";
    for (const TableRow& row : table.rows) {
        text += "<tr>";
        for (std::size_t column = 0; column < row.size(); ++column) text += cell_html(row[column], words[column]);
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>" + std::string(kMoreColumns) + "\n";
}

std::string page(std::string_view title, const std::string& body) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
        "<style>{}</style>\n</head>\n<body>\n<main>\n<button id=\"scheme\" "
        "type=\"button\">Colours</button>\n{}</main>\n"
        "<script>{}</script>\n</body>\n</html>\n",
        escaped(title), style(), body, kPageScript);
}

}  // namespace summand::cli
