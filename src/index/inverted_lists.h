// Packed codes in the order of cells, and the id of each:
//
//     packed:  | vectors of cell 0 | of cell 1 | … |        list of cell c: positions begin[c] … begin[c+1]-1
//     ids:     | id, id, …         | …             |        ascending within a list
//
// Lists follow each other without gaps, so a block of 512 may hold the end of one list and the beginning of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index/packed_codes.h"
#include "summand/inverted_index.h"

namespace summand {

/// What answers call a vector: by its id, or by its place in the lists, where it will be scored again; then answers
/// come in any order.
enum class Naming : std::uint8_t { ids, places };

class InvertedLists {
public:
    struct Parts {
        std::shared_ptr<const PackedCodes> packed;
        std::span<const std::uint64_t> begin;  ///< cells + 1
        std::span<const std::uint64_t> ids;    ///< one per position
        std::shared_ptr<const void> owner;
    };

    /// Throws `Error` where the parts do not fit together. Ids that are checked with their codes are not looked at.
    explicit InvertedLists(Parts parts);

    const Parts& parts() const { return parts_; }
    const PackedCodes& packed() const { return *parts_.packed; }
    std::size_t size() const { return parts_.ids.size(); }
    std::size_t cells() const { return parts_.begin.size() - 1; }
    std::size_t begin(std::size_t cell) const { return parts_.begin[cell]; }
    std::size_t end(std::size_t cell) const { return parts_.begin[cell + 1]; }
    std::size_t length(std::size_t cell) const { return end(cell) - begin(cell); }
    std::size_t cell_of(std::size_t position) const;

    /// Call before codes or ids of a list are used.
    void require_sound(std::size_t cell) const {
        packed().require_sound(begin(cell) / kBlockVectors, (end(cell) + kBlockVectors - 1) / kBlockVectors);
    }

    void fetch_id(std::size_t position) const { __builtin_prefetch(parts_.ids.data() + position); }
    std::int64_t id(std::size_t position) const { return static_cast<std::int64_t>(parts_.ids[position]); }

    std::size_t memory_bytes() const {
        return packed().memory_bytes() + (parts_.begin.size() + parts_.ids.size()) * sizeof(std::uint64_t);
    }

private:
    Parts parts_;
};

/// Lists of these vectors: those of a cell by id, equal ids in the order they come. `others` lends its slots; null:
/// they are found.
std::shared_ptr<const InvertedLists> listed(const InvertedModel& model, CellCodes encoded,
                                            std::vector<std::int64_t> ids, const PackedCodes* others = nullptr);

/// The position of each id. Throws `Error` unless the ids are those from 0 to n - 1, each once.
std::vector<std::uint32_t> positions_of(const InvertedLists& lists);

}  // namespace summand
