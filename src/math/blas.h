// The only door to BLAS and LAPACK. Every call runs on the calling thread: our own threads divide the work, in
// pieces whose shapes do not depend on how many there are.
#pragma once

#include <cstddef>
#include <vector>

#include "math/products.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// Σ_n a[n]ᵀ·b[n] (columns of a × columns of b), summed over blocks of rows in double.
Matrix<double> cross_products(MatrixView<float> a, MatrixView<float> b, const Execution& execution);

/// Eigenvectors of a symmetric matrix as rows, by descending eigenvalue.
struct Eigen {
    std::vector<double> values;
    Matrix<double> vectors;
};
Eigen symmetric_eigen(Matrix<double> matrix);

/// The orthogonal matrix nearest to `matrix` (U·Vᵀ of its singular value decomposition).
Matrix<float> nearest_orthogonal(Matrix<double> matrix);

/// Solves matrix·x = right for symmetric positive definite `matrix`; `right` has one right-hand side per column.
Matrix<double> solve_positive_definite(Matrix<double> matrix, Matrix<double> right);

/// The factor of a symmetric positive definite matrix, in single precision: enough to precondition with.
class Cholesky {
public:
    explicit Cholesky(Matrix<float> matrix);

    /// Replaces `right` (a row per row of the matrix, any number of columns) by matrix⁻¹·right.
    void solve(float* right, std::size_t columns) const;

private:
    Matrix<float> factor_;
};

}  // namespace summand
