#include "train/subspace.h"

#include <algorithm>

#include "math/blas.h"

namespace summand {

Subspace::Subspace(MatrixView<float> vectors, std::size_t dimensions, const Execution& execution)
    : axes_(dimensions, vectors.columns()) {
    const Eigen eigen = symmetric_eigen(cross_products(vectors, vectors, execution));
    for (std::size_t i = 0; i < dimensions; ++i)
        std::transform(eigen.vectors.row(i), eigen.vectors.row(i) + vectors.columns(), axes_.row(i),
                       [](double value) { return static_cast<float>(value); });
    columns_ = transposed(axes_.view());
}

Matrix<float> Subspace::project(MatrixView<float> rows, const Execution& execution) const {
    return multiply_transposed(rows, axes_.view(), execution);
}

Matrix<float> Subspace::lift(MatrixView<float> rows, const Execution& execution) const {
    return multiply_transposed(rows, columns_.view(), execution);
}

}  // namespace summand
