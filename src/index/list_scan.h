// One query against one list of an inverted index: the vectors at positions begin … end-1 of the packed codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "index/block_scan.h"
#include "index/code_scores.h"
#include "index/list_parts.h"
#include "summand/flat_index.h"

namespace summand {

/// Bits of the positions begin … end-1 among the words from first_word on.
inline const std::uint64_t* words_between(std::size_t begin, std::size_t end, std::size_t first_word, std::size_t count,
                                          std::uint64_t* buffer) {
    for (std::size_t w = 0; w < count; ++w) {
        const std::size_t first = (first_word + w) * kWordVectors, last = first + kWordVectors;
        std::uint64_t bits = ~std::uint64_t{0};
        if (begin > first) bits = begin < last ? bits << (begin - first) : 0;
        if (end < last) bits = end > first ? bits & ~(~std::uint64_t{0} << (end - first)) : 0;
        buffer[w] = bits;
    }
    return buffer;
}

template <class Collector>
class ListScan {
public:
    ListScan(const ListPart& part, Naming naming, Collector& collector)
        : part_(part),
          lists_(part.lists),
          needs_ids_(part.filter || naming == Naming::ids),
          naming_(naming),
          collector_(collector) {}

    /// Scans with 8-bit bounds and scores the survivors in float. `scores` and `bounds` have the same tables.
    void scan(std::size_t begin, std::size_t end, const CodeScores& scores, QueryBounds& bounds) {
        const std::size_t first = begin / kBlockVectors;
        scan_blocks(
            lists_.packed().block(first), bounds, first, (end + kBlockVectors - 1) / kBlockVectors,
            [&] { return collector_.limit().score; },
            [&](std::size_t word, std::size_t count, std::uint64_t* buffer) {
                return words_between(begin, end, word, count, buffer);
            },
            [&](const Survivors& survivors) { score_survivors(survivors, scores); });
    }

    /// Scores every vector by score_of(position).
    template <class ScoreOf>
    void score_all(std::size_t begin, std::size_t end, ScoreOf score_of) {
        for (std::size_t position = begin; position < end; ++position) offer(position, score_of(position));
    }

private:
    static constexpr bool kTakesMany = requires(Collector collector, const ScoredVectors& scored) {
        collector.offer(std::size_t{}, scored.vectors, scored.scores, scored.count);
    };

    void score_survivors(const Survivors& survivors, const CodeScores& scores) {
        ScoredVectors scored;
        scores.write(survivors, scored);
        const bool limited = collector_.limit().score < std::numeric_limits<float>::max();
        if (part_.filter && !limited) drop_filtered(survivors.vector, scored);
        collector_.ensure_limit(scored.scores, scored.count);
        scored.keep_up_to(collector_.limit().score);
        for (std::size_t i = 0; i < (needs_ids_ ? scored.count : 0); ++i)
            lists_.fetch_id(survivors.vector + scored.vectors[i]);
        if (part_.filter && limited) drop_filtered(survivors.vector, scored);
        if constexpr (kTakesMany) {
            collector_.offer(part_.first_place + survivors.vector, scored.vectors, scored.scores, scored.count);
        } else {
            for (std::size_t i = 0; i < scored.count; ++i)
                collector_.offer({scored.scores[i], name(survivors.vector + scored.vectors[i])});
        }
    }

    void drop_filtered(std::size_t first, ScoredVectors& scored) const {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < scored.count; ++i) {
            scored.vectors[kept] = scored.vectors[i];
            scored.scores[kept] = scored.scores[i];
            kept += part_.filter->keeps(lists_.id(first + scored.vectors[i]));
        }
        scored.count = kept;
    }

    void offer(std::size_t position, float score) {
        if (score > collector_.limit().score) return;
        if (part_.filter && !part_.filter->keeps(lists_.id(position))) return;
        collector_.offer({score, name(position)});
    }

    std::int64_t name(std::size_t position) const {
        return naming_ == Naming::ids ? part_.id(position) : static_cast<std::int64_t>(part_.first_place + position);
    }

    const ListPart& part_;
    const InvertedLists& lists_;
    bool needs_ids_;
    Naming naming_;
    Collector& collector_;
};

}  // namespace summand
