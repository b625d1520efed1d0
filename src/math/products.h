// Products of many rows with many others, by our own kernels: the result of a pair of rows depends on nothing but these
// two, neither on the rows around them nor on the CPU or the number of threads.
#pragma once

#include <cstddef>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// Rows that are multiplied at a time: enough to pay for bringing the others into the order that kernels read.
inline constexpr std::size_t kRowBlock = 256;

/// c[i][j] = scale · Σ_d a[i][d]·b[j][d] for i < rows, j < columns; d ascending, fused.
void row_block_products(float scale, const float* a, std::size_t rows, const float* b, std::size_t columns,
                        std::size_t dimensions, float* c);

/// a·bᵀ, threaded over row blocks.
Matrix<float> multiply_transposed(MatrixView<float> a, MatrixView<float> b, const Execution& execution);

Matrix<float> transposed(MatrixView<float> matrix);

}  // namespace summand
