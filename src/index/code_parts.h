// Packed codes that are scanned as one: those of an index, or of all segments of a folder. Their blocks are counted
// through all parts.
//
//     | part 0: blocks 0 … | part 1: its first block … | … |
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "index/packed_codes.h"
#include "index/selection.h"
#include "summand/search.h"

namespace summand {

/// What a part is made of. The filter is of rows and borrowed; null keeps all.
struct PartOfCodes {
    const PackedCodes& codes;
    RowIds ids;
    const IdFilter* filter;
};

class CodeParts {
public:
    struct Part {
        const PackedCodes& codes;
        RowIds ids;
        Selection selection;
        std::size_t first_block;

        Part(const PartOfCodes& part, std::size_t first)
            : codes(part.codes), ids(part.ids), selection(part.codes.size(), part.filter), first_block(first) {}

        std::size_t first_word() const { return first_block * kBlockWords; }
        std::size_t words() const { return (codes.size() + kWordVectors - 1) / kWordVectors; }
    };

    /// Some blocks of a part, counted from its own first one.
    struct Stretch {
        const Part* part;
        std::size_t first, last;
    };

    /// All of one model.
    explicit CodeParts(std::span<const PartOfCodes> parts);

    const std::deque<Part>& all() const { return parts_; }
    std::size_t blocks() const { return blocks_; }
    std::size_t kept() const { return kept_; }  ///< vectors that filters keep
    bool filtered() const;
    std::size_t words() const;  ///< of 64 vectors, or of the last of a part
    std::size_t code_bytes() const;

    /// Call before a scan. Throws `Error` where codes are damaged.
    void require_sound(const Execution& execution) const {
        for (const Part& part : parts_) part.codes.require_sound(execution);
    }

    /// What is scanned as a whole among the blocks first … last-1.
    std::vector<Stretch> runs(std::size_t first, std::size_t last) const;

    /// Whether runs are whole parts or pieces of them, not scattered over them.
    bool has_one_run_each() const;

private:
    std::deque<Part> parts_;
    std::size_t blocks_ = 0, kept_ = 0;
};

/// Stretches that are in the cache together. Short ones share a tile, so that they cost a query little.
using Tile = std::vector<CodeParts::Stretch>;

/// The order in which blocks are scanned: pass after pass, between which limits are tightened, and single vectors last.
struct ScanOrder {
    std::vector<std::vector<Tile>> passes = {};
    std::vector<std::pair<const CodeParts::Part*, std::size_t>> singles = {};
};

/// One pass over the blocks first … last-1.
ScanOrder plain_order(const CodeParts& parts, std::size_t first, std::size_t last, std::size_t tile_blocks);

/// Cuts the blocks into stretches. The beginnings of every eighth stretch come first if stretches are long, then the
/// rest of those stretches, and then all others. One pass where few vectors are scattered over the blocks.
ScanOrder spread_order(const CodeParts& parts, std::size_t first, std::size_t last, std::size_t tile_blocks);

std::size_t block_count(const Tile& tile);

}  // namespace summand
