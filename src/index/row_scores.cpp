#include "index/row_scores.h"

#include <cmath>

#include "base/aligned.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

template <class T>
const T* numbers(const std::byte* row) {
    return reinterpret_cast<const T*>(row);
}

}  // namespace

RowScores::RowScores(const RefineRows& rows, Metric metric, std::size_t dimensions)
    : rows_(rows), metric_(metric), dimensions_(dimensions), row_bytes_(row_bytes(rows.format, dimensions)) {}

void RowScores::set_query(const float* query) {
    query_ = query;
    if (rows_.format != RowFormat::sq8) return;
    const float *smallest = rows_.ranges.data(), *steps = smallest + dimensions_;
    moved_.resize(dimensions_);
    for (std::size_t d = 0; d < dimensions_; ++d)
        moved_[d] = is_distance(metric_) ? query[d] - smallest[d] : query[d] * steps[d];
    offset_ = is_distance(metric_) ? 0 : kernels().dot(query, smallest, dimensions_);
}

void RowScores::fetch(std::size_t row) const {
    const std::byte* begin = rows_.rows.data() + row * row_bytes_;
    for (std::size_t line = 0; line < row_bytes_; line += kCacheLine) __builtin_prefetch(begin + line);
    __builtin_prefetch(begin + row_bytes_ - 1);
}

float RowScores::operator()(std::size_t row) const {
    const std::byte* begin = rows_.rows.data() + row * row_bytes_;
    return is_distance(metric_) ? distance(begin) : product(begin);
}

// What scales a row to length one.
float RowScores::scale(const std::uint8_t* row) const {
    if (metric_ != Metric::cosine) return 1;
    const std::uint64_t squares = kernels().rows.byte_squares(row, dimensions_);
    return squares == 0 ? 0 : static_cast<float>(1 / std::sqrt(static_cast<double>(squares)));
}

float RowScores::distance(const std::byte* row) const {
    const Kernels& level = kernels();
    switch (rows_.format) {
        case RowFormat::fp32:
            return level.squared_distance(query_, numbers<float>(row), dimensions_);
        case RowFormat::fp16:
            return level.rows.half_distance(query_, numbers<std::uint16_t>(row), dimensions_);
        case RowFormat::sq8:
            return level.rows.stepped_distance(moved_.data(), rows_.ranges.data() + dimensions_,
                                               numbers<std::uint8_t>(row), dimensions_);
        default: {
            const auto* bytes = numbers<std::uint8_t>(row);
            return level.rows.byte_distance(query_, scale(bytes), bytes, dimensions_);
        }
    }
}

float RowScores::product(const std::byte* row) const {
    const Kernels& level = kernels();
    switch (rows_.format) {
        case RowFormat::fp32:
            return -level.dot(query_, numbers<float>(row), dimensions_);
        case RowFormat::fp16:
            return -level.rows.half_dot(query_, numbers<std::uint16_t>(row), dimensions_);
        case RowFormat::sq8:
            return -(offset_ + level.rows.byte_dot(moved_.data(), numbers<std::uint8_t>(row), dimensions_));
        default:
            return -level.rows.byte_dot(query_, numbers<std::uint8_t>(row), dimensions_);
    }
}

}  // namespace summand
