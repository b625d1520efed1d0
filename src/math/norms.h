// Lengths of vectors.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/kernels.h"
#include "summand/matrix.h"

namespace summand {

/// |row|² of each.
inline std::vector<float> squared_norms(MatrixView<float> rows) {
    std::vector<float> norms(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) norms[i] = kernels().dot(rows.row(i), rows.row(i), rows.columns());
    return norms;
}

}  // namespace summand
