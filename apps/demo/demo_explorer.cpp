#include "demo_explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explorer.h"
#include "summand/text.h"

namespace summand::cli {
namespace {

constexpr std::size_t kExamples = 240, kTruths = 24;
constexpr std::size_t kShrink = 2;  // pixels of an image to one that the page shows, in either direction
constexpr float kRotationSteps = 4096;

// Means of squares of pixels.
std::vector<std::uint8_t> small_pictures(const Matrix<float>& images, std::size_t width) {
    const std::size_t height = images.columns() / width, small_width = width / kShrink, small_height = height / kShrink;
    std::vector<std::uint8_t> pixels;
    pixels.reserve(images.rows() * small_width * small_height);
    for (std::size_t i = 0; i < images.rows(); ++i)
        for (std::size_t y = 0; y < small_height; ++y)
            for (std::size_t x = 0; x < small_width; ++x) {
                float sum = 0;
                for (std::size_t dy = 0; dy < kShrink; ++dy)
                    for (std::size_t dx = 0; dx < kShrink; ++dx)
                        sum += images[i][(kShrink * y + dy) * width + kShrink * x + dx];
                pixels.push_back(static_cast<std::uint8_t>(std::lround(sum / (kShrink * kShrink))));
            }
    return pixels;
}

// The first kExamples of rows spread over all.
template <class T>
Matrix<T> spread(MatrixView<T> rows, std::size_t columns) {
    const std::size_t count = std::min(kExamples, rows.rows());
    Matrix<T> chosen(count, columns);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(rows.row(i * rows.rows() / count), columns, chosen.row(i));
    return chosen;
}

std::vector<std::uint8_t> spread(const std::vector<std::uint8_t>& labels) {
    const std::size_t count = std::min(kExamples, labels.size());
    std::vector<std::uint8_t> chosen(count);
    for (std::size_t i = 0; i < count; ++i) chosen[i] = labels[i * labels.size() / count];
    return chosen;
}

std::string per_query(double queries_per_second) { return fmt::format("{:.3g} ms", 1000 / queries_per_second); }

void add_figures(ExplorerPage& page, const DemoData& data, const std::vector<Report>& reports, const ExactScan& exact) {
    std::vector<std::vector<std::string>> rows;
    for (const Report& report : reports)
        rows.push_back({report.method, grouped(report.code_bytes), fmt::format("{:.3f}", report.recall_at(1)),
                        fmt::format("{:.3f}", report.recall_at(10)), fmt::format("{:.3f}", report.recall_at(100)),
                        per_query(report.queries_per_second), duration(report.train_seconds)});
    rows.push_back({"exact scan", grouped(data.base.columns()), "1.000", "1.000", "1.000",
                    per_query(exact.queries_per_second), "–"});
    page.set_figures(
        {"Method", "Bytes per image", "Recall@1of1", "Recall@10of1", "Recall@100of1", "One query", "Training"}, rows,
        fmt::format(
            "Of {} test images, measured by the C++ library when this page was made, with {} thread{} and {} "
            "instructions. Recall@Rof1 is the share of queries whose true nearest neighbour is among the first R "
            "answers. In this page the scan runs in WebAssembly.",
            grouped(data.queries.rows()), reports.front().threads, reports.front().threads == 1 ? "" : "s",
            reports.front().kernels));
}

}  // namespace

Quantizer rounded(Quantizer model) {
    for (float& value : model.centre) value = std::round(value);
    for (std::size_t i = 0; i < model.dictionaries.rows.size(); ++i) {
        float& value = model.dictionaries.rows.data()[i];
        value = std::round(value);
    }
    for (std::size_t i = 0; i < model.rotation.size(); ++i) {
        float& value = model.rotation.data()[i];
        value = std::round(value * kRotationSteps) / kRotationSteps;
    }
    return model;
}

void save_explorer(const std::string& path, const DemoData& data, MatrixView<std::int64_t> truth,
                   const std::vector<DemoIndex>& indexes, const std::vector<Report>& reports, const ExactScan& exact) {
    ExplorerPage page(fmt::format("{} in {} bytes each", data.name, indexes.front().index.code_bytes()),
                      fmt::format("{} {}. Of each one this page holds a small picture to look at, and the bytes that "
                                  "it searches: the numbers of the words whose sum is the image, nearly.",
                                  grouped(data.base.rows()), data.description));
    for (const DemoIndex& own : indexes) page.add_index(own.name, own.index);
    const PictureShape shape{data.width, data.base.columns() / data.width};
    page.set_picture_shape(shape);
    page.set_pixels(small_pictures(data.base, data.width), {shape.width / kShrink, shape.height / kShrink});
    page.set_labels(data.base_labels, data.label_names);
    page.set_queries(spread(data.queries.view(), data.queries.columns()).view(),
                     spread(truth, std::min(kTruths, truth.columns())).view(), spread(data.query_labels));
    add_figures(page, data, reports, exact);
    page.save(path);
}

}  // namespace summand::cli
