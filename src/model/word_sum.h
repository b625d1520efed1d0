// Sums of words and their errors, from the words themselves.
#pragma once

#include <cstdint>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// Fills D values with Σ_m c[m][code_m].
void word_sum(const Dictionaries& dictionaries, const std::uint8_t* code, float* sum);

/// |vector - Σ_m c[m][code_m]|².
double squared_error(const Dictionaries& dictionaries, const float* vector, const std::uint8_t* code);

/// Its mean over the vectors.
double mean_squared_error(const Dictionaries& dictionaries, MatrixView<float> vectors,
                          const Matrix<std::uint8_t>& codes, const Execution& execution);

/// Σ_m c[m][code_m] of each code.
Matrix<float> word_sums(const Dictionaries& dictionaries, const Matrix<std::uint8_t>& codes,
                        const Execution& execution);

}  // namespace summand
