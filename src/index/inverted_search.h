// The search of lists of cells, in one part or many.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "index/cell_tables.h"
#include "index/list_parts.h"
#include "model/lookup.h"
#include "summand/inverted_index.h"

namespace summand {

/// What all parts share.
struct InvertedTables {
    const InvertedModel& model;
    const TableBuilder& queries;
    const CellTables& cells;
};

/// What becomes of the candidates of each query and their scores; called from several threads, once for each row.
using TakeCandidates =
    std::function<void(std::size_t row, std::span<std::int64_t> candidates, std::span<const float> scores)>;

/// The `options.k` best of each query in the visited lists of all parts. `options.filter` is not used here and below:
/// parts have their own.
Neighbors search_lists(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
                       const SearchOptions& options);

/// All below `radius`.
RangeNeighbors search_lists(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
                            float radius, const SearchOptions& options, Naming naming);

/// The `options.k` best for a second layer.
void shortlist(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
               const SearchOptions& options, Naming naming, const TakeCandidates& take);

}  // namespace summand
