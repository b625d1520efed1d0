// Scores of packed codes in float, by the tables of one query:
//
//     (((table[0][code_0] + table[1][code_1]) + …) + bias) + offset
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "index/block_scan.h"
#include "index/packed_codes.h"
#include "kernels/kernels.h"

namespace summand {

/// body(j) for every bit j that is set.
template <class Body>
void for_each_bit(std::uint64_t mask, Body body) {
    for (; mask != 0; mask &= mask - 1) body(static_cast<std::size_t>(std::countr_zero(mask)));
}

inline constexpr std::uint64_t kAllVectors = ~std::uint64_t{0};
inline constexpr std::size_t kMostSurvivors = kChunkBlocks * kBlockVectors;

/// Survivors of a chunk, counted from its first vector.
struct ScoredVectors {
    std::uint32_t vectors[kMostSurvivors];
    float scores[kMostSurvivors];
    std::size_t count;

    /// Appends the vectors of the mask. write_scores(room) writes the scores of all 64 vectors from `first` on.
    template <class WriteScores>
    void append(std::uint32_t first, std::uint64_t mask, WriteScores write_scores) {
        if (mask == kAllVectors) {
            write_scores(scores + count);
            for (std::uint32_t j = 0; j < kWordVectors; ++j) vectors[count + j] = first + j;
            count += kWordVectors;
            return;
        }
        float all[kWordVectors];
        write_scores(all);
        for_each_bit(mask, [&](std::size_t j) {
            vectors[count] = first + static_cast<std::uint32_t>(j);
            scores[count++] = all[j];
        });
    }

    /// Drops the vectors with a larger score.
    void keep_up_to(float limit) { count = kernels().scan.keep_up_to(limit, scores, vectors, count); }
};

class CodeScores {
public:
    /// `entries`: M × slots floats, borrowed.
    CodeScores(const PackedCodes& codes, const float* entries, float offset)
        : codes_(codes), entries_(entries), offset_(offset) {}

    /// Writes the scores of the vectors of the mask; returns how many there are.
    std::size_t write(std::size_t word, std::uint64_t mask, float* out) const {
        const std::size_t first = word * kWordVectors;
        if (mask == kAllVectors) {
            kernels().scan.sums(task(codes_.vector(first)), out);
            for (std::size_t j = 0; j < kWordVectors; ++j) out[j] = score(first + j, out[j]);
            return kWordVectors;
        }
        std::uint32_t listed[kWordVectors];
        std::size_t count = 0;
        for_each_bit(mask,
                     [&](std::size_t j) { listed[count++] = static_cast<std::uint32_t>(first % kBlockVectors + j); });
        kernels().scan.listed_sums(task(codes_.block(first / kBlockVectors)), listed, count, out);
        for (std::size_t i = 0; i < count; ++i)
            out[i] = score(first / kBlockVectors * kBlockVectors + listed[i], out[i]);
        return count;
    }

    /// Scores the survivors, whose codes may be a copy. Words with many survivors come first: all 64 vectors of such a
    /// word are summed up at once.
    void write(const Survivors& survivors, ScoredVectors& out) const {
        std::uint32_t listed[kChunkWords * kMany];
        std::size_t count = 0;
        out.count = 0;
        for (const SurvivorWord& own : survivors.words) {
            const auto first = static_cast<std::uint32_t>(own.word * kWordVectors);
            if (has_many(own.mask))
                out.append(first, own.mask,
                           [&](float* sums) { kernels().scan.sums(task(survivors.codes.word(own.word)), sums); });
            else
                for_each_bit(own.mask, [&](std::size_t j) { listed[count++] = first + static_cast<std::uint32_t>(j); });
        }
        std::copy_n(listed, count, out.vectors + out.count);
        kernels().scan.listed_sums(task(survivors.codes), listed, count, out.scores + out.count);
        out.count += count;
        if (codes_.has_bias())
            for (std::size_t i = 0; i < out.count; ++i)
                out.scores[i] = score(survivors.vector + out.vectors[i], out.scores[i]);
        else
            for (std::size_t i = 0; i < out.count; ++i) out.scores[i] += offset_;
    }

    /// Prefetches the codes of a word that is scored soon.
    void fetch(std::size_t word) const {
        const CodeRows codes = codes_.vector(word * kWordVectors);
        for (std::size_t r = 0; r < codes.row_count(); ++r) __builtin_prefetch(codes.rows + r * kBlockVectors);
        for (std::size_t q = 0; q < codes.quads; ++q) __builtin_prefetch(codes.top(q));
    }

    float of(std::size_t vector) const {
        const auto entry = [&](std::size_t e) { return entries_[e]; };
        return score(vector, sum(codes_.vector(vector), entry));
    }

    /// Returns the score of a vector with the tables of a cell added to the query's, entry by entry. `second` may be
    /// null.
    float with(const float* first, const float* second, std::size_t vector) const {
        const auto entry = [&](std::size_t e) {
            const float sum = entries_[e] + first[e];
            return second ? sum + second[e] : sum;
        };
        return score(vector, sum(codes_.vector(vector), entry));
    }

private:
    static constexpr int kMany = 20, kManyPairs = 6;  // sums of pairs of codes are look-ups in registers

    // Most masks have one or two bits. More than two are tested for before any are counted, because counting is a
    // function call on CPUs that may lack the instruction.
    bool has_many(std::uint64_t mask) const {
        const std::uint64_t rest = mask & (mask - 1);
        return (rest & (rest - 1)) != 0 && std::popcount(mask) >= (codes_.pairs() ? kManyPairs : kMany);
    }

    SumsTask task(const CodeRows& codes) const { return {codes, entries_, codes_.dictionaries(), codes_.pairs()}; }

    float score(std::size_t vector, float sum) const { return (sum + codes_.bias(vector)) + offset_; }

    template <class Entry>
    float sum(const CodeRows& codes, Entry entry) const {
        return codes_.pairs() ? codes.pair_sum(codes_.dictionaries(), entry)
                              : codes.byte_sum(codes_.dictionaries(), entry);
    }

    const PackedCodes& codes_;
    const float* entries_;
    float offset_;
};

}  // namespace summand
