// One query against packed codes. `Collector` decides what is kept: it takes entries by `offer` and has a `limit()`
// above which none is wanted.
//
// First, `seed` scores a few words of 64 vectors, spread over the array, in float; from them the collector guesses a
// limit that is probably enough. `scan` leaves those words out and scores what survives the 8-bit bounds. The result is
// exact: every entry up to the limit is offered once, with the score
//
//     (((table[0][code_0] + table[1][code_1]) + …) + bias) + offset
//
// and a collector that ends up `complete` needs no more. Otherwise the guess was too low, and all is done again
// without one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/packed_codes.h"
#include "index/query_bounds.h"
#include "index/selection.h"
#include "kernels/kernels.h"
#include "summand/neighbors.h"

namespace summand {

/// Words that are scored up front: the multiples of a power of two.
struct Seeds {
    std::size_t step;

    bool includes(std::size_t word) const { return (word & (step - 1)) == 0; }
};

inline constexpr Seeds kNoSeeds{std::size_t{1} << 62};  ///< but the first word

template <class Collector>
class QueryScan {
public:
    /// `entries`: M × slots floats that outlive the scan.
    QueryScan(const PackedCodes& codes, const Selection& selection, Seeds seeds, const float* entries, float offset,
              Collector collector)
        : codes_(codes),
          selection_(selection),
          seeds_(seeds),
          entries_(entries),
          offset_(offset),
          bounds_(codes, entries, offset),
          collector_(std::move(collector)) {}

    Collector& collector() { return collector_; }

    enum class Limit { guessed, safe };

    void seed(Limit limit) {
        std::vector<float> scores;
        for_each_seed([&](std::size_t word) {
            for_each_score(word, selection_.word(word), [&](std::size_t, float score) { scores.push_back(score); });
        });
        if (limit == Limit::guessed && seeds_.step > 1)
            collector_.guess(scores, static_cast<double>(scores.size()) / static_cast<double>(selection_.kept()));
        const float* score = scores.data();
        for_each_seed([&](std::size_t word) {
            for_each_bit(selection_.word(word), [&](std::size_t j) {
                collector_.offer({*score++, static_cast<std::int64_t>(word * kWordVectors + j)});
            });
        });
    }

    /// Blocks first … last-1, all of which have vectors that are selected.
    void scan(std::size_t first, std::size_t last) {
        if (seeds_.step == 1) return;
        SurvivorWord survivors[kChunkBlocks * kBlockWords + 1];
        std::uint64_t buffer[kChunkBlocks * kBlockWords];
        for (std::size_t b = first; b < last; b += kChunkBlocks) {
            if (!bounds_.set_limit(collector_.limit().score)) return;
            const std::size_t blocks = std::min(kChunkBlocks, last - b);
            const std::uint64_t* kept = selection_.words(b * kBlockWords, blocks * kBlockWords, buffer);
            const SurvivorCount count =
                kernels().scan.survivors(bounds_.tables(), codes_.block(b), blocks, kept, survivors);
            bounds_.learn(count, blocks);
            for (std::size_t i = 0; i < count.words; ++i)
                score_survivors(b * kBlockWords + survivors[i].word, survivors[i].mask);
        }
    }

    /// A vector by itself.
    void scan_single(std::size_t vector) {
        if (seeds_.includes(vector / kWordVectors)) return;
        collector_.offer({score_of(vector), static_cast<std::int64_t>(vector)});
    }

private:
    static constexpr std::size_t kChunkBlocks = 8;  // between updates of the limit
    static constexpr int kMany = 20;                // vectors of a word that cost more one by one than all 64

    void score_survivors(std::size_t word, std::uint64_t mask) {
        if (seeds_.includes(word)) return;
        for_each_score(word, mask, [&](std::size_t vector, float score) {
            collector_.offer({score, static_cast<std::int64_t>(vector)});
        });
    }

    template <class Body>
    static void for_each_bit(std::uint64_t mask, Body body) {
        for (; mask != 0; mask &= mask - 1) body(static_cast<std::size_t>(std::countr_zero(mask)));
    }

    template <class Body>
    void for_each_seed(Body body) const {
        const std::size_t words = (codes_.size() + kWordVectors - 1) / kWordVectors;
        for (std::size_t word = 0; word < words; word += seeds_.step) body(word);
    }

    // body(vector, score) for each vector of the mask; all 64 at once where most of them are wanted.
    template <class Body>
    void for_each_score(std::size_t word, std::uint64_t mask, Body body) const {
        const std::size_t first = word * kWordVectors;
        if (std::popcount(mask) < kMany) {
            for_each_bit(mask, [&](std::size_t j) { body(first + j, score_of(first + j)); });
            return;
        }
        float sums[kWordVectors];
        kernels().scan.sums({codes_.vector(first), entries_, codes_.dictionaries(), codes_.pairs()}, sums);
        for_each_bit(mask, [&](std::size_t j) { body(first + j, score(first + j, sums[j])); });
    }

    float score_of(std::size_t vector) const {
        return score(vector, codes_.pairs() ? pair_sum(vector) : byte_sum(vector));
    }
    float score(std::size_t vector, float sum) const { return (sum + codes_.bias(vector)) + offset_; }

    float byte_sum(std::size_t vector) const {
        const std::uint8_t* codes = codes_.vector(vector);
        float sum = entries_[codes[0]];
        for (std::size_t m = 1; m < codes_.dictionaries(); ++m)
            sum += entries_[m * kByteSlots + codes[m * kBlockVectors]];
        return sum;
    }

    float pair_sum(std::size_t vector) const {
        const std::uint8_t* codes = codes_.vector(vector);
        float sum = entries_[codes[0] & 15];
        for (std::size_t m = 1; m < codes_.dictionaries(); ++m)
            sum += entries_[m * kNibbleSlots + ((codes[m / 2 * kBlockVectors] >> (m % 2 * 4)) & 15)];
        return sum;
    }

    const PackedCodes& codes_;
    const Selection& selection_;
    Seeds seeds_;
    const float* entries_;
    float offset_;
    QueryBounds bounds_;
    Collector collector_;
};

}  // namespace summand
