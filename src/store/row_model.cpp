#include "summand/row_model.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "index/cell_tables.h"
#include "index/row_scores.h"
#include "io/container_reader.h"
#include "model/transform.h"
#include "store/store_model.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {
namespace {

IndexModel without_second(IndexModel model) {
    require(!model.second,
            "rows: expected a model without Refine(...); vectors that score candidates again are columns "
            "of their own");
    return model;
}

Metric metric_for(const IndexModel& model, std::optional<Metric> metric) {
    return metric.value_or(model.metric().value_or(Metric::euclidean));
}

}  // namespace

RowModel::RowModel(IndexModel model, std::optional<Metric> metric, std::uint64_t seed) {
    const Metric chosen = metric_for(model, metric);
    rows_ = std::make_shared<const StoreModel>(without_second(std::move(model)), chosen, seed);
}

RowModel RowModel::from_bytes(std::span<const std::byte> bytes, std::optional<Metric> metric, std::uint64_t seed,
                              std::string_view name) {
    const MemoryBytes source(bytes);
    const bool cells = ContainerReader(source, name).kind() == Kind::inverted_model;
    IndexModel model;
    if (cells)
        model.first = load_inverted_model(bytes, name);
    else
        model.first = load_quantizer(bytes, name);
    return RowModel(std::move(model), metric, seed);
}

std::vector<std::byte> RowModel::to_bytes() const {
    return std::visit([](const auto& first) { return save(first); }, model().first);
}

const IndexModel& RowModel::model() const { return rows_->model(); }
Metric RowModel::metric() const { return rows_->metric(); }
std::uint64_t RowModel::seed() const { return rows_->seed(); }
std::string RowModel::spec() const { return rows_->empty().spec(); }
std::uint64_t RowModel::identity() const { return rows_->identity(); }

CellCodes RowModel::encode(MatrixView<float> vectors, const Execution& execution) const {
    return rows_->first_of(rows_->encode(vectors, execution));
}

// Words and biases are checked when the codes are packed.
Index RowModel::index_of(CellCodes rows) const {
    auto& [cells, codes] = rows;
    const std::size_t M = model().quantizer().dictionaries.count, size = codes.size();
    require(codes.model == summand::identity(model().quantizer()), "rows: codes were made by another model");
    require(codes.rows.columns() == M || size == 0, "rows: expected codes of ", M, " bytes, got ",
            codes.rows.columns());
    const std::size_t celled = model().cells() ? size : 0, count = model().cells() ? model().cells()->cells() : 0;
    require(cells.size() == celled, "rows: expected ", celled, " cells for ", size, " codes, got ", cells.size());
    for (const std::uint32_t cell : cells) require(cell < count, "rows: expected cells below ", count, ", got ", cell);
    return rows_->index_of({.cells = std::move(cells), .codes = codes.rows.values(), .bias = std::move(codes.bias)});
}

std::vector<std::vector<std::uint32_t>> RowModel::visited(MatrixView<float> queries, const SearchParameters& parameters,
                                                          const Execution& execution) const {
    constexpr std::size_t kGroup = 64;  // queries whose cells are scored together
    const InvertedIndex* inverted = rows_->empty().inverted();
    require(inverted, "rows: the model has no cells, so a search looks at all rows");
    require(parameters.candidates == 0,
            "rows: candidates count vectors of one index, which are not known here; use probes");
    check_reach("rows", parameters, inverted->model());
    require(queries.columns() == model().dimensions(), "rows: expected queries of ", model().dimensions(),
            " dimensions, got ", queries.columns());
    require_finite(queries, "rows");
    const Matrix<float> scaled = metric() == Metric::cosine ? of_unit_length(queries, "rows") : Matrix<float>();
    if (!scaled.empty()) queries = scaled.view();
    const ProbeLimit limit = ProbeLimit::of(rows_->empty().resolved(parameters, 1));
    const ListParts lists(*IndexParts::lists(*inverted));
    std::vector<std::vector<std::uint32_t>> result(queries.rows());
    parallel_for(execution, (queries.rows() + kGroup - 1) / kGroup, [&](std::size_t group) {
        const std::size_t first = group * kGroup, count = std::min(kGroup, queries.rows() - first);
        const CellScores scores("rows", IndexParts::cells(*inverted), lists, queries.slice(first, count), first, limit);
        for (std::size_t q = 0; q < count; ++q)
            for (const Probe& probe : scores.nearest(q)) result[first + q].push_back(probe.cell);
    });
    return result;
}

std::vector<float> exact_scores(Metric metric, std::span<const float> query, MatrixView<float> vectors) {
    require(query.size() == vectors.columns(), "rows: expected vectors of ", query.size(),
            " dimensions as the query has, got ", vectors.columns());
    const MatrixView<float> asked(query.data(), 1, query.size());
    const bool scaled = metric == Metric::cosine;
    const Matrix<float> own = scaled ? of_unit_length(asked, "rows") : Matrix<float>();
    const Matrix<float> unit = scaled ? of_unit_length(vectors, "rows") : Matrix<float>();
    const float* values = scaled ? unit.data() : vectors.data();
    const RefineRows held{.rows = std::as_bytes(std::span(values, vectors.rows() * vectors.columns()))};
    RowScores score(held, metric, vectors.columns());
    score.set_query(scaled ? own.data() : query.data());
    std::vector<float> scores(vectors.rows());
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = score(i);
    return scores;
}

}  // namespace summand
