// Codes of sources of any length: vectors are read, encoded and dropped chunk by chunk.
#pragma once

#include <functional>

#include "summand/build.h"

namespace summand {

/// What is encoded of a chunk that begins with row `first`; empty: the chunk itself.
using Prepare = std::function<Matrix<float>(const Matrix<float>& chunk, std::size_t first)>;

Codes encode_prepared(const Encoder& encoder, const VectorSource& base, const Prepare& prepare,
                      const Execution& execution);

}  // namespace summand
