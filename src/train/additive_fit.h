// Least squares where each vector's value is a sum of one number per dictionary:
//
//     minimise  Σ_n (Σ_m b[m][code_nm] - target_n)² + ridge · |b - start|²
#pragma once

#include <cstdint>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/recipe.h"

namespace summand {

/// Changes `values` (M × K) to the minimiser, by conjugate gradients from where it stands.
void fit_additive(const Matrix<std::uint8_t>& codes, const std::vector<double>& targets, std::size_t words,
                  const Execution& execution, std::vector<float>& values, const OffsetRecipe& recipe = {});

}  // namespace summand
