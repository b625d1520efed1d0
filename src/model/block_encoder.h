// Encoding where the words of each dictionary live in dimensions of their own: the nearest word of each block.
#pragma once

#include "summand/codes.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// Columns [first, last) of every row.
Matrix<float> column_block(MatrixView<float> rows, std::size_t first, std::size_t last);

/// Codes of vectors that are already in the space of the words.
Matrix<std::uint8_t> encode_blocks(const Dictionaries& dictionaries, MatrixView<float> vectors,
                                   const Execution& execution);

}  // namespace summand
