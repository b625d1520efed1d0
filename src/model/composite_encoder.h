// Encoding by sums of words: for a vector y the codes that minimise
//
//     |r|² + penalty·e² + absolute·|e|
//
//     r = y - Σ_m c[m][code_m]
//     e = norm·|y|² - 2 expectation·y·r + (1 - theta)·|r|² - Σ_m word_offset[m][code_m]
//
// by iterated conditional modes (one dictionary at a time, all its words tried) and iterated local search (one
// dictionary, each in turn, takes its second-best word and another a random one, modes again, kept if better). The
// first sweep minimises |r|² alone. Inner products of words come from a table in 16-bit integers, so that a visit adds
// M-1 rows of 512 bytes; decisions are made with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "model/composite_input.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct LocalSearch {
    int sweeps = 3;          ///< over all dictionaries, at most
    int perturbations = 0;   ///< rounds of local search
    std::uint64_t seed = 0;  ///< mixed with the code at the start, so that a vector's position does not matter
};

struct CodePenalty {
    float penalty = 0;  ///< μ
    float theta = 0;    ///< θ
    float expectation = 1;
    float absolute = 0;
    float norm = 1;
};

class CompositeEncoder {
public:
    /// Copies nothing of the dictionaries: they must outlive the encoder.
    CompositeEncoder(const Dictionaries& dictionaries, std::span<const float> word_offsets, CodePenalty penalty,
                     const Execution& execution);

    Matrix<std::uint8_t> encode(const CompositeView& vectors, const LocalSearch& search,
                                const Execution& execution) const;

    /// Starts from `codes` and keeps them where the result is not better: the exact cost of no vector rises.
    void improve(const CompositeView& vectors, const LocalSearch& search, const Execution& execution,
                 Matrix<std::uint8_t>& codes) const;

private:
    struct Vector;

    const std::int16_t* pairs(std::size_t m, std::size_t l, std::size_t word) const {
        return pairs_.data() + ((m * dictionaries_.count + l) * dictionaries_.words + word) * stride_;
    }
    bool penalised() const { return penalty_.penalty != 0 || penalty_.absolute != 0; }
    CodePenalty without_penalty() const {
        CodePenalty penalty = penalty_;
        penalty.penalty = penalty.absolute = 0;
        return penalty;
    }
    void tabulate_pairs(const Execution& execution);
    void encode_block(const CompositeView& vectors, const LocalSearch& search, std::uint8_t* codes,
                      bool from_codes) const;
    void start(const CompositeView& vectors, const LocalSearch& search, const std::uint8_t* codes,
               std::span<Vector> group) const;
    void extend_words();
    void fill_unaries(MatrixView<float> vectors, float* out) const;
    float* unary_of(std::size_t m, const Vector& vector) const;
    void measure(Vector& vector) const;
    void greedy_start(std::span<Vector> vectors) const;
    void visit(std::size_t m, std::size_t others, std::span<Vector> vectors, CodePenalty penalty) const;
    void settle(std::span<Vector> vectors, int sweeps, std::size_t first, bool error_first) const;
    void perturb(std::size_t m, std::span<Vector> vectors, bool error_alone) const;
    double exact_cost(const CompositeView& vectors, std::size_t i, const std::uint8_t* code) const;

    const Dictionaries& dictionaries_;
    std::span<const float> word_offsets_;
    CodePenalty penalty_;
    std::size_t stride_;  // K rounded up for the kernel
    // Row m·stride + k, to be multiplied with vectors that end in a one: | -2 c | |c|² |, padding: zeros, kIcmPadding.
    Matrix<float> unary_words_;
    std::vector<float> gains_;  // expectation·|c|² - word_offset, M × stride
    // Row ((m·M + l)·K + k): inner products of word k of dictionary l with all words of dictionary m, ÷ scale.
    AlignedBuffer<std::int16_t> pairs_;
    float scale_ = 0;
};

}  // namespace summand
