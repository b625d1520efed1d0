#include "index/inverted_lists.h"

#include <algorithm>
#include <limits>

#include "summand/error.h"

namespace summand {

InvertedLists::InvertedLists(Parts parts) : parts_(std::move(parts)) {
    constexpr auto kLargestId = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    require(parts_.begin.size() >= 2, "index: expected the lists of at least one cell, got none");
    require(parts_.begin.front() == 0 && parts_.begin.back() == size(), "index: expected lists of ", size(),
            " vectors, got ", parts_.begin.back() - parts_.begin.front());
    for (std::size_t c = 0; c < cells(); ++c)
        require(parts_.begin[c] <= parts_.begin[c + 1], "index: the list of cell ", c, " ends before it begins");
    require(packed().size() == size(), "index: expected codes of ", size(), " vectors, got ", packed().size());
    for (std::size_t i = 0; !packed().parts().checks && i < size(); ++i)
        require(parts_.ids[i] <= kLargestId, "index: expected ids below 2^63, got ", parts_.ids[i]);
}

std::size_t InvertedLists::cell_of(std::size_t position) const {
    const auto after = std::upper_bound(parts_.begin.begin(), parts_.begin.end(), std::uint64_t{position});
    return static_cast<std::size_t>(after - parts_.begin.begin()) - 1;
}

std::vector<std::uint32_t> positions_of(const InvertedLists& lists) {
    constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
    require(lists.size() < kNowhere, "index: a second layer takes fewer than ", kNowhere, " vectors, got ",
            lists.size());
    lists.packed().require_sound();
    std::vector<std::uint32_t> positions(lists.size(), kNowhere);
    for (std::size_t position = 0; position < lists.size(); ++position) {
        const auto id = static_cast<std::uint64_t>(lists.id(position));
        require(id < positions.size() && positions[id] == kNowhere, "index: a second layer needs the ids from 0 to ",
                positions.size() - 1, ", each once; the index has id ", id, id < positions.size() ? " twice" : "");
        positions[id] = static_cast<std::uint32_t>(position);
    }
    return positions;
}

}  // namespace summand
