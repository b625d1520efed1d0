// Exhaustive search over compact codes: every code is scored with M look-ups, exactly. A part of `Index`, for those who
// make codes themselves.
//
//     FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
//     Neighbors found = index.search(queries.view(), {.k = 100});
#pragma once

#include <cstddef>
#include <memory>

#include "summand/codes.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/quantizer.h"
#include "summand/search.h"

namespace summand {

class PackedCodes;
class TableBuilder;

/// Does not change once it is made: any number of threads may search it at once, and copies share the codes.
class FlatIndex {
public:
    FlatIndex(Quantizer quantizer, const Codes& codes, Metric metric);

    std::size_t size() const;
    Metric metric() const { return metric_; }
    const Quantizer& quantizer() const { return *quantizer_; }

    /// The same ids and scores for every instruction set, thread count and batch size. Throws `Error` for options about
    /// cells or a second layer, which it does not have.
    Neighbors search(MatrixView<float> queries, const SearchOptions& options = {}) const;

    /// Every id with a score below `radius` (squared for euclidean); `options.k` is not used.
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options = {}) const;

    Codes codes() const;
    std::size_t memory_bytes() const;  ///< of the codes as they are held

private:
    friend struct IndexParts;
    FlatIndex(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric);
    FlatIndex(const FlatIndex& like, std::shared_ptr<const PackedCodes> packed);  // other codes, the same tables

    std::shared_ptr<const Quantizer> quantizer_;
    std::shared_ptr<const PackedCodes> packed_;
    Metric metric_;
    std::shared_ptr<const TableBuilder> tables_;
};

}  // namespace summand
