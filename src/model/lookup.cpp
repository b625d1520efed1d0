#include "model/lookup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/kernels.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kLanes = 16;

std::size_t rounded_up(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

// Dimensions where the words of dictionary m may differ from zero.
std::pair<std::size_t, std::size_t> support(const Dictionaries& dictionaries, std::size_t m) {
    if (!dictionaries.blocks()) return {0, dictionaries.dimensions()};
    return {dictionaries.block_begin[m], dictionaries.block_begin[m + 1]};
}

std::size_t total_support(const Dictionaries& dictionaries) {
    std::size_t total = 0;
    for (std::size_t m = 0; m < dictionaries.count; ++m) {
        const auto [begin, end] = support(dictionaries, m);
        total += end - begin;
    }
    return total;
}

// Row d holds column d of the rotation, zeros after it.
std::vector<float> transposed(const Matrix<float>& rotation, std::size_t stride) {
    std::vector<float> columns(rotation.columns() * stride);
    for (std::size_t i = 0; i < rotation.rows(); ++i)
        for (std::size_t d = 0; d < rotation.columns(); ++d) columns[d * stride + i] = rotation[i][d];
    return columns;
}

Matrix<float> copy_of(MatrixView<float> rows) {
    return {rows.rows(), rows.columns(), std::vector<float>(rows.data(), rows.data() + rows.rows() * rows.columns())};
}

// x·0 is NaN for infinities and NaN, and zero for the rest.
bool all_finite(std::span<const float> values) {
    float sum = 0;
    for (const float x : values) sum += x * 0.0f;
    return sum == 0;
}

float length_of(std::span<const float> vector) {
    return std::sqrt(kernels().dot(vector.data(), vector.data(), vector.size()));
}

}  // namespace

TableBuilder::TableBuilder(const Quantizer& quantizer, Metric metric, SlotOrder order)
    : metric_(metric),
      slots_(order.slots),
      centre_(quantizer.centre),
      rotation_stride_(rounded_up(quantizer.dimensions())),
      rotation_(transposed(quantizer.rotation, rotation_stride_)),
      columns_(total_support(quantizer.dictionaries) * order.slots),
      word_offsets_(order.words.size()) {
    require(metric != Metric::cosine || quantizer.unit_length,
            "metric: cosine needs a model of vectors of length one; train it with the metric cosine");
    const Dictionaries& dictionaries = quantizer.dictionaries;
    for (std::size_t m = 0; m < dictionaries.count; ++m) add_panel(dictionaries, m, order);
    if (metric != Metric::euclidean) return;
    for (std::size_t e = 0; e < word_offsets_.size(); ++e)
        word_offsets_[e] = quantizer.word_offsets[e / slots_ * dictionaries.words + order.words[e]];
}

void TableBuilder::add_panel(const Dictionaries& dictionaries, std::size_t m, SlotOrder order) {
    const auto [begin, end] = support(dictionaries, m);
    const std::size_t first =
        panels_.empty() ? 0 : panels_.back().first + (panels_.back().end - panels_.back().begin) * slots_;
    panels_.push_back({begin, end, first});
    for (std::size_t s = 0; s < slots_; ++s) {
        const float* word = dictionaries.word(m, order.words[m * slots_ + s]);
        for (std::size_t d = begin; d < end; ++d) columns_[first + (d - begin) * slots_ + s] = word[d];
    }
}

// q' = rotation·(q - centre) for euclidean, rotation·q otherwise.
Matrix<float> TableBuilder::moved(const Matrix<float>& queries) const {
    Matrix<float> result = queries;
    if (metric_ == Metric::euclidean)
        for (std::size_t i = 0; i < result.rows(); ++i)
            for (std::size_t d = 0; d < result.columns(); ++d) result[i][d] -= centre_[d];
    if (rotation_.empty()) return result;
    Matrix<float> rotated(result.rows(), rotation_stride_);
    kernels().scan.products({.queries = result.data(),
                             .query_count = result.rows(),
                             .query_stride = result.columns(),
                             .columns = rotation_.data(),
                             .dimensions = result.columns(),
                             .words = rotation_stride_,
                             .stride = rotation_stride_,
                             .out = rotated.data(),
                             .out_stride = rotation_stride_});
    return rotated;
}

