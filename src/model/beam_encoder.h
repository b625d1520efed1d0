// Encoding by beam search: for a vector y the codes that minimise |y - Σ_m c[m][code_m]|².
//
// A partial code names words of some dictionaries. Each step extends every partial code of the beam by every word of
//     residual: the next dictionary                  (residual quantization)
//     beam:     each dictionary it has none of yet   (additive quantization)
// and keeps the `width` best of all, whatever their order of words: M steps, and the best complete code is the answer.
// With K^(M-1) or more partial codes it is the true minimum.
//
// The error of a partial code grows by open[m][k] = |c|² - 2 y·c + 2 c·Σ(words chosen), which every partial code
// carries along: adding a word adds its row of inner products with all others. Their table has (MK)² floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

class BeamEncoder {
public:
    /// `search` is beam or residual. Copies nothing of the dictionaries: they must outlive the encoder.
    BeamEncoder(const Dictionaries& dictionaries, CodeSearch search, const Execution& execution);

    Matrix<std::uint8_t> encode(MatrixView<float> vectors, std::size_t width, const Execution& execution) const;

    /// Keeps each of `codes` unless the search finds one with a smaller exact error.
    void improve(MatrixView<float> vectors, std::size_t width, const Execution& execution,
                 Matrix<std::uint8_t>& codes) const;

private:
    struct Partial;
    struct Extension;
    struct Beam;

    template <class Take>
    void for_each_code(MatrixView<float> vectors, std::size_t width, const Execution& execution,
                       const Take& take) const;
    void find(const float* products, Beam& beam) const;
    void extend(std::size_t step, Beam& beam) const;
    void offer_row(const Partial& partial, std::size_t from, std::size_t m, Beam& beam) const;
    void advance(std::size_t step, Beam& beam) const;

    const Dictionaries& dictionaries_;
    CodeSearch search_;
    std::vector<float> norms_;  // |c|²
    Matrix<float> pairs_;       // 2 c·c', MK × MK
};

/// Partial codes that an effort keeps.
std::size_t beam_width(Effort effort);

}  // namespace summand
