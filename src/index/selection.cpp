#include "index/selection.h"

#include <bit>

#include "kernels/scan.h"

namespace summand {
namespace {

constexpr std::size_t kFew = 2;  // vectors of a block that cost less one by one than the scan of it

}  // namespace

Selection::Selection(std::size_t vectors, const IdFilter* filter)
    : filter_(filter),
      whole_words_(vectors / kWordVectors),
      last_word_((std::uint64_t{1} << (vectors % kWordVectors)) - 1) {
    const std::size_t blocks = (vectors + kBlockVectors - 1) / kBlockVectors;
    if (filter_) {
        for (std::size_t b = 0; b < blocks; ++b) add_block(b);
    } else if (blocks > 0) {
        runs_.push_back({0, blocks});
        kept_ = vectors;
    }
}

void Selection::add_block(std::size_t block) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < kBlockWords; ++w)
        count += static_cast<std::size_t>(std::popcount(word(block * kBlockWords + w)));
    kept_ += count;
    if (count > kFew) {
        if (!runs_.empty() && runs_.back().last == block)
            ++runs_.back().last;
        else
            runs_.push_back({block, block + 1});
    } else if (count > 0) {
        for (std::size_t w = block * kBlockWords; w < (block + 1) * kBlockWords; ++w)
            for (std::uint64_t mask = word(w); mask != 0; mask &= mask - 1)
                singles_.push_back(w * kWordVectors + static_cast<std::size_t>(std::countr_zero(mask)));
    }
}

}  // namespace summand
