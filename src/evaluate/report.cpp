// A report as a table for people and as JSON for programs.
#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <vector>

#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

using Row = std::vector<std::string>;

std::string fixed(double value, int digits) {
    if (value < 0) return "-";
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << value;
    return text.str();
}

std::string scaled(double seconds, double scale) { return seconds < 0 ? "-" : fixed(seconds * scale, 2); }

// R@10: the share of the 10 nearest among 10 answers. R@10of1: how often the nearest one is among 10, as in the paper.
const Row kTitles = {"method", "bytes",     "compression", "R@10",    "R@1of1",  "R@10of1", "R@100of1",
                     "MAP",    "queries/s", "table µs",    "scan ms", "train s", "encode s"};

std::string title(const Report& report) {
    std::string text = report.method;
    if (report.candidates > 0) text += " L=" + std::to_string(report.candidates);
    if (report.probes > 0) text += " probes=" + std::to_string(report.probes);
    if (report.reach > 0) text += concatenate(" reach=", report.reach);
    if (report.refine > 0) text += " refine=" + std::to_string(report.refine);
    return text;
}

Row cells(const Report& report) {
    return {title(report),
            std::to_string(report.code_bytes),
            fixed(report.compression, 0) + "x",
            fixed(report.recall_at(10, 10), 4),
            fixed(report.recall_at(1), 4),
            fixed(report.recall_at(10), 4),
            fixed(report.recall_at(100), 4),
            fixed(report.map, 4),
            fixed(report.queries_per_second, 0),
            scaled(report.table_seconds, 1e6),
            scaled(report.scan_seconds, 1e3),
            fixed(report.train_seconds, 1),
            fixed(report.encode_seconds, 1)};
}

// Characters as shown: bytes that continue a UTF-8 character do not count.
std::size_t shown_width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The first column is aligned to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
    std::ostringstream text;
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            std::size_t width = 0;
            for (const Row& other : rows) width = std::max(width, shown_width(other[column]));
            const std::string padding(width - shown_width(row[column]), ' ');
            text << (column ? "  " + padding + row[column] : row[column] + padding);
        }
        text << '\n';
    }
    return text.str();
}

nlohmann::ordered_json measured(double value) {
    return value < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
}

nlohmann::ordered_json measured(const QuerySeconds& seconds) {
    if (seconds.median < 0) return {};
    return {{"low", seconds.low}, {"median", seconds.median}, {"high", seconds.high}};
}

nlohmann::ordered_json object(const Report& report) {
    nlohmann::ordered_json recalls = nlohmann::ordered_json::array();
    for (const RecallPoint& point : report.recalls)
        recalls.push_back({{"truths", point.truths}, {"answers", point.answers}, {"recall", point.recall}});
    return {{"method", report.method},
            {"vectors", report.vectors},
            {"dimensions", report.dimensions},
            {"queries", report.queries},
            {"k", report.k},
            {"probes", report.probes},
            {"reach", report.reach},
            {"candidates", report.candidates},
            {"refine", report.refine},
            {"code_bytes", report.code_bytes},
            {"memory_bytes", report.memory_bytes},
            {"compression", report.compression},
            {"recalls", recalls},
            {"map", measured(report.map)},
            {"distortion", measured(report.distortion)},
            {"alone_seconds", measured(report.alone)},
            {"tables_alone_seconds", measured(report.tables_alone)},
            {"table_seconds", measured(report.table_seconds)},
            {"word_score_seconds", measured(report.word_score_seconds)},
            {"cell_order_seconds", measured(report.cell_order_seconds)},
            {"scan_seconds", measured(report.scan_seconds)},
            {"queries_per_second", measured(report.queries_per_second)},
            {"train_seconds", measured(report.train_seconds)},
            {"encode_seconds", measured(report.encode_seconds)},
            {"threads", report.threads},
            {"kernels", report.kernels}};
}

}  // namespace

double Report::recall_at(std::size_t answers, std::size_t truths) const {
    const auto point = std::find_if(recalls.begin(), recalls.end(), [&](const RecallPoint& candidate) {
        return candidate.answers == answers && candidate.truths == truths;
    });
    return point == recalls.end() ? -1 : point->recall;
}

std::string table(const std::vector<Report>& reports) {
    std::vector<Row> rows{kTitles};
    for (const Report& report : reports) rows.push_back(cells(report));
    return aligned(rows);
}

std::string json(const std::vector<Report>& reports) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Report& report : reports) array.push_back(object(report));
    return array.dump(2) + "\n";
}

std::ostream& operator<<(std::ostream& out, const Report& report) { return out << table({report}); }

}  // namespace summand
