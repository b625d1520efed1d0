// A model for those who keep the codes of vectors themselves, as the rows of a table: a Parquet file, a database.
//
//     const RowModel model(train_index(learn.view(), "IVF256,LOCQ8"));
//     CellCodes rows = model.encode(vectors.view());               // to keep: a cell, a code and perhaps a bias each
//     const Index index = model.index_of(std::move(rows));         // of any of them, at any time
//     Neighbors found = index.search(queries.view(), {.k = 10, .probes = 16});
//
// Any subset of the rows makes an index, and the k best of the answers of several such indexes are those of the index
// of all rows, bit for bit. `visited` says which cells a search looks at: rows of other cells may be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summand/index.h"
#include "summand/index_model.h"
#include "summand/inverted_index.h"
#include "summand/matrix.h"
#include "summand/metric.h"

namespace summand {

class StoreModel;

/// Does not change once it is made: any number of threads may use it at once. Copies and all indexes that it makes
/// share its tables.
class RowModel {
public:
    /// `metric`: empty is that of the model, or euclidean. `seed`: of the encoder. Throws `Error` for a model with a
    /// second layer, whose codes are no part of such rows.
    explicit RowModel(IndexModel model, std::optional<Metric> metric = {}, std::uint64_t seed = 1);

    /// From the bytes of a model's file, with cells or without; `name` begins messages.
    static RowModel from_bytes(std::span<const std::byte> bytes, std::optional<Metric> metric = {},
                               std::uint64_t seed = 1, std::string_view name = "memory");
    std::vector<std::byte> to_bytes() const;

    const IndexModel& model() const;
    Metric metric() const;
    std::uint64_t seed() const;

    std::string spec() const;

    /// Hash of all that gives rows their meaning: words, cells and metric.
    std::uint64_t identity() const;

    /// The row of a vector depends on the model, the seed and that vector alone. Without cells `cells` is empty.
    CellCodes encode(MatrixView<float> vectors, const Execution& execution = {}) const;

    /// An index in which row i has the id i. Throws `Error` for rows that the model cannot have made.
    Index index_of(CellCodes rows) const;

    /// The cells that a search for each query visits, the nearest first. Throws `Error` where there are no cells, and
    /// for `candidates`, which count vectors that are not here.
    std::vector<std::vector<std::uint32_t>> visited(MatrixView<float> queries, const SearchParameters& parameters,
                                                    const Execution& execution = {}) const;

private:
    std::shared_ptr<const StoreModel> rows_;
};

/// The scores of vectors for a query as a second layer of Refine(fp32) gives them, with the same bits.
std::vector<float> exact_scores(Metric metric, std::span<const float> query, MatrixView<float> vectors);

}  // namespace summand
