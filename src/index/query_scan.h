// One query against parts of packed codes. `Collector` decides what is kept: it takes entries by `offer` and has a
// `limit()` above which it wants none. `index/batch_scan.h` draws the order of the calls.
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
#include "index/code_parts.h"
#include "index/code_scores.h"
#include "summand/neighbors.h"

namespace summand {

/// The words of 64 vectors that are scored first: the multiples of `step`, a power of two, counted through all parts.
struct Seeds {
    std::size_t step;

    bool includes(std::size_t word) const { return (word & (step - 1)) == 0; }
};

inline constexpr Seeds kNoSeeds{std::size_t{1} << 62};  ///< none but the first word

template <class Collector>
class QueryScan {
public:
    /// `entries`: M × slots floats that outlive the scan.
    QueryScan(const CodeParts& parts, Seeds seeds, const float* entries, float offset, Collector collector)
        : parts_(parts),
          seeds_(seeds),
          entries_(entries),
          offset_(offset),
          bounds_(parts.all().front().codes, entries, offset),
          collector_(std::move(collector)) {}

    Collector& collector() { return collector_; }

    /// Where limits come from: from estimates as well, which may turn out too low, or from entries held alone.
    enum class Limit { estimated, proven };

    /// Offers the seeds, after an estimate of the limit from their scores.
    void score_seeds(Limit limit) {
        const std::size_t most = (parts_.blocks() * kBlockWords / seeds_.step + 1) * kWordVectors;
        std::vector<float> scores(std::min(most, parts_.kept()));
        std::size_t count = 0;
        for_each_seed([&](const Part& part, std::size_t word) {
            if (part.selection.word(word) != 0) scores_of(part).fetch(word);
        });
        for_each_seed([&](const Part& part, std::size_t word) {
            count += scores_of(part).write(word, part.selection.word(word), scores.data() + count);
        });
        scores.resize(count);
        if (limit == Limit::estimated && seeds_.step > 1)
            collector_.estimate_limit(scores, static_cast<double>(scores.size()) / static_cast<double>(parts_.kept()));
        covered_ = scores.size();
        const float* score = scores.data();
        for_each_seed([&](const Part& part, std::size_t word) {
            for_each_bit(part.selection.word(word), [&](std::size_t j) {
                collector_.offer({*score++, part.ids[word * kWordVectors + j]});
            });
        });
    }

    /// Offers what may be up to the limit in blocks each of which has selected vectors. `codes` are those of the first.
    void scan(const CodeRows& codes, const CodeParts::Stretch& blocks) {
        if (seeds_.step == 1) return;
        const Part& part = *blocks.part;
        bounds_.take_levels(part.codes);
        scan_blocks(
            codes, bounds_, blocks.first, blocks.last, [&] { return collector_.limit().score; },
            [&](std::size_t word, std::size_t count, std::uint64_t* buffer) {
                return part.selection.words(word, count, buffer);
            },
            [&](Survivors survivors) { score_survivors(part, survivors); });
        covered_ += part.selection.kept_in(blocks.first, blocks.last);
    }

    /// Estimates the limit again. The blocks scanned so far must be spread over all that are selected.
    void tighten_limit() {
        collector_.tighten_limit(static_cast<double>(covered_) / static_cast<double>(parts_.kept()));
        bounds_.restart_first_look();
    }

    /// Offers a single vector.
    void scan_single(const CodeParts::Part& part, std::size_t vector) {
        if (seeds_.includes(part.first_word() + vector / kWordVectors)) return;
        collector_.offer({scores_of(part).of(vector), part.ids[vector]});
    }

private:
    using Part = CodeParts::Part;

    CodeScores scores_of(const Part& part) const { return {part.codes, entries_, offset_}; }

    void score_survivors(const Part& part, Survivors& survivors) {
        const std::size_t first = survivors.vector / kWordVectors;
        std::size_t count = 0;
        for (const SurvivorWord& own : survivors.words) {
            survivors.words[count] = own;
            count += !seeds_.includes(part.first_word() + first + own.word);
        }
        survivors.words = survivors.words.first(count);
        ScoredVectors scored;
        scores_of(part).write(survivors, scored);
        collector_.ensure_limit(scored.scores, scored.count);
        scored.keep_up_to(collector_.limit().score);
        for (std::size_t i = 0; i < scored.count; ++i)
            collector_.offer({scored.scores[i], part.ids[survivors.vector + scored.vectors[i]]});
    }

    template <class Body>
    void for_each_seed(Body body) const {
        for (const Part& part : parts_.all()) {
            const std::size_t past = part.first_word() & (seeds_.step - 1);
            for (std::size_t word = past == 0 ? 0 : seeds_.step - past; word < part.words(); word += seeds_.step)
                body(part, word);
        }
    }

    const CodeParts& parts_;
    Seeds seeds_;
    const float* entries_;
    float offset_;
    QueryBounds bounds_;
    Collector collector_;
    std::size_t covered_ = 0;  // vectors that were offered or are above the limit
};

}  // namespace summand
