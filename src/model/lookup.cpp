#include "model/lookup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/kernels.h"
#include "model/transform.h"
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

// The largest value of each dimension.
std::vector<float> magnitudes(const Dictionaries& dictionaries) {
    std::vector<float> largest(dictionaries.dimensions(), 0.0f);
    for (std::size_t w = 0; w < dictionaries.rows.rows(); ++w)
        for (std::size_t d = 0; d < largest.size(); ++d) largest[d] = std::max(largest[d], dictionaries.rows[w][d]);
    return largest;
}

// Does nothing where there are no magnitudes.
void reduce_to_signs(const std::vector<float>& magnitudes, Matrix<float>& queries) {
    for (std::size_t i = 0; i < queries.rows(); ++i)
        for (std::size_t d = 0; d < magnitudes.size(); ++d)
            queries[i][d] = queries[i][d] > 0 ? magnitudes[d] : -magnitudes[d];
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

bool has_direction(std::span<const float> vector) {
    return std::any_of(vector.begin(), vector.end(), [](float x) { return x != 0; });
}

}  // namespace

TableBuilder::TableBuilder(const Quantizer& quantizer, Metric metric, SlotOrder order)
    : metric_(metric),
      slots_(order.slots),
      centre_(quantizer.centre),
      rotation_stride_(rounded_up(quantizer.dimensions())),
      rotation_(transposed(quantizer.rotation, rotation_stride_)),
      panels_(is_sparse(quantizer.dictionaries) ? 0 : total_support(quantizer.dictionaries) * order.slots),
      word_offsets_(order.words.size()) {
    require(metric != Metric::cosine || quantizer.unit_length,
            "metric: cosine needs a model of vectors of length one; train it with the metric cosine");
    require(metric == Metric::euclidean || !quantizer.binary_queries,
            "metric: Hamming distances of signs stand for euclidean, got ", name(metric),
            "; train with distance=asymmetric");
    const Dictionaries& dictionaries = quantizer.dictionaries;
    if (quantizer.binary_queries) signs_ = magnitudes(dictionaries);
    if (is_sparse(dictionaries))
        add_sparse(dictionaries, order);
    else
        add_dense(dictionaries, order);
    if (!is_distance(metric)) return;
    for (std::size_t e = 0; e < word_offsets_.size(); ++e)
        word_offsets_[e] = quantizer.word_offsets[e / slots_ * dictionaries.words + order.words[e]];
}

void TableBuilder::add_dense(const Dictionaries& dictionaries, SlotOrder order) {
    for (std::size_t m = 0; m < dictionaries.count; ++m) {
        const auto [begin, end] = support(dictionaries, m);
        panels_.add(m * slots_, slots_, begin, end,
                    [&](std::size_t s) { return dictionaries.word(m, order.words[m * slots_ + s]); });
    }
}

void TableBuilder::add_sparse(const Dictionaries& dictionaries, SlotOrder order) {
    for (std::size_t e = 0; e < order.words.size(); ++e)
        sparse_.add({dictionaries.word(e / slots_, order.words[e]), dictionaries.dimensions()});
}

// q' = rotation·(q - centre) for distances, rotation·q otherwise.
Matrix<float> TableBuilder::moved(const Matrix<float>& queries) const {
    Matrix<float> result = queries;
    if (is_distance(metric_))
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
        offsets[i] = is_distance(metric_) ? kernels().dot(moved_queries.row(i), moved_queries.row(i), centre_.size())
                                          : -kernels().dot(queries.row(i), centre_.data(), centre_.size());
}

void TableBuilder::check(const char* what, MatrixView<float> queries) const {
    require(queries.columns() == centre_.size(), what, ": expected queries of ", centre_.size(), " dimensions, got ",
            queries.columns());
    for (std::size_t i = 0; i < queries.rows(); ++i) {
        require(all_finite(queries[i]), what, ": row ", i, " holds a value that is not finite (NaN or infinity)");
        require(metric_ != Metric::cosine || has_direction(queries[i]), what, ": row ", i,
                " is all zeros, which has no direction; cosine needs non-zero queries");
    }
}

// In groups of 16 queries, whose values of one dimension are multiplied by a value of a word together.
void TableBuilder::sparse_products(const Matrix<float>& queries, float* entries) const {
    AlignedBuffer<float> group(queries.columns() * kSparseQueries);
    for (std::size_t first = 0; first < queries.rows(); first += kSparseQueries) {
        const std::size_t count = std::min(kSparseQueries, queries.rows() - first);
        for (std::size_t d = 0; d < queries.columns(); ++d)
            for (std::size_t q = 0; q < kSparseQueries; ++q)
                group[d * kSparseQueries + q] = q < count ? queries[first + q][d] : 0.0f;
        kernels().scan.sparse_products({.queries = group.data(),
                                        .query_count = count,
                                        .begin = sparse_.begin.data(),
                                        .dimensions = sparse_.dimensions.data(),
                                        .values = sparse_.values.data(),
                                        .entries = this->entries(),
                                        .out = entries + first * this->entries(),
                                        .out_stride = this->entries()});
    }
}

void TableBuilder::build(const char* what, MatrixView<float> queries, std::size_t first_row, float* entries,
                         float* offsets) const {
    Matrix<float> scaled = copy_of(queries);
    if (metric_ == Metric::cosine)
        for (std::size_t i = 0; i < scaled.rows(); ++i) scale_to_unit_length(scaled[i]);
    Matrix<float> moved_queries = moved(scaled);
    reduce_to_signs(signs_, moved_queries);
    write_offsets(scaled, moved_queries, offsets);
    if (sparse_.empty())
        panels_.products(moved_queries.view(), this->entries(), entries);
    else
        sparse_products(moved_queries, entries);
    for (std::size_t i = 0; i < queries.rows(); ++i) {
        const bool finite = kernels().scan.finish(word_offsets_.data(), is_distance(metric_) ? -2.0f : -1.0f,
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
