// What searching cells needs beside the queries, in the words of the partition:
//
//     scores of words     distances  word_offset[i][k] - 2 q·c[i][k]        else  -q·c[i][k]
//     coarse–fine tables  2 (R c[i][k])·r[m][s]       M × slots for each word, for distances and codes of residuals
//     shifts              2 c[i][k]·centre            the same for the centre of the quantizer
//
// Where the two words of a cell are not orthogonal, shifts also have what the offsets leave out of |c|².
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.h"
#include "model/lookup.h"
#include "summand/inverted.h"

namespace summand {

/// Cosine is the distance of vectors that are scaled before anything else happens to them.
inline Metric inner_metric(Metric metric) { return is_distance(metric) ? Metric::euclidean : Metric::inner_product; }

class CellTables {
public:
    /// `order`: of the packed codes.
    CellTables(const InvertedModel& model, SlotOrder order);

    /// Whether each cell has tables of its own.
    bool per_cell() const { return entries_ > 0; }

    std::size_t stride() const { return stride_; }           ///< from one dictionary's scores to the next
    std::size_t scores() const { return count_ * stride_; }  ///< of one query
    void build_scores(const char* what, MatrixView<float> queries, std::size_t first_row, float* scores) const;

    /// The tables of a cell: one, or two to be added.
    struct Tables {
        const float* first;
        const float* second;  ///< null for one dictionary
    };
    Tables tables(std::size_t cell) const;
    float shift(const Partition& partition, std::size_t cell) const;

    std::size_t memory_bytes() const { return tables_.size() * sizeof(float); }

private:
    void add_fine_tables(const InvertedModel& model, SlotOrder order);

    std::size_t count_, words_, stride_;
    TableBuilder words_of_queries_;
    std::size_t entries_ = 0;  // M × slots; 0 without tables
    AlignedBuffer<float> tables_;
    std::vector<float> shifts_;
};

}  // namespace summand
