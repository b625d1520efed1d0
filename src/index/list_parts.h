// Lists that are scanned as one: those of an index, or of all segments of a folder. A vector is named by its id, or by
// its place, where positions are counted through all parts:
//
//     | part 0: positions 0 … n0-1 | part 1: n0 … | … |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/inverted_lists.h"
#include "summand/search.h"

namespace summand {

struct ListPart {
    const InvertedLists& lists;
    const IdFilter* filter = nullptr;  ///< of what the lists call ids; borrowed, null keeps all
    std::optional<RowIds> ids = {};    ///< what answers call the rows that the lists hold; none: the lists' ids
    std::size_t first_place = 0;       ///< set by `ListParts`

    std::int64_t id(std::size_t position) const {
        const std::int64_t own = lists.id(position);
        return ids ? (*ids)[static_cast<std::size_t>(own)] : own;
    }
};

class ListParts {
public:
    /// At least one, all of one model.
    explicit ListParts(std::vector<ListPart> parts);
    explicit ListParts(const InvertedLists& lists, const IdFilter* filter = nullptr);

    const std::vector<ListPart>& all() const { return parts_; }
    std::size_t size() const { return size_; }

    /// Vectors in the lists of the cells first … last-1.
    std::size_t length(std::size_t first, std::size_t last) const;
    std::size_t length(std::size_t cell) const { return length(cell, cell + 1); }

    struct Place {
        std::size_t part, position;
    };
    Place place(std::size_t number) const;

    /// Whether one index of all these vectors would have the first of the two places before the second: by cell, then
    /// by id.
    bool is_before(std::size_t first, std::size_t second) const;

private:
    std::vector<ListPart> parts_;
    std::size_t size_ = 0;
};

}  // namespace summand
