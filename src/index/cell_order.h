// The cells nearest to a query, best first. Cells of one dictionary are selected; cells of two come from the
// multi-sequence algorithm, which walks over the pairs of two sorted lists and keeps a heap of the pairs that may come
// next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/inverted_lists.h"

namespace summand {

struct Probe {
    std::uint32_t cell;
    float score;  ///< without |q|²

    /// Better scores first, equal ones by the smaller cell.
    friend bool operator<(const Probe& a, const Probe& b) {
        return a.score < b.score || (a.score == b.score && a.cell < b.cell);
    }
    friend bool operator==(const Probe&, const Probe&) = default;
};

/// Where the walk ends: after `probes` cells, or once the lists of the cells hold `candidates` vectors.
struct ProbeLimit {
    std::size_t probes = 0;
    std::size_t candidates = 0;  ///< 0: by the number of cells
};

/// Scores of the words of one query, dictionary i from scores + i·stride on.
struct WordScores {
    const float* scores;
    std::size_t count, words, stride;
};

std::vector<Probe> nearest_cells(const WordScores& words, const InvertedLists& lists, const ProbeLimit& limit);

/// Some cells, and their scores.
struct ScoredCells {
    std::vector<std::uint32_t> cells = {};
    std::vector<float> scores = {};
};
std::vector<Probe> nearest_cells(const ScoredCells& some, const InvertedLists& lists, const ProbeLimit& limit);

}  // namespace summand
