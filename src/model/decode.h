// Approximations of codes whose model is known to be the right one.
#pragma once

#include <cstdint>

#include "summand/execution.h"
#include "summand/quantizer.h"

namespace summand {

/// A row for each row of words; throws `Error` for a word that the dictionaries lack.
Matrix<float> decode_rows(const Quantizer& quantizer, MatrixView<std::uint8_t> rows, const Execution& execution);

/// Throws `Error` that begins with `what` for codes of another model.
void require_own_codes(const Quantizer& quantizer, const Codes& codes, const char* what);

}  // namespace summand
