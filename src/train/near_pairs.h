// Pairs of near neighbours within the training set: what queries near a vector look like.
//
// For a query q near y, with r = y - ȳ, the score differs from the true distance by
//     Σ_m word_offset - |y|² + 2 q·r
// so only the mean and the variance of q·r matter.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/recipe.h"
#include "train/offset_rule.h"

namespace summand {

/// (y, q) as rows of the training set.
using NearPairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Sampled rows with their nearest neighbours among sampled rows.
NearPairs near_pairs(MatrixView<float> vectors, const Execution& execution, const NearPairRecipe& recipe = {});

/// s² = Var[q·r - a·y·r + (1 - θ)/2·|r|²] / E|r|² over near pairs: the mean squared error of a score is then about
/// 4 s²|r|² + e², which makes 1/(4 s²) the natural penalty.
double score_variance(MatrixView<float> vectors, const NearPairs& pairs, const OffsetRule& rule,
                      const Dictionaries& words, const Matrix<std::uint8_t>& codes, const Execution& execution);

}  // namespace summand
