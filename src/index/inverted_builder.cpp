#include <algorithm>
#include <numeric>

#include "index/index_parts.h"
#include "model/transform.h"
#include "model/valid.h"
#include "summand/error.h"
#include "summand/inverted_index.h"

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

// Returns row numbers in the order of cells; within a cell by id, equal ids in the order they came.
std::vector<std::uint64_t> rows_by_cell(const std::vector<std::uint32_t>& cells, std::span<const std::int64_t> ids,
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

void check_ids(std::span<const std::int64_t> ids, std::size_t vectors) {
    require(ids.size() == vectors, "add: expected an id for each of ", vectors, " vectors, got ", ids.size());
    for (const std::int64_t id : ids) require(id >= 0, "add: expected ids from 0 on, got ", id);
}

InvertedModel validated(InvertedModel model) {
    require_valid(model.quantizer, "index");
    require_valid(model.partition, "index");
    return model;
}

// Words are checked when the codes are packed.
void check_fit(const CellCodes& encoded, const InvertedModel& model) {
    const auto& [cells, codes] = encoded;
    const std::size_t M = model.quantizer.dictionaries.count, count = model.partition.cells();
    const std::size_t biases = model.quantizer.bias == Bias::stored ? codes.size() : 0;
    require(codes.model == identity(model.quantizer), "add: codes were made by another model than that of this index");
    require(codes.rows.size() == codes.size() * M, "add: expected codes of ", M, " dictionaries, got ",
            codes.rows.columns());
    require(codes.bias.size() == biases, "add: expected ", biases, " biases, got ", codes.bias.size());
    require(cells.size() == codes.size(), "add: expected a cell for each of ", codes.size(), " codes, got ",
            cells.size());
    for (const std::uint32_t cell : cells) require(cell < count, "add: expected cells below ", count, ", got ", cell);
}

}  // namespace

// What is not needed any more is freed on the way, so that three copies of the codes are never held.
std::shared_ptr<const InvertedLists> listed(const InvertedModel& model, CellCodes encoded,
                                            std::vector<std::int64_t> ids, const PackedCodes* others) {
    auto& [cells, given] = encoded;
    const std::size_t M = model.quantizer.dictionaries.count;
    auto storage = std::make_shared<Storage>();
    storage->begin = list_begins(cells, model.partition.cells());
    std::vector<std::uint64_t> rows = rows_by_cell(cells, ids, storage->begin);
    cells = {};
    Codes codes{Matrix<std::uint8_t>(rows.size(), M), std::vector<float>(given.bias.size()), given.model};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(given.rows.row(rows[i]), M, codes.rows.row(i));
        if (!given.bias.empty()) codes.bias[i] = given.bias[rows[i]];
        rows[i] = static_cast<std::uint64_t>(ids[rows[i]]);
    }
    given = {};
    ids = {};
    storage->ids = std::move(rows);
    auto packed = others ? PackedCodes::pack_like(*others, codes, model.quantizer, model.metric, Planes::whole)
                         : PackedCodes::pack(codes, model.quantizer, model.metric);
    return std::make_shared<const InvertedLists>(
        InvertedLists::Parts{std::move(packed), storage->begin, storage->ids, storage});
}

InvertedBuilder::InvertedBuilder(InvertedModel model, const EncodeOptions& options)
    : model_(validated(std::move(model))), encoder_(model_.quantizer, options), execution_(options.execution) {}

void InvertedBuilder::add(MatrixView<float> vectors) { add(encode(vectors)); }

void InvertedBuilder::add(MatrixView<float> vectors, std::span<const std::int64_t> ids) {
    check_ids(ids, vectors.rows());
    add(encode(vectors), ids);
}

CellCodes InvertedBuilder::encode(MatrixView<float> vectors, const Execution& execution) const {
    require(vectors.columns() == model_.partition.dimensions(), "add: expected vectors of ",
            model_.partition.dimensions(), " dimensions, got ", vectors.columns());
    require_finite(vectors, "add");
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    if (model_.metric == Metric::cosine) scale_to_unit_length(moved, "add");
    require_scorable(moved.view(), "add");
    CellCodes result{.cells = assign(model_.partition, moved.view(), execution)};
    if (model_.coding == Coding::residual) moved = residuals(model_.partition, result.cells, moved.view());
    result.codes = encoder_.encode(moved.view(), execution);
    return result;
}

void InvertedBuilder::add(const CellCodes& encoded) {
    std::vector<std::int64_t> ids(encoded.cells.size());
    std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(size()));
    add(encoded, ids);
}

void InvertedBuilder::add(const CellCodes& encoded, std::span<const std::int64_t> ids) {
    const auto& [cells, codes] = encoded;
    check_fit(encoded, model_);
    check_ids(ids, cells.size());
    codes_.insert(codes_.end(), codes.rows.values().begin(), codes.rows.values().end());
    bias_.insert(bias_.end(), codes.bias.begin(), codes.bias.end());
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    ids_.insert(ids_.end(), ids.begin(), ids.end());
}

InvertedIndex InvertedBuilder::finish() && {
    const std::size_t M = model_.quantizer.dictionaries.count;
    CellCodes encoded{std::move(cells_)};
    encoded.codes = {Matrix<std::uint8_t>(ids_.size(), M, std::move(codes_)), std::move(bias_),
                     identity(model_.quantizer)};
    auto lists = listed(model_, std::move(encoded), std::move(ids_));
    return IndexParts::inverted(std::move(model_), std::move(lists));
}

}  // namespace summand
