// What searching cells needs beside the queries, in the words of the partition:
//
//     scores of words     distances  word_offset[i][k] - 2 q·c[i][k]        else  -q·c[i][k]
//     coarse–fine tables  2 (R c[i][k])·r[m][s]       M × slots for each word, for distances and codes of residuals
//     shifts              2 c[i][k]·centre            the same for the centre of the quantizer
//
// If the two words of a cell are not orthogonal, shifts also contain the part of |c|² that the offsets leave out.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/aligned.h"
#include "index/cell_order.h"
#include "index/grouped_cells.h"
#include "model/lookup.h"
#include "summand/inverted_index.h"

namespace summand {

/// Cosine is the distance of vectors that are scaled before anything else happens to them.
inline Metric inner_metric(Metric metric) { return is_distance(metric) ? Metric::euclidean : Metric::inner_product; }

/// Throws `Error` for a reach that is no factor, or that the cells have no use for.
void check_reach(const char* what, const SearchParameters& asked, const InvertedModel& model);

class CellTables {
public:
    /// `order`: of the packed codes.
    CellTables(const InvertedModel& model, SlotOrder order);

    /// Whether each cell has tables of its own.
    bool per_cell() const { return entries_ > 0; }

    /// Scores of all words of one query, or 0 where cells are chosen by groups.
    std::size_t scores() const { return grouped_ ? 0 : count_ * stride_; }

    /// The tables of a cell: one, or two to be added.
    struct Tables {
        const float* first;
        const float* second;  ///< null for one dictionary
    };
    Tables tables(std::size_t cell) const;
    float shift(const Partition& partition, std::size_t cell) const;

    std::size_t memory_bytes() const { return tables_.size() * sizeof(float); }

private:
    friend class CellScores;

    void add_fine_tables(const InvertedModel& model, SlotOrder order);

    std::size_t count_, words_, stride_;  // dictionaries, words of each, and those with the last piece filled up
    std::optional<TableBuilder> words_of_queries_;
    std::optional<GroupedCells> grouped_;  // instead of them, where the partition has groups
    std::size_t entries_ = 0;              // M × slots; 0 without tables
    AlignedBuffer<float> tables_;
    std::vector<float> shifts_;
};

/// Says which cells are nearest to some queries. A thread may have one such object at a time.
class CellScores {
public:
    /// Throws `Error` that begins with `what` for a query whose scores overflow, the first query being row `first_row`.
    CellScores(const char* what, const CellTables& cells, const ListParts& lists, MatrixView<float> queries,
               std::size_t first_row, const ProbeLimit& limit);

    /// Best first.
    std::vector<Probe> nearest(std::size_t query) const;

private:
    const CellTables& cells_;
    const ListParts& lists_;
    ProbeLimit limit_;
    float* scores_ = nullptr;        // of all words
    std::vector<ScoredCells> near_;  // or of the cells of some groups
    std::vector<float> squares_;     // |q|² of each query, for reach
};

}  // namespace summand
