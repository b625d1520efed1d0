#include "index/selection.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr std::size_t kFew = 2;     // vectors of a block that cost less one by one than the scan of it
constexpr std::size_t kShort = 16;  // blocks with few vectors that do not end a run
constexpr std::size_t kBlocksAtOnce = 64;

struct AllKept {
    std::uint64_t words[kBlocksAtOnce * kBlockWords];
    AllKept() { std::fill(std::begin(words), std::end(words), ~std::uint64_t{0}); }
};

}  // namespace

Selection::Selection(std::size_t vectors, const IdFilter* filter)
    : filtered_(filter != nullptr),
      bits_(filter ? filter->words(vectors, room_) : std::span<const std::uint64_t>()),
      whole_words_(vectors / kWordVectors),
      last_word_((std::uint64_t{1} << (vectors % kWordVectors)) - 1) {
    const std::size_t blocks = (vectors + kBlockVectors - 1) / kBlockVectors;
    if (filtered_) {
        for (std::size_t b = 0; b < blocks; b += kBlocksAtOnce) add_blocks(b, std::min(b + kBlocksAtOnce, blocks));
    } else if (blocks > 0) {
        runs_.push_back({0, blocks});
        kept_ = vectors;
    }
}

const std::uint64_t* Selection::words(std::size_t first, std::size_t count, std::uint64_t* buffer) const {
    static const AllKept all;
    const std::size_t present = std::min(whole_words_, filtered_ ? bits_.size() : whole_words_);
    if (first + count <= present) return filtered_ ? bits_.data() + first : all.words;
    assert(count <= std::size(all.words));
    for (std::size_t w = 0; w < count; ++w) buffer[w] = word(first + w);
    return buffer;
}

std::size_t Selection::kept_in(std::size_t first, std::size_t last) const {
    if (!filtered_) return (last - first) * kBlockVectors;
    const auto begin = counts_.begin();
    return std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                           std::size_t{0});
}

void Selection::add_blocks(std::size_t first, std::size_t last) {
    std::uint64_t buffer[kBlocksAtOnce * kBlockWords];
    std::uint16_t counts[kBlocksAtOnce];
    kernels().scan.count_bits(words(first * kBlockWords, (last - first) * kBlockWords, buffer), last - first, counts);
    for (std::size_t b = first; b < last; ++b) {
        const std::size_t count = counts[b - first];
        kept_ += count;
        counts_.push_back(counts[b - first]);
        if (count > kFew)
            add_run(b);
        else if (count > 0)
            add_singles(b);
    }
}

// Extends the last run if it ended only a few blocks before, and takes the single vectors in between into it.
void Selection::add_run(std::size_t block) {
    if (runs_.empty() || block - runs_.back().last > kShort) {
        runs_.push_back({block, block + 1});
        return;
    }
    while (!singles_.empty() && singles_.back() >= runs_.back().last * kBlockVectors) singles_.pop_back();
    runs_.back().last = block + 1;
}

void Selection::add_singles(std::size_t block) {
    for (std::size_t w = block * kBlockWords; w < (block + 1) * kBlockWords; ++w)
        for (std::uint64_t mask = word(w); mask != 0; mask &= mask - 1)
            singles_.push_back(w * kWordVectors + static_cast<std::size_t>(std::countr_zero(mask)));
}

}  // namespace summand
