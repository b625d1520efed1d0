// 8-bit lower bounds of one query's tables, so that the scan rules vectors out without floats.
//
// With the smallest entry of every table taken out, a vector's score is
//
//     score = base + X + rounding,      base = offset + Σ_m min_k table[m][k] + min bias,   X = Σ of what entries
//     exceed
//
// The float sum of M + 2 terms errs by at most g·(A + X) with g = (M + 2)·2⁻²⁴ and A the sum of the magnitudes of the
// terms of `base`. So score <= limit implies
//
//     X <= reach = (limit - base + g·A) / (1 - g)
//
// and, since excesses are scaled and rounded down to integers b, Σ b <= reach·scale. Nothing else is assumed: huge
// entries only saturate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned.h"
#include "index/packed_codes.h"
#include "kernels/scan.h"

namespace summand {

class QueryBounds {
public:
    /// Has no tables yet: call `reset` before anything else.
    explicit QueryBounds(const PackedCodes& codes);

    /// `entries`: M × slots, as the packed codes number them; borrowed.
    QueryBounds(const PackedCodes& codes, const float* entries, float offset);

    /// Takes other tables for the same codes.
    void reset(const float* entries, float offset);

    /// Keeps the tables and takes the bias levels of other codes of the same model.
    void take_levels(const PackedCodes& codes) {
        if (codes_ != &codes) change_levels(codes);
    }

    /// Keeps the tables and takes another offset.
    void set_offset(float offset) { offset_ = offset; }

    /// Prepares `tables()` for scores up to `score`; false where no vector can have one.
    bool set_limit(float score);

    const BoundTables& tables() const { return tables_; }

    /// Whether the table entries fit registers, so that a score costs little more than its bound.
    bool pairs() const { return codes_->pairs(); }

    /// Chooses how the next blocks are looked at first, by what `tables()` left of the last ones.
    void choose_first_look(const SurvivorCount& count, std::size_t blocks);

    /// Begins with the cheapest first look again; call where the limit has become much lower.
    void restart_first_look() { tables_.look = FirstLook::quartets; }

private:
    // A plane that is not made of pairs: its 256 values and the smallest of them.
    struct ByteTable {
        const float* values;
        float smallest;
    };

    void change_levels(const PackedCodes& codes);
    void add_levels();
    void add_table(const float* values, std::size_t slots);
    ByteTable byte_table(std::size_t plane) const;
    void write_nibble_excess();
    void write_nibble_excess(std::size_t plane);
    void quantise(double reach);
    void quantise_bytes(float scale);
    void keep_all();

    const PackedCodes* codes_;
    const float* entries_ = nullptr;
    BoundForm form_;
    std::size_t tables_added_ = 0;
    float smallest_[kMaxDictionaries + 1];  // of each dictionary's table and of the bias levels
    AlignedBuffer<float> nibble_excess_;    // nibble form: what the bounds stand for
    AlignedBuffer<std::uint8_t> bounds_;
    BoundTables tables_;
    float offset_ = 0;
    struct Terms {
        double base = 0, magnitude = 0, largest = 0;
    };
    Terms words_, all_;         // of the tables; with the bias levels, and all but the offset
    double rounding_;           // g
    double scale_ = -1;         // of the bounds as they are; below zero before the first
    unsigned until_trial_ = 0;  // calls of `choose_first_look` until a cheaper one is tried
};

}  // namespace summand
