#include <algorithm>
#include <numeric>

#include "index/inverted_lists.h"
#include "model/transform.h"
#include "summand/error.h"
#include "summand/inverted.h"

namespace summand {
namespace {

// What the lists own beside the packed codes.
struct Storage {
    std::vector<std::uint64_t> begin, ids;
};

std::vector<std::uint64_t> list_begins(const std::vector<std::uint32_t>& cells, std::size_t count) {
    std::vector<std::uint64_t> begin(count + 1);
    for (const std::uint32_t cell : cells) ++begin[cell + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    return begin;
}

// Row numbers in the order of cells, those of a cell by id and then as they came.
std::vector<std::uint64_t> rows_by_cell(const std::vector<std::uint32_t>& cells, const std::vector<std::int64_t>& ids,
                                        const std::vector<std::uint64_t>& begin) {
    std::vector<std::uint64_t> rows(cells.size()), next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < cells.size(); ++i) rows[next[cells[i]]++] = i;
    if (std::is_sorted(ids.begin(), ids.end())) return rows;
    for (std::size_t c = 0; c + 1 < begin.size(); ++c)
        std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(begin[c]),
                         rows.begin() + static_cast<std::ptrdiff_t>(begin[c + 1]),
                         [&](std::uint64_t a, std::uint64_t b) { return ids[a] < ids[b]; });
    return rows;
}

}  // namespace

InvertedBuilder::InvertedBuilder(InvertedModel model, EncodeOptions options)
    : model_(std::move(model)), options_(std::move(options)) {}

void InvertedBuilder::add(MatrixView<float> vectors) {
    std::vector<std::int64_t> ids(vectors.rows());
    std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(size()));
    add(vectors, ids);
}

void InvertedBuilder::add(MatrixView<float> vectors, std::span<const std::int64_t> ids) {
    require(ids.size() == vectors.rows(), "add: expected an id for each of ", vectors.rows(), " vectors, got ",
            ids.size());
    for (const std::int64_t id : ids) require(id >= 0, "add: expected ids from 0 on, got ", id);
    require(vectors.columns() == model_.partition.dimensions(), "add: expected vectors of ",
            model_.partition.dimensions(), " dimensions, got ", vectors.columns());
    require_finite(vectors, "add");
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    if (model_.metric == Metric::cosine) scale_to_unit_length(moved, "add");
    const std::vector<std::uint32_t> cells = assign(model_.partition, moved.view(), options_.execution);
    if (model_.coding == Coding::residual) moved = residuals(model_.partition, cells, moved.view());
    const Codes codes = encode(model_.quantizer, moved.view(), options_);
    codes_.insert(codes_.end(), codes.rows.values().begin(), codes.rows.values().end());
    bias_.insert(bias_.end(), codes.bias.begin(), codes.bias.end());
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
}

InvertedIndex InvertedBuilder::finish() && {
    const std::size_t M = model_.quantizer.dictionaries.count;
    auto storage = std::make_shared<Storage>();
    storage->begin = list_begins(cells_, model_.partition.cells());
    std::vector<std::uint64_t> rows = rows_by_cell(cells_, ids_, storage->begin);
    cells_ = {};
    Codes codes{Matrix<std::uint8_t>(rows.size(), M), std::vector<float>(bias_.size()), identity(model_.quantizer)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(codes_.data() + rows[i] * M, M, codes.rows.row(i));
        if (!bias_.empty()) codes.bias[i] = bias_[rows[i]];
        rows[i] = static_cast<std::uint64_t>(ids_[rows[i]]);
    }
    codes_ = {};
    ids_ = {};
    bias_ = {};
    storage->ids = std::move(rows);
    auto packed = PackedCodes::pack(codes, model_.quantizer, model_.metric);
    auto lists = std::make_shared<const InvertedLists>(
        InvertedLists::Parts{std::move(packed), storage->begin, storage->ids, storage});
    return {std::move(model_), std::move(lists)};
}

}  // namespace summand
