// Scores of packed codes in float, by the tables of one query:
//
//     (((table[0][code_0] + table[1][code_1]) + …) + bias) + offset
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "index/packed_codes.h"
#include "kernels/kernels.h"

namespace summand {

/// body(j) for every bit j that is set.
template <class Body>
void for_each_bit(std::uint64_t mask, Body body) {
    for (; mask != 0; mask &= mask - 1) body(static_cast<std::size_t>(std::countr_zero(mask)));
}

class CodeScores {
public:
    /// `entries`: M × slots floats, borrowed.
    CodeScores(const PackedCodes& codes, const float* entries, float offset)
        : codes_(codes), entries_(entries), offset_(offset) {}

    /// body(vector, score) for each vector of the mask; all 64 at once where most of them are wanted. `codes`: of the
    /// word's first vector, here or in a copy.
    template <class Body>
    void for_each(const CodeRows& codes, std::size_t word, std::uint64_t mask, Body body) const {
        const std::size_t first = word * kWordVectors;
        if (std::popcount(mask) < kMany) {
            const auto entry = [&](std::size_t e) { return entries_[e]; };
            for_each_bit(mask, [&](std::size_t j) { body(first + j, score(first + j, sum(codes.vector(j), entry))); });
            return;
        }
        float sums[kWordVectors];
        kernels().scan.sums({codes, entries_, codes_.dictionaries(), codes_.pairs()}, sums);
        for_each_bit(mask, [&](std::size_t j) { body(first + j, score(first + j, sums[j])); });
    }

    float of(std::size_t vector) const {
        const auto entry = [&](std::size_t e) { return entries_[e]; };
        return score(vector, sum(codes_.vector(vector), entry));
    }

    /// With the tables of a cell added to those of the query, entry by entry; `second` may be null.
    float with(const float* first, const float* second, std::size_t vector) const {
        const auto entry = [&](std::size_t e) {
            const float sum = entries_[e] + first[e];
            return second ? sum + second[e] : sum;
        };
        return score(vector, sum(codes_.vector(vector), entry));
    }

private:
    static constexpr int kMany = 20;  // vectors of a word that cost more one by one than all 64

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
