// One query against packed codes. `Collector` decides what is kept: it takes entries by `offer` and has a `limit()`
// above which it wants none. `index/batch_scan.h` draws the order of the calls.
//
// `score_seeds` scores a few words of 64 vectors, the seeds, which are spread over the array; the collector estimates a
// limit from their scores. `scan` leaves the seeds out and scores in float what survives the 8-bit bounds. Every entry
// up to the limit is offered once, with the score
//
//     (((table[0][code_0] + table[1][code_1]) + …) + bias) + offset
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

/// The words of 64 vectors that are scored first: the multiples of `step`, a power of two.
struct Seeds {
    std::size_t step;

    bool includes(std::size_t word) const { return (word & (step - 1)) == 0; }
};

inline constexpr Seeds kNoSeeds{std::size_t{1} << 62};  ///< none but the first word

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

    /// Where limits come from: from estimates as well, which may turn out too low, or from entries held alone.
    enum class Limit { estimated, proven };

    /// Offers the seeds, after an estimate of the limit from their scores.
    void score_seeds(Limit limit) {
        const std::size_t most = (words() / seeds_.step + 1) * kWordVectors;
        std::vector<float> scores(std::min(most, selection_.kept()));
        std::size_t count = 0;
        for_each_seed([&](std::size_t word) {
            if (selection_.word(word) != 0) scores_.fetch(word);
        });
        for_each_seed(
            [&](std::size_t word) { count += scores_.write(word, selection_.word(word), scores.data() + count); });
        scores.resize(count);
        if (limit == Limit::estimated && seeds_.step > 1)
            collector_.estimate_limit(scores,
                                      static_cast<double>(scores.size()) / static_cast<double>(selection_.kept()));
        covered_ = scores.size();
        const float* score = scores.data();
        for_each_seed([&](std::size_t word) {
            for_each_bit(selection_.word(word), [&](std::size_t j) {
                collector_.offer({*score++, static_cast<std::int64_t>(word * kWordVectors + j)});
            });
        });
    }

    /// Offers what may be up to the limit in the blocks first … last-1, each of which has selected vectors. `codes` are
    /// those of block `first`.
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

    /// Estimates the limit again. The blocks scanned so far must be spread over all that are selected.
    void tighten_limit() {
        collector_.tighten_limit(static_cast<double>(covered_) / static_cast<double>(selection_.kept()));
        bounds_.restart_first_look();
    }

    /// Offers a single vector.
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
        collector_.ensure_limit(scored.scores, scored.count);
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
    std::size_t covered_ = 0;  // vectors that were offered or are above the limit
};

}  // namespace summand
