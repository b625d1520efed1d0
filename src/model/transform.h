// From the space of the data to the space of the words and back: y = rotation · (x - centre).
#pragma once

#include <span>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

/// Throws `Error` for a wrong dimension, a value that is not finite, or (unit length) a row of zeros.
/// `what` begins the message: "encode".
Matrix<float> to_code_space(const Quantizer& quantizer, MatrixView<float> vectors, const char* what,
                            const Execution& execution);

/// x = rotationᵀ · y + centre.
Matrix<float> from_code_space(const Quantizer& quantizer, MatrixView<float> vectors, const Execution& execution);

/// |x|² in double, which neither overflows nor underflows for any float.
double squared_length(std::span<const float> vector);

/// Divides by the length, whatever the magnitude. False, and nothing done, for zeros alone.
bool scale_to_unit_length(std::span<float> vector);

/// Scales each row to length one; throws `Error` that names a row of zeros.
void scale_to_unit_length(Matrix<float>& vectors, const char* what);

/// A copy of the rows, each scaled to length one.
Matrix<float> of_unit_length(MatrixView<float> vectors, const char* what);

/// Throws `Error` that names the first row with a value that is not finite.
void require_finite(MatrixView<float> vectors, const char* what);

/// Throws `Error` that names the first row whose squared length is above kLargestSquaredLength.
void require_scorable(MatrixView<float> vectors, const char* what);

inline constexpr float kLargestSquaredLength = 1e36f;  ///< sums of a few of them are finite floats

}  // namespace summand
