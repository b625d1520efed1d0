// One query against packed codes. `Collector` decides what is kept: it takes entries by `offer` and has a `limit()`
// above which none is wanted.
//
// First, `seed` scores a few words of 64 vectors, spread over the array, in float; from them the collector guesses a
// limit that is probably enough. `scan` leaves those words out and scores what survives the 8-bit bounds. The result is
// exact: every entry up to the limit is offered once, with the score
//
//     (((table[0][code_0] + table[1][code_1]) + …) + bias) + offset
//
// and a collector that ends up `complete` needs no more. Otherwise a guess was too low, and all is done again without
// one. With an eighth of the blocks done, from all over the array, the collector guesses again, better.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "index/block_scan.h"
#include "index/code_scores.h"
#include "index/selection.h"
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
          scores_(codes, entries, offset),
          bounds_(codes, entries, offset),
          collector_(std::move(collector)) {}

    Collector& collector() { return collector_; }

    enum class Limit { guessed, safe };

    void seed(Limit limit) {
        const std::size_t most = (words() / seeds_.step + 1) * kWordVectors;
        std::vector<float> scores(std::min(most, selection_.kept()));
        std::size_t count = 0;
        for_each_seed([&](std::size_t word) {
            if (selection_.word(word) != 0) scores_.fetch(word);
        });
        for_each_seed(
            [&](std::size_t word) { count += scores_.write(word, selection_.word(word), scores.data() + count); });
        scores.resize(count);
        if (limit == Limit::guessed && seeds_.step > 1)
            collector_.guess(scores, static_cast<double>(scores.size()) / static_cast<double>(selection_.kept()));
        covered_ = scores.size();
        const float* score = scores.data();
        for_each_seed([&](std::size_t word) {
            for_each_bit(selection_.word(word), [&](std::size_t j) {
                collector_.offer({*score++, static_cast<std::int64_t>(word * kWordVectors + j)});
            });
        });
    }

    /// Blocks first … last-1, all of which have vectors that are selected. `codes`: those of block `first`.
    void scan(const CodeRows& codes, std::size_t first, std::size_t last) {
        if (seeds_.step == 1) return;
        scan_blocks(
            codes, bounds_, first, last, [&] { return collector_.limit().score; },
            [&](std::size_t word, std::size_t count, std::uint64_t* buffer) {
                return selection_.words(word, count, buffer);
            },
            [&](Survivors survivors) { score_survivors(survivors); });
        covered_ += selection_.kept_in(first, last);
    }

    /// Where the blocks scanned so far are spread over all that are selected.
    void guess_again() {
        collector_.guess_again(static_cast<double>(covered_) / static_cast<double>(selection_.kept()));
        bounds_.learn_anew();
    }

    /// A vector by itself.
    void scan_single(std::size_t vector) {
        if (seeds_.includes(vector / kWordVectors)) return;
        collector_.offer({scores_.of(vector), static_cast<std::int64_t>(vector)});
    }

private:
    void score_survivors(Survivors& survivors) {
        const std::size_t first = survivors.vector / kWordVectors;
        std::size_t count = 0;
        for (const SurvivorWord& own : survivors.words) {
            survivors.words[count] = own;
            count += !seeds_.includes(first + own.word);
        }
        survivors.words = survivors.words.first(count);
        ScoredVectors scored;
        scores_.write(survivors, scored);
        collector_.expect(scored.scores, scored.count);
        scored.keep_up_to(collector_.limit().score);
        for (std::size_t i = 0; i < scored.count; ++i)
            collector_.offer({scored.scores[i], static_cast<std::int64_t>(survivors.vector + scored.vectors[i])});
    }

    std::size_t words() const { return (codes_.size() + kWordVectors - 1) / kWordVectors; }

    template <class Body>
    void for_each_seed(Body body) const {
        for (std::size_t word = 0; word < words(); word += seeds_.step) body(word);
    }

    const PackedCodes& codes_;
    const Selection& selection_;
    Seeds seeds_;
    CodeScores scores_;
    QueryBounds bounds_;
    Collector collector_;
    std::size_t covered_ = 0;  // vectors that were offered or left out for the limit
};

}  // namespace summand
