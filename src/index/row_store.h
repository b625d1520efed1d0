// Vectors on their way into an index that holds them (Refine(fp32), fp16, sq8, u8): a pass over all of them that
// refuses what the format cannot hold, and a pass that stores them, each in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/aligned.h"
#include "summand/index.h"

namespace summand {

/// The first pass.
class RowRanges {
public:
    RowRanges(RowFormat format, Metric metric, std::size_t dimensions);

    /// Throws `Error` for a value that the format cannot hold; the first of the vectors is row `first_row`.
    void add(MatrixView<float> vectors, std::size_t first_row);

    /// Of sq8, else empty: the smallest value of each dimension, then the step of each, of which 255 reach the largest.
    std::vector<float> finish() const;

private:
    void widen(MatrixView<float> vectors);

    RowFormat format_;
    Metric metric_;
    std::vector<float> smallest_, largest_;  // empty before the first vector
};

/// The second one.
class RowStore {
public:
    /// Throws `Error` where the ids of the index are not those from 0 to n - 1.
    RowStore(const Index& index, RowFormat format, std::vector<float> ranges);

    /// Vectors in the order of their ids.
    RowStore(RowFormat format, Metric metric, std::size_t dimensions, std::size_t size);

    /// Those with the ids from `first_id` on.
    void add(MatrixView<float> vectors, std::size_t first_id);

    RefineRows finish() &&;

private:
    void write(const float* vector, std::byte* row) const;

    RowFormat format_;
    Metric metric_;
    std::size_t dimensions_, row_bytes_;
    std::vector<std::uint32_t> positions_;  // of ids; empty: the same
    std::vector<float> ranges_;
    AlignedBuffer<std::byte> rows_;
};

}  // namespace summand