void TableBuilder::write_offsets(const Matrix<float>& queries, const Matrix<float>& moved_queries,
                                 float* offsets) const {
    for (std::size_t i = 0; i < queries.rows(); ++i)
        offsets[i] = metric_ == Metric::euclidean
                         ? kernels().dot(moved_queries.row(i), moved_queries.row(i), centre_.size())
                         : -kernels().dot(queries.row(i), centre_.data(), centre_.size());
}

void TableBuilder::check(const char* what, MatrixView<float> queries) const {
    require(queries.columns() == centre_.size(), what, ": expected queries of ", centre_.size(), " dimensions, got ",
            queries.columns());
    for (std::size_t i = 0; i < queries.rows(); ++i) {
        require(all_finite(queries[i]), what, ": row ", i, " holds a value that is not finite (NaN or infinity)");
        require(metric_ != Metric::cosine || length_of(queries[i]) > 0, what, ": row ", i,
                " is all zeros, which has no direction; cosine needs non-zero queries");
    }
}

void TableBuilder::build(const char* what, MatrixView<float> queries, std::size_t first_row, float* entries,
                         float* offsets) const {
    Matrix<float> scaled = copy_of(queries);
    if (metric_ == Metric::cosine)
        for (std::size_t i = 0; i < scaled.rows(); ++i) {
            const float length = length_of(scaled[i]);
            for (float& x : scaled[i]) x /= length;
        }
    const Matrix<float> moved_queries = moved(scaled);
    write_offsets(scaled, moved_queries, offsets);
    for (std::size_t m = 0; m < panels_.size(); ++m)
        kernels().scan.products({.queries = moved_queries.data() + panels_[m].begin,
                                 .query_count = queries.rows(),
                                 .query_stride = moved_queries.columns(),
                                 .columns = columns_.data() + panels_[m].first,
                                 .dimensions = panels_[m].end - panels_[m].begin,
                                 .words = slots_,
                                 .stride = slots_,
                                 .out = entries + m * slots_,
                                 .out_stride = this->entries()});
    for (std::size_t i = 0; i < queries.rows(); ++i) {
        const bool finite = kernels().scan.finish(word_offsets_.data(), metric_ == Metric::euclidean ? -2.0f : -1.0f,
                                                  this->entries(), entries + i * this->entries());
        require(finite && std::isfinite(offsets[i]), what, ": row ", first_row + i,
                " makes table entries that are not finite");
    }
}

float LookupTable::sum(const std::uint8_t* code, float bias) const {
    float total = entries[code[0]];
    for (std::size_t m = 1; m < count; ++m) total += entries[m * words + code[m]];
    return total + bias;
}

LookupTable lookup_table(const Quantizer& quantizer, std::span<const float> query, Metric metric) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    const std::size_t slots = rounded_up(dictionaries.words);
    std::vector<std::uint8_t> order(dictionaries.count * slots);
    for (std::size_t m = 0; m < dictionaries.count; ++m)
        std::iota(order.begin() + static_cast<std::ptrdiff_t>(m * slots),
                  order.begin() + static_cast<std::ptrdiff_t>(m * slots + dictionaries.words), std::uint8_t{0});
    const TableBuilder builder(quantizer, metric, {slots, order});
    std::vector<float> padded(builder.entries());
    LookupTable table{dictionaries.count, dictionaries.words, {}, 0};
    const MatrixView<float> queries(query.data(), 1, query.size());
    builder.check("lookup_table", queries);
    builder.build("lookup_table", queries, 0, padded.data(), &table.offset);
    table.entries.reserve(dictionaries.count * dictionaries.words);
    for (std::size_t m = 0; m < dictionaries.count; ++m)
        table.entries.insert(table.entries.end(), padded.begin() + static_cast<std::ptrdiff_t>(m * slots),
                             padded.begin() + static_cast<std::ptrdiff_t>(m * slots + dictionaries.words));
    return table;
}

}  // namespace summand
