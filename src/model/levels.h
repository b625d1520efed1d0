// A dictionary of zero words at the end adds nothing to a vector: its offsets are levels, and its code picks the one
// that brings Σ word_offset nearest to |ȳ|².
#pragma once

#include <cstdint>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

bool has_levels(const Dictionaries& dictionaries);

/// The dictionaries before the levels: all of them where there are none.
Dictionaries without_levels(const Dictionaries& dictionaries);

/// `codes` of the dictionaries before the levels, with the level added where the model has them.
Matrix<std::uint8_t> with_levels(const Quantizer& quantizer, Matrix<std::uint8_t> codes, const Execution& execution);

}  // namespace summand
