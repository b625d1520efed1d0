// Few entries in order of their scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"

namespace summand {

/// Sorts up to a few hundred entries with a `score` by counting for each how many scores are smaller, which has no
/// branches to mispredict; more, as usual. `<` says what comes first among equal scores.
template <class Entry>
std::vector<Entry> sorted(std::vector<Entry> entries) {
    constexpr std::size_t kMostRanked = 512;  // with more, sorting is faster than comparing all with all
    if (entries.size() > kMostRanked) {
        std::sort(entries.begin(), entries.end());
        return entries;
    }
    float scores[kMostRanked];
    std::int32_t ranks[kMostRanked];
    for (std::size_t i = 0; i < entries.size(); ++i) scores[i] = entries[i].score;
    kernels().scan.ranks(scores, entries.size(), ranks);
    std::vector<Entry> result(entries.size());
    std::uint16_t equal[kMostRanked] = {};  // how many have the rank so far
    bool all_differ = true;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto rank = static_cast<std::size_t>(ranks[i]);
        all_differ &= equal[rank] == 0;
        result[rank + equal[rank]++] = entries[i];
    }
    if (!all_differ)
        for (std::size_t rank = 0; rank < result.size(); rank += equal[rank]) {
            const auto first = result.begin() + static_cast<std::ptrdiff_t>(rank);
            std::sort(first, first + equal[rank]);
        }
    return result;
}

}  // namespace summand
