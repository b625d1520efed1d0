// QAV: quantization of the augmented vector.
#pragma once

#include "train/composite.h"

namespace summand {

/// The weight of (|y|² - Σ word_offset)² beside |y - ȳ|²: the error of [-2y; |y|²] is four times their sum.
inline constexpr double kAugmentedPenalty = 0.25;

Quantizer train_augmented(const CompositeTask& task);

}  // namespace summand
