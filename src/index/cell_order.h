// The cells nearest to a query, best first. Cells of one dictionary are selected; cells of two come from the
// multi-sequence algorithm, which walks over the pairs of two sorted lists and keeps a heap of the pairs that may come
// next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/list_parts.h"
#include "summand/search.h"

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

/// Where the walk ends: after `probes` cells, or once the lists of the cells hold `candidates` vectors, or before the
/// first cell out of reach.
struct ProbeLimit {
    std::size_t probes = 0;      ///< 0: no limit, where there is another one
    std::size_t candidates = 0;  ///< 0: by the number of cells
    float reach = 0;             ///< as in SearchParameters; 0: any cell

    static ProbeLimit of(const SearchParameters& given) { return {given.probes, given.candidates, given.reach}; }
};

/// Scores of the words of one query, dictionary i from scores + i·stride on.
struct WordScores {
    const float* scores;
    std::size_t count, words, stride;
};

/// `square`: |q|², what scores lack of squared distances; used for reach.
std::vector<Probe> nearest_cells(const WordScores& words, const ListParts& lists, const ProbeLimit& limit,
                                 float square = 0);

/// Some cells, and their scores.
struct ScoredCells {
    std::vector<std::uint32_t> cells = {};
    std::vector<float> scores = {};
};
std::vector<Probe> nearest_cells(const ScoredCells& some, const ListParts& lists, const ProbeLimit& limit);

}  // namespace summand
