#include "demo_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "demo_style.h"
#include "png.h"
#include "summand/device.h"
#include "text.h"

namespace summand::cli {
namespace {

constexpr std::size_t kColours = 8;

std::string colour(std::size_t series) { return fmt::format("var(--s{})", series % kColours); }

std::string swatch(std::size_t series) {
    return fmt::format(R"(<span class="swatch" style="background:{}"></span>)", colour(series));
}

// --- table ---

struct Column {
    const char* title;
    std::function<double(const Report&)> value;
    std::function<std::string(double)> text;
    enum { more, less, neither } better;
};

std::string seconds_text(double seconds) { return fmt::format("{:.1f} s", seconds); }
std::string share_text(double share) { return fmt::format("{:.3f}", share); }
std::string count_text(double count) { return grouped(static_cast<std::uint64_t>(std::llround(count))); }

const std::vector<Column>& columns() {
    static const std::vector<Column> all = {
        {"Recall@1", [](const Report& r) { return r.recall_at(1); }, share_text, Column::more},
        {"Recall@10", [](const Report& r) { return r.recall_at(10); }, share_text, Column::more},
        {"Recall@100", [](const Report& r) { return r.recall_at(100); }, share_text, Column::more},
        {"Queries/s", [](const Report& r) { return r.queries_per_second; }, count_text, Column::more},
        {"Train", [](const Report& r) { return r.train_seconds; }, seconds_text, Column::less},
        {"Encode", [](const Report& r) { return r.encode_seconds; }, seconds_text, Column::less},
        {"Bytes", [](const Report& r) { return static_cast<double>(r.code_bytes); }, count_text, Column::less},
        {"Compression", [](const Report& r) { return r.compression; }, [](double x) { return count_text(x) + "×"; },
         Column::more},
    };
    return all;
}

bool is_best(const Column& column, const Report& report, const std::vector<Report>& reports) {
    const double value = column.value(report);
    const auto better = [&](const Report& other) {
        return (column.value(other) - value) * (column.better == Column::more ? 1 : -1) > 0;
    };
    const auto differs = [&](const Report& other) { return column.value(other) != value; };
    return std::any_of(reports.begin(), reports.end(), differs) && std::none_of(reports.begin(), reports.end(), better);
}

std::string table_html(const std::vector<Report>& reports) {
    std::string text = R"(<div class="card scroll"><table><thead><tr><th>Method</th>)";
    for (const Column& column : columns()) text += fmt::format("<th>{}</th>", column.title);
    text += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < reports.size(); ++i) {
        text += fmt::format(R"(<tr><td data-value="{0}">{1}{0}</td>)", reports[i].method, swatch(i));
        for (const Column& column : columns()) {
            const double value = column.value(reports[i]);
            text += fmt::format(R"(<td data-value="{}"{}>{}</td>)", value,
                                is_best(column, reports[i], reports) ? R"( class="best")" : "", column.text(value));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

// --- plot ---

struct Plot {
    double left = 60, top = 14, width = 680, height = 330;
    double answers_last = 100;

    double x(double answers) const { return left + width * std::log10(answers) / std::log10(answers_last); }
    double y(double share) const { return top + height * (1 - share); }
};

std::string axes(const Plot& plot) {
    std::string text;
    for (int tenth = 0; tenth <= 10; tenth += 2) {
        const double share = tenth / 10.0, y = plot.y(share);
        text += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", plot.left,
                            plot.left + plot.width, y, y);
        text +=
            fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:.1f}</text>)", plot.left - 9, y + 4, share);
    }
    for (const int answers : {1, 2, 5, 10, 20, 50, 100}) {
        const double x = plot.x(answers), bottom = plot.top + plot.height;
        text += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x, x, plot.top,
                            bottom);
        text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, bottom + 20, answers);
    }
    text += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">R, the number of answers looked at</text>)",
                        plot.left + plot.width / 2, plot.top + plot.height + 44);
    return text + "\n";
}

