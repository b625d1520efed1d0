// Finds the cells near queries in a partition of two levels. Only the cells of the nearest groups are scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/cell_order.h"
#include "model/word_panels.h"
#include "summand/metric.h"
#include "summand/partition.h"

namespace summand {

class GroupedCells {
public:
    /// `metric`: distances or inner products. The partition has groups.
    GroupedCells(const Partition& partition, Metric metric);

    /// Cells with their scores for each query, in no order: all cells of the nearest groups, several of them at least,
    /// that hold many times as many cells, or vectors, as the limit asks for. Throws `Error` that begins with `what`
    /// for a query whose scores overflow, the first query being row `first_row`.
    std::vector<ScoredCells> near(const char* what, MatrixView<float> queries, std::size_t first_row,
                                  const ListParts& lists, const ProbeLimit& limit) const;

private:
    // Some words as queries are compared with them.
    class ScoredWords {
    public:
        ScoredWords(MatrixView<float> words, const float* offsets, float factor);

        std::size_t stride() const { return offsets_.size(); }
        /// Rows of `stride()` scores; whether all are finite.
        bool score(MatrixView<float> queries, float* scores) const;

    private:
        std::vector<float> offsets_;  // one per word, zeros up to a multiple of 16
        WordPanels panels_;
        float factor_;
    };

    static ScoredWords scored(MatrixView<float> words, const float* offsets, Metric metric);
    std::vector<std::uint32_t> nearest_groups(const float* scores, const ListParts& lists,
                                              const ProbeLimit& limit) const;
    std::size_t cells_of(std::size_t group) const { return begin_[group + 1] - begin_[group]; }

    std::vector<std::uint64_t> begin_;
    ScoredWords groups_;              // their centres
    std::vector<ScoredWords> cells_;  // of each group
};

}  // namespace summand
