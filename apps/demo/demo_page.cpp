#include "demo_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "page.h"
#include "plot.h"
#include "png.h"
#include "summand/device.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

// --- table ---

struct Column {
    const char* title;
    std::function<double(const Report&)> value;
    std::function<std::string(double)> text;
    Better better;
};

std::string seconds_text(double seconds) { return fmt::format("{:.1f} s", seconds); }
std::string share_text(double share) { return fmt::format("{:.3f}", share); }
std::string count_text(double count) { return grouped(static_cast<std::uint64_t>(std::llround(count))); }

const std::vector<Column>& columns() {
    static const std::vector<Column> all = {
        {"Recall@1of1", [](const Report& r) { return r.recall_at(1); }, share_text, Better::more},
        {"Recall@10of1", [](const Report& r) { return r.recall_at(10); }, share_text, Better::more},
        {"Recall@100of1", [](const Report& r) { return r.recall_at(100); }, share_text, Better::more},
        {"Queries/s", [](const Report& r) { return r.queries_per_second; }, count_text, Better::more},
        {"Train", [](const Report& r) { return r.train_seconds; }, seconds_text, Better::less},
        {"Encode", [](const Report& r) { return r.encode_seconds; }, seconds_text, Better::less},
        {"Bytes", [](const Report& r) { return static_cast<double>(r.code_bytes); }, count_text, Better::less},
        {"Compression", [](const Report& r) { return r.compression; }, [](double x) { return count_text(x) + "×"; },
         Better::more},
    };
    return all;
}

FigureTable figures(const std::vector<Report>& reports) {
    FigureTable table{.titles = {"Method"}};
    for (const Column& column : columns()) table.titles.push_back(column.title);
    for (std::size_t i = 0; i < reports.size(); ++i) {
        TableRow row{{.text = reports[i].method, .colour = i}};
        for (const Column& column : columns()) {
            const double value = column.value(reports[i]);
            row.push_back({.text = column.text(value), .number = value});
        }
        table.rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < columns().size(); ++i) mark_best(table, i + 1, columns()[i].better);
    return table;
}

// --- plot ---

std::string plot_html(const std::vector<Report>& reports) {
    Plot plot{.title = {},
              .x = {"R, the number of answers looked at", Scale::logarithmic, 1, 100},
              .y = {{}, Scale::linear, 0, 1},
              .size = PlotSize::wide};
    for (std::size_t i = 0; i < reports.size(); ++i) {
        PlotSeries series{.name = reports[i].method, .colour = i};
        for (const RecallPoint& point : reports[i].recalls)
            if (point.truths == 1)
                series.points.push_back(
                    {static_cast<double>(point.answers), point.recall,
                     fmt::format("{} recall@{}of1: {:.3f}", series.name, point.answers, point.recall)});
        plot.series.push_back(std::move(series));
    }
    return fmt::format("<div class=\"card\">{}{}</div>\n", svg(plot), legend(plot.series));
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

// "8", or "8 to 12" where methods differ.
std::string stored_bytes(const std::vector<Report>& reports) {
    const auto [least, most] = std::minmax_element(
        reports.begin(), reports.end(), [](const Report& a, const Report& b) { return a.code_bytes < b.code_bytes; });
    if (least->code_bytes == most->code_bytes) return grouped(least->code_bytes);
    return fmt::format("{} to {}", grouped(least->code_bytes), grouped(most->code_bytes));
}

std::string introduction(const DemoPage& page) {
    const std::string bytes = stored_bytes(page.reports);
    const Report& first = page.reports.front();
    return fmt::format(
        "<h1>{} in {} bytes per image</h1>\n<p>{} {} and {} test queries. Each image, {} bytes of pixels ({} as "
        "floats), is stored in "
        "{} bytes{}; every query is answered by scanning these codes alone.</p>\n"
        "<p class=\"soft\">summand {} · {} thread{} · {} instructions</p>\n",
        page.data.name, bytes, grouped(page.data.base.rows()), page.data.description, grouped(page.data.queries.rows()),
        grouped(first.dimensions), grouped(first.dimensions * sizeof(float)), bytes,
        bytes.find(' ') == std::string::npos ? "" : ", as many as the method needs", version(), first.threads,
        first.threads == 1 ? "" : "s", first.kernels);
}

}  // namespace

std::string html(const DemoPage& demo) {
    std::string text = introduction(demo);
    text += "<h2>Methods</h2>\n" + html(figures(demo.reports));
    text +=
        "<p class=\"soft\">Bytes are per vector, all of them counted, also the float that CQ stores beside a code. "
        "Recall@Rof1 is the share of queries whose true "
        "nearest neighbour is among the first R answers. "
        "The best figure of each column is bold; models were learnt from the images that are searched.</p>\n";
    text += "<h2>Recall against the number of answers</h2>\n" + plot_html(demo.reports);
    text += fmt::format(
        "<h2>What is found</h2>\n<p>The framed picture is a test image; beside it are its eight nearest neighbours by "
        "{}, best first. A <span style=\"color:var(--good)\">green</span> line marks those that are among the ten true "
        "nearest.</p>\n",
        demo.gallery_method);
    text += "<div class=\"card gallery\">\n";
    for (const GalleryRow& row : demo.gallery) text += gallery_row(demo.data, row);
    return page("summand demo", text + "</div>\n");
}

}  // namespace summand::cli
