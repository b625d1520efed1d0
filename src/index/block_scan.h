// Blocks of packed codes against the 8-bit bounds of one query.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "index/query_bounds.h"
#include "kernels/kernels.h"

namespace summand {

inline constexpr std::size_t kChunkBlocks = 8;  ///< between updates of the limit
inline constexpr std::size_t kFirstBlocks = 3;  ///< while there is no limit: all their vectors are scored, at a price
inline constexpr std::size_t kChunkWords = kChunkBlocks * kBlockWords;

/// Words of some blocks with vectors that may score up to a limit, counted from the first block.
struct Survivors {
    CodeRows codes;      ///< of the first block
    std::size_t vector;  ///< the first of that block
    std::span<SurvivorWord> words;
};

/// Lists all vectors that may be answers, for a scan that has no limit yet.
inline std::size_t all_words(const std::uint64_t* kept, std::size_t words, SurvivorWord* out) {
    std::size_t found = 0;
    for (std::size_t w = 0; w < words; ++w)
        if (kept[w] != 0) out[found++] = {kept[w], w};
    return found;
}

/// Calls survived(survivors) for the blocks first … last-1, a few blocks at a time. `codes` are those of block `first`.
/// limit() is asked before each call: the first few blocks are scored whole, and their scores give a limit for the
/// rest. kept(first_word, count, buffer) gives the bits of the vectors that may be answers.
template <class Limit, class Kept, class Survived>
void scan_blocks(const CodeRows& codes, QueryBounds& bounds, std::size_t first, std::size_t last, Limit limit,
                 Kept kept, Survived survived) {
    SurvivorWord survivors[kChunkWords + 1];
    std::uint64_t buffer[kChunkWords];
    std::size_t blocks = 0;
    for (std::size_t b = first; b < last; b += blocks) {
        const float wanted = limit();
        if (!bounds.set_limit(wanted)) return;
        const bool limited = wanted < std::numeric_limits<float>::max();
        blocks = std::min(limited || bounds.pairs() ? kChunkBlocks : kFirstBlocks, last - b);
        const std::uint64_t* words = kept(b * kBlockWords, blocks * kBlockWords, buffer);
        std::size_t found = 0;
        if (limited) {
            const SurvivorCount count =
                kernels().scan.survivors(bounds.tables(), codes.block(b - first), blocks, words, survivors);
            bounds.choose_first_look(count, blocks);
            found = count.words;
        } else {
            found = all_words(words, blocks * kBlockWords, survivors);
        }
        if (found > 0) survived(Survivors{codes.block(b - first), b * kBlockVectors, {survivors, found}});
    }
}

}  // namespace summand
