// The tables of many queries. What they need of the quantizer is transposed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/sparse_rows.h"
#include "model/word_panels.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/quantizer.h"

namespace summand {

/// Entry m·slots + s of a query's tables belongs to word words[m·slots + s] of dictionary m.
struct SlotOrder {
    std::size_t slots = 0;                ///< per dictionary, a multiple of 16
    std::span<const std::uint8_t> words;  ///< M × slots
};

class TableBuilder {
public:
    /// Throws `Error` where the metric is cosine and the quantizer was not trained for it.
    TableBuilder(const Quantizer& quantizer, Metric metric, SlotOrder order);

    std::size_t entries() const { return word_offsets_.size(); }  ///< M × slots, of one query

    /// Throws `Error` that begins with `what` for a wrong dimension and for a row that is not finite or has no
    /// direction (cosine).
    void check(const char* what, MatrixView<float> queries) const;

    /// Writes `entries()` floats and one offset per checked query. Throws `Error` for one that makes the tables
    /// overflow, the first query being row `first_row`.
    void build(const char* what, MatrixView<float> queries, std::size_t first_row, float* entries,
               float* offsets) const;

private:
    void add_dense(const Dictionaries& dictionaries, SlotOrder order);
    void add_sparse(const Dictionaries& dictionaries, SlotOrder order);
    void sparse_products(const Matrix<float>& queries, float* entries) const;
    Matrix<float> moved(const Matrix<float>& queries) const;
    void write_offsets(const Matrix<float>& queries, const Matrix<float>& moved_queries, float* offsets) const;

    Metric metric_;
    std::size_t slots_;
    std::vector<float> centre_;
    std::size_t rotation_stride_;      // D rounded up to a multiple of 16
    std::vector<float> rotation_;      // transposed, D × rotation_stride_; empty for the identity
    WordPanels panels_;                // in the dimensions where words are not zero
    SparseRows sparse_;                // entry after entry; used instead of the panels where it is not empty
    std::vector<float> signs_;         // binary queries: what a sign of each dimension stands for; else empty
    std::vector<float> word_offsets_;  // M × slots; zeros where the metric has none
};

}  // namespace summand
