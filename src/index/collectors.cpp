#include "index/collectors.h"

namespace summand {
namespace {

// The rank-th smallest value, counted from 1.
float smallest(std::vector<float>& values, std::size_t rank) {
    if (rank * 8 >= values.size()) return kernels().scan.ranked(values.data(), values.size(), rank);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::partial_sort(values.begin(), last, values.end());  // one pass with a small heap
    return *(last - 1);
}

}  // namespace

void Nearest::guess(std::vector<float> sample, double fraction) {
    const std::size_t rank = likely_rank(fraction);
    if (rank >= sample.size()) return;
    guessed_ = {smallest(sample, std::min(rank, k_)), kLastId};
    top_ = TopK(k_, guessed_);
}

Neighbors neighbors_of(std::vector<Nearest> collectors, std::size_t columns) {
    Neighbors found{{collectors.size(), columns, kNoId},
                    {collectors.size(), columns, std::numeric_limits<float>::infinity()}};
    for (std::size_t i = 0; i < collectors.size(); ++i) {
        const std::vector<Neighbor> entries = collectors[i].take();
        for (std::size_t j = 0; j < entries.size(); ++j) {
            found.ids[i][j] = entries[j].id;
            found.scores[i][j] = entries[j].score;
        }
    }
    return found;
}

RangeNeighbors neighbors_of(std::vector<Within> collectors) {
    RangeNeighbors found{{0}, {}};
    for (Within& within : collectors) {
        const std::vector<Neighbor> entries = within.take();
        found.entries.insert(found.entries.end(), entries.begin(), entries.end());
        found.begin.push_back(found.entries.size());
    }
    return found;
}

}  // namespace summand
