#include "index/collectors.h"

namespace summand {

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
