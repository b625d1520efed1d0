#include "index/cell_tables.h"

#include <algorithm>
#include <numeric>

#include "kernels/kernels.h"

namespace summand {
namespace {

std::size_t rounded_up(std::size_t words) { return (words + kByteSlots - 1) / kByteSlots * kByteSlots; }

// Tables of cells are tables of words: dictionaries of any size, cut into pieces of 256. The last piece is filled up.
Quantizer in_pieces(const Partition& partition) {
    const Dictionaries& words = partition.dictionaries;
    const std::size_t stride = rounded_up(words.words);
    Quantizer pieces;
    pieces.centre.resize(words.dimensions());
    pieces.dictionaries.count = words.count * stride / kByteSlots;
    pieces.dictionaries.words = kByteSlots;
    pieces.dictionaries.rows = Matrix<float>(words.count * stride, words.dimensions());
    pieces.word_offsets.resize(words.count * stride);
    for (std::size_t i = 0; i < words.count; ++i)
        for (std::size_t k = 0; k < words.words; ++k) {
            std::copy_n(words.word(i, k), words.dimensions(), pieces.dictionaries.rows.row(i * stride + k));
            pieces.word_offsets[i * stride + k] = partition.word_offsets[i * words.words + k];
        }
    return pieces;
}

TableBuilder table_builder(const Partition& partition, Metric metric) {
    const Quantizer pieces = in_pieces(partition);
    std::vector<std::uint8_t> order(pieces.word_offsets.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::uint8_t>(e % kByteSlots);
    return {pieces, metric, {kByteSlots, order}};
}

}  // namespace

CellTables::CellTables(const InvertedModel& model, SlotOrder order)
    : count_(model.partition.dictionaries.count),
      words_(model.partition.dictionaries.words),
      stride_(rounded_up(words_)) {
    const Metric metric = inner_metric(model.metric);
    if (model.partition.groups.empty())
        words_of_queries_.emplace(table_builder(model.partition, metric));
    else
        grouped_.emplace(model.partition, metric);
    if (is_distance(model.metric) && model.coding == Coding::residual) add_fine_tables(model, order);
}

// The table of a word as a query for inner products holds -(R c)·r, its offset -c·centre.
void CellTables::add_fine_tables(const InvertedModel& model, SlotOrder order) {
    const TableBuilder builder(model.quantizer, Metric::inner_product, order);
    const Matrix<float>& words = model.partition.dictionaries.rows;
    entries_ = builder.entries();
    tables_ = AlignedBuffer<float>(words.rows() * entries_);
    shifts_.resize(words.rows());
    builder.build("index", words.view(), 0, tables_.data(), shifts_.data());
    const std::vector<float> zeros(entries_);
    for (std::size_t w = 0; w < words.rows(); ++w) {
        kernels().scan.finish(zeros.data(), -2.0f, entries_, tables_.data() + w * entries_);
        shifts_[w] *= -2.0f;
    }
    if (model.partition.orthogonal) return;
    for (std::size_t w = 0; w < words.rows(); ++w)
        shifts_[w] += kernels().dot(words.row(w), words.row(w), words.columns()) - model.partition.word_offsets[w];
}

CellTables::Tables CellTables::tables(std::size_t cell) const {
    if (count_ == 1) return {tables_.data() + cell * entries_, nullptr};
    return {tables_.data() + cell / words_ * entries_, tables_.data() + (words_ + cell % words_) * entries_};
}

float CellTables::shift(const Partition& partition, std::size_t cell) const {
    if (count_ == 1) return shifts_[cell];
    const std::size_t first = cell / words_, second = cell % words_;
    const float shift = shifts_[first] + shifts_[words_ + second];
    if (partition.orthogonal) return shift;
    const Dictionaries& words = partition.dictionaries;
    return shift + 2 * kernels().dot(words.word(0, first), words.word(1, second), words.dimensions());
}

CellScores::CellScores(const char* what, const CellTables& cells, const ListParts& lists, MatrixView<float> queries,
                       std::size_t first_row, const ProbeLimit& limit)
    : cells_(cells), lists_(lists), limit_(limit) {
    if (cells.grouped_) {
        near_ = cells.grouped_->near(what, queries, first_row, lists, limit);
        return;
    }
    thread_local Scratch<float> scratch;
    scores_ = scratch.at_least(queries.rows() * cells.scores());
    std::vector<float> offsets(queries.rows());
    cells.words_of_queries_->build(what, queries, first_row, scores_, offsets.data());
    for (std::size_t q = 0; limit.reach > 0 && q < queries.rows(); ++q)
        squares_.push_back(kernels().dot(queries.row(q), queries.row(q), queries.columns()));
}

std::vector<Probe> CellScores::nearest(std::size_t query) const {
    if (cells_.grouped_) return nearest_cells(near_[query], lists_, limit_);
    return nearest_cells({scores_ + query * cells_.scores(), cells_.count_, cells_.words_, cells_.stride_}, lists_,
                         limit_, squares_.empty() ? 0 : squares_[query]);
}

}  // namespace summand
