// Exhaustive search over compact codes: every code is scored with M look-ups, exactly.
//
//     FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
//     Neighbors found = index.search(queries.view(), {.k = 100});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/neighbors.h"
#include "summand/quantizer.h"

namespace summand {

/// The ids a search may return: row numbers of the base, or what an inverted index was given as ids, up to 2^63 - 1. A
/// range is kept as its ends, a list as sorted ids, or as a bitmap where that is about as small.
class IdFilter {
public:
    static IdFilter range(std::int64_t first, std::int64_t last);  ///< first <= id < last
    static IdFilter list(std::span<const std::int64_t> ids);       ///< any order
    static IdFilter bitmap(std::span<const std::uint8_t> bits);    ///< bit id%8 of byte id/8
    static IdFilter where(std::size_t size, const std::function<bool(std::int64_t)>& keeps);  ///< asked for id < size

    bool keeps(std::int64_t id) const;

    /// Bit i%64 of word i/64 says whether id i is kept, for ids below `size`; those past the last word are not.
    /// `room` holds the words where the filter is no bitmap.
    std::span<const std::uint64_t> words(std::size_t size, std::vector<std::uint64_t>& room) const;

    std::size_t memory_bytes() const;

private:
    struct Range {
        std::int64_t first, last;
    };
    using List = std::vector<std::int64_t>;  // ascending, each once
    using Bitmap = std::vector<std::uint64_t>;

    explicit IdFilter(std::variant<Range, List, Bitmap> ids) : ids_(std::move(ids)) {}

    std::variant<Range, List, Bitmap> ids_;
};

struct SearchOptions {
    std::size_t k = 10;
    const IdFilter* filter = nullptr;  ///< borrowed; null keeps all
    Execution execution = {};
};

/// All neighbours within a radius; those of query i are entries[begin[i]] … entries[begin[i+1]-1], best first.
struct RangeNeighbors {
    std::vector<std::size_t> begin = {};
    std::vector<Neighbor> entries = {};
};

class PackedCodes;
class TableBuilder;

class FlatIndex {
public:
    FlatIndex(Quantizer quantizer, const Codes& codes, Metric metric);
    FlatIndex(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric);

    std::size_t size() const;
    Metric metric() const { return metric_; }
    const Quantizer& quantizer() const { return quantizer_; }

    /// The same ids and scores for every instruction set, thread count and batch size.
    Neighbors search(MatrixView<float> queries, const SearchOptions& options = {}) const;

    /// Every id with a score below `radius` (squared for euclidean); `options.k` is not used.
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options = {}) const;

    Codes codes() const;
    std::size_t memory_bytes() const;  ///< of the codes as they are held
    const std::shared_ptr<const PackedCodes>& packed() const { return packed_; }

private:
    Quantizer quantizer_;
    std::shared_ptr<const PackedCodes> packed_;
    Metric metric_;
    std::shared_ptr<const TableBuilder> tables_;
};

}  // namespace summand
