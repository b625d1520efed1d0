// Dictionaries by least squares, the codes fixed: the closed form C = X·Yᵀ·(Y·Yᵀ)⁻¹ of the paper, with a ridge
// towards the words as they are, which keeps words that no vector uses.
#pragma once

#include "train/composite_objective.h"

namespace summand {

/// Y·Yᵀ: how many vectors use two words together; exact below 2^24 vectors.
Matrix<float> cooccurrences(const Matrix<std::uint8_t>& codes, std::size_t words, const Execution& execution);

/// `ridge`: a word's old value counts as so many vectors.
void solve_dictionaries(const CompositeData& data, double ridge, const Execution& execution,
                        Dictionaries& dictionaries);

}  // namespace summand
