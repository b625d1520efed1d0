// What the look-ups leave out of the Euclidean score.
#pragma once

#include <cstdint>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

/// |ȳ|² - Σ word_offset of each code. |ȳ|² comes from the sum of the words, which takes M·D additions; M·(M-1)/2
/// look-ups in a table of all pairs of words give the same and need (MK)² floats for it.
std::vector<float> biases(const Quantizer& quantizer, const Matrix<std::uint8_t>& codes, const Execution& execution);

}  // namespace summand
