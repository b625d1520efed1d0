// The search of codes without cells, in one part or many.
#pragma once

#include "index/code_parts.h"
#include "model/lookup.h"
#include "summand/search.h"

namespace summand {

/// The `options.k` best of each query among all parts. `options.filter` is not used: parts have their own.
Neighbors search_codes(const TableBuilder& tables, const CodeParts& parts, MatrixView<float> queries,
                       const SearchOptions& options);

/// All below `radius`.
RangeNeighbors search_codes(const TableBuilder& tables, const CodeParts& parts, MatrixView<float> queries, float radius,
                            const SearchOptions& options);

}  // namespace summand
