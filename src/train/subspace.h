// A projection to fewer dimensions, for starts of the composite family and their trials, which need not be exact.
#pragma once

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// Is spanned by the directions in which vectors are longest.
class Subspace {
public:
    Subspace(MatrixView<float> vectors, std::size_t dimensions, const Execution& execution);

    Matrix<float> project(MatrixView<float> rows, const Execution& execution) const;
    /// Rows of the subspace as vectors of the whole space.
    Matrix<float> lift(MatrixView<float> rows, const Execution& execution) const;

private:
    Matrix<float> axes_, columns_;  // an axis per row; the same, an axis per column
};

}  // namespace summand
