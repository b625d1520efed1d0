#include "index/row_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "index/index_parts.h"
#include "model/transform.h"
#include "summand/error.h"
#include "summand/half.h"

namespace summand {
namespace {

constexpr float kLargestByte = 255;
constexpr float kTooLargeHalf = 65520;  // rounds to infinity

bool fits(RowFormat format, float value) {
    if (format == RowFormat::u8) return value >= 0 && value <= kLargestByte && value == std::floor(value);
    return format != RowFormat::fp16 || std::abs(value) < kTooLargeHalf;
}

void require_fit(RowFormat format, MatrixView<float> vectors, std::size_t first_row) {
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const auto bad = std::find_if(vectors[i].begin(), vectors[i].end(), [&](float x) { return !fits(format, x); });
        if (bad == vectors[i].end()) continue;
        const std::string_view holds =
            format == RowFormat::u8 ? "whole numbers from 0 to 255" : "values from -65504 to 65504";
        const std::string_view others =
            format == RowFormat::u8 ? "Refine(sq8), Refine(fp16) or Refine(fp32)" : "Refine(sq8) or Refine(fp32)";
        throw Error(concatenate("Refine(", name(format), ") holds ", holds, "; row ", first_row + i, " has ", *bad,
                                " in dimension ", bad - vectors[i].begin(), "; use ", others));
    }
}

// Formats but bytes, which are kept as they are, hold vectors for cosine with length one.
bool is_scaled(RowFormat format, Metric metric) { return metric == Metric::cosine && format != RowFormat::u8; }

// The smallest float that reaches from the smallest to the largest value in 255 steps.
float step_between(float smallest, float largest) {
    const double from = smallest, to = largest;
    auto step = static_cast<float>((to - from) / kLargestByte);
    while (from + kLargestByte * static_cast<double>(step) < to)
        step = std::nextafter(step, std::numeric_limits<float>::infinity());
    return step;
}

std::uint8_t nearest_step(float value, float smallest, float step) {
    if (step == 0) return 0;
    const double steps = (static_cast<double>(value) - static_cast<double>(smallest)) / static_cast<double>(step);
    return static_cast<std::uint8_t>(std::clamp(std::nearbyint(steps), 0.0, double{kLargestByte}));
}

template <class T, class Convert>
void write_each(const float* vector, std::size_t count, std::byte* row, const Convert& convert) {
    for (std::size_t d = 0; d < count; ++d) {
        const T number = convert(d, vector[d]);
        std::memcpy(row + d * sizeof(T), &number, sizeof(T));
    }
}

}  // namespace

RowRanges::RowRanges(RowFormat format, Metric metric, std::size_t dimensions) : format_(format), metric_(metric) {
    if (format != RowFormat::sq8) return;
    smallest_.assign(dimensions, std::numeric_limits<float>::infinity());
    largest_.assign(dimensions, -std::numeric_limits<float>::infinity());
}

void RowRanges::add(MatrixView<float> vectors, std::size_t first_row) {
    require_finite(vectors, "build");
    if (metric_ != Metric::cosine) require_scorable(vectors, "build");
    if (!is_scaled(format_, metric_)) require_fit(format_, vectors, first_row);
    if (format_ != RowFormat::sq8) return;
    if (metric_ == Metric::cosine)
        widen(of_unit_length(vectors, "build").view());
    else
        widen(vectors);
}

void RowRanges::widen(MatrixView<float> vectors) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        for (std::size_t d = 0; d < smallest_.size(); ++d) {
            smallest_[d] = std::min(smallest_[d], vectors[i][d]);
            largest_[d] = std::max(largest_[d], vectors[i][d]);
        }
}

std::vector<float> RowRanges::finish() const {
    std::vector<float> ranges = smallest_;
    for (std::size_t d = 0; d < smallest_.size(); ++d) ranges.push_back(step_between(smallest_[d], largest_[d]));
    return ranges;
}

RowStore::RowStore(const Index& index, RowFormat format, std::vector<float> ranges)
    : format_(format),
      metric_(index.metric()),
      dimensions_(index.dimensions()),
      row_bytes_(row_bytes(format, dimensions_)),
      positions_(index.inverted() ? positions_of(*IndexParts::lists(*index.inverted())) : std::vector<std::uint32_t>()),
      ranges_(std::move(ranges)),
      rows_(AlignedBuffer<std::byte>::in_large_pages(index.size() * row_bytes_)) {}

RowStore::RowStore(RowFormat format, Metric metric, std::size_t dimensions, std::size_t size)
    : format_(format),
      metric_(metric),
      dimensions_(dimensions),
      row_bytes_(row_bytes(format, dimensions)),
      rows_(AlignedBuffer<std::byte>::in_large_pages(size * row_bytes_)) {}

void RowStore::add(MatrixView<float> vectors, std::size_t first_id) {
    const Matrix<float> scaled = is_scaled(format_, metric_) ? of_unit_length(vectors, "build") : Matrix<float>();
    if (!scaled.empty()) vectors = scaled.view();
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const std::size_t id = first_id + i;
        write(vectors.row(i), rows_.data() + (positions_.empty() ? id : positions_[id]) * row_bytes_);
    }
}

void RowStore::write(const float* vector, std::byte* row) const {
    switch (format_) {
        case RowFormat::fp32:
            std::memcpy(row, vector, row_bytes_);
            return;
        case RowFormat::fp16:
            return write_each<std::uint16_t>(vector, dimensions_, row,
                                             [](std::size_t, float value) { return half_of(value); });
        case RowFormat::sq8:
            return write_each<std::uint8_t>(vector, dimensions_, row, [&](std::size_t d, float value) {
                return nearest_step(value, ranges_[d], ranges_[dimensions_ + d]);
            });
        default:
            return write_each<std::uint8_t>(vector, dimensions_, row,
                                            [](std::size_t, float value) { return static_cast<std::uint8_t>(value); });
    }
}

RefineRows RowStore::finish() && {
    struct Storage {
        AlignedBuffer<std::byte> rows;
        std::vector<float> ranges;
    };
    auto storage = std::make_shared<const Storage>(Storage{std::move(rows_), std::move(ranges_)});
    return {format_, {storage->rows.data(), storage->rows.size()}, storage->ranges, storage};
}

RefineRows refine_rows(const Index& index, MatrixView<float> vectors, RowFormat format) {
    require(vectors.rows() == index.size() && vectors.columns() == index.dimensions(), "index: expected the ",
            index.size(), " vectors of ", index.dimensions(), " dimensions of the index, got ", vectors.rows(), " of ",
            vectors.columns());
    RowRanges ranges(format, index.metric(), index.dimensions());
    ranges.add(vectors, 0);
    RowStore store(index, format, ranges.finish());
    store.add(vectors, 0);
    return std::move(store).finish();
}

}  // namespace summand
