// Vectors by chunks.
#pragma once

#include <functional>

#include "summand/build.h"

namespace summand {

/// Rows that are read at once: about 64 MB, in whole blocks of the encoder.
std::size_t chunk_rows(const VectorSource& source);

/// take(chunk, first, execution) for every chunk from row `start` on, with an `Execution` whose progress counts the
/// rows of the whole source as encoded.
using TakeChunk = std::function<void(const Matrix<float>& chunk, std::size_t first, const Execution& execution)>;
void for_each_chunk(const VectorSource& source, const Execution& execution, const TakeChunk& take,
                    std::size_t start = 0);

/// `execution` without its progress.
Execution silent(const Execution& execution);

/// Throws for a row of zeros, which has no direction for cosine. row_of(i) is the number in the source of row i here.
void require_directions(MatrixView<float> vectors, const VectorSource& source,
                        const std::function<std::size_t(std::size_t)>& row_of);

void require_dimensions(const VectorSource& source, std::size_t dimensions, const std::string& other);

}  // namespace summand