std::string curve(const Plot& plot, const Report& report, std::size_t series) {
    std::string points, marks;
    for (const RecallPoint& point : report.recalls) {
        if (point.truths != 1) continue;
        const double x = plot.x(static_cast<double>(point.answers)), y = plot.y(point.recall);
        points += fmt::format("{:.1f},{:.1f} ", x, y);
        marks += fmt::format(
            R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{} recall@{}: {:.3f}</title></circle>)", x, y,
            colour(series), report.method, point.answers, point.recall);
    }
    return fmt::format("<polyline class=\"curve\" stroke=\"{}\" points=\"{}\"/>{}\n", colour(series), points, marks);
}

std::string plot_html(const std::vector<Report>& reports) {
    const Plot plot;
    std::string text =
        R"(<div class="card"><svg viewBox="0 0 760 400" role="img" aria-label="Recall at R for each method">)";
    text += axes(plot);
    for (std::size_t i = 0; i < reports.size(); ++i) text += curve(plot, reports[i], i);
    text += "</svg><ul class=\"legend\">";
    for (std::size_t i = 0; i < reports.size(); ++i) text += fmt::format("<li>{}{}</li>", swatch(i), reports[i].method);
    return text + "</ul></div>\n";
}

// --- gallery ---

std::string image(const DemoData& data, std::span<const float> values, const std::string& label) {
    return fmt::format(R"(<img src="{}" alt="{}" title="{}">)", png_data_uri(values, data.width), label, label);
}

std::string gallery_row(const DemoData& data, const GalleryRow& row) {
    std::string text = fmt::format(R"(<div class="row"><div class="query">{}</div>)",
                                   image(data, data.queries[row.query], fmt::format("query {}", row.query)));
    for (const std::int64_t id : row.found) {
        const auto rank = std::find(row.true_nearest.begin(), row.true_nearest.end(), id) - row.true_nearest.begin();
        const bool hit = static_cast<std::size_t>(rank) < row.true_nearest.size();
        const std::string label =
            hit ? fmt::format("image {}, true neighbour number {}", id, rank + 1)
                : fmt::format("image {}, not among the {} true nearest", id, row.true_nearest.size());
        text += fmt::format(R"(<div class="{}">{}</div>)", hit ? "hit" : "other",
                            image(data, data.base[static_cast<std::size_t>(id)], label));
    }
    return text + "</div>\n";
}

std::string introduction(const DemoPage& page) {
    const Report& first = page.reports.front();
    return fmt::format(
        "<h1>{} in {} bytes per image</h1>\n<p>{} {} and {} test queries. Each image, {} bytes of pixels ({} as "
        "floats), is stored in "
        "{} bytes; every query is answered by scanning these codes alone.</p>\n"
        "<p class=\"soft\">summand {} · {} thread{} · {} instructions</p>\n",
        page.data.name, first.code_bytes, grouped(page.data.base.rows()), page.data.description,
        grouped(page.data.queries.rows()), grouped(first.dimensions), grouped(first.dimensions * sizeof(float)),
        first.code_bytes, version(), first.threads, first.threads == 1 ? "" : "s", first.kernels);
}

}  // namespace

std::string html(const DemoPage& page) {
    std::string text =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>summand "
        "demo</title>\n<style>";
    text += kPageStyle;
    text += "</style>\n</head>\n<body>\n<main>\n" + introduction(page);
    text += "<h2>Methods</h2>\n" + table_html(page.reports);
    text +=
        "<p class=\"soft\">Bytes are per vector, all of them counted. Recall@R is the share of queries whose true "
        "nearest neighbour is among the first R answers. "
        "The best figure of each column is bold; models were learnt from the images that are searched.</p>\n";
    text += "<h2>Recall against the number of answers</h2>\n" + plot_html(page.reports);
    text += fmt::format(
        "<h2>What is found</h2>\n<p>The framed picture is a test image; beside it are its eight nearest neighbours by "
        "{}, best first. A <span style=\"color:var(--good)\">green</span> line marks those that are among the ten true "
        "nearest.</p>\n",
        page.gallery_method);
    text += "<div class=\"card gallery\">\n";
    for (const GalleryRow& row : page.gallery) text += gallery_row(page.data, row);
    text += "</div>\n</main>\n<script>";
    text += kPageScript;
    return text + "</script>\n</body>\n</html>\n";
}

}  // namespace summand::cli
