#include "math/blas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "summand/error.h"
#include "support/data.h"

namespace summand {
namespace {

using test::random_matrix;

Matrix<double> as_double(const Matrix<float>& matrix) {
    return {matrix.rows(), matrix.columns(), std::vector<double>(matrix.values().begin(), matrix.values().end())};
}

// aᵀ·a of a random matrix, and a ridge.
Matrix<double> positive_definite(std::size_t n, double ridge, std::uint64_t seed) {
    const Matrix<float> a = random_matrix(n, n, seed);
    Matrix<double> result(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t d = 0; d < n; ++d) result[i][j] += double{a[d][i]} * double{a[d][j]};
            if (i == j) result[i][j] += ridge;
        }
    return result;
}

TEST(MultiplyTransposed, IsAPlainLoopForAnyNumberOfRows) {
    for (const std::size_t rows : {1, 255, 256, 257, 600})
        for (const std::size_t columns : {1, 7, 20, 64, 70}) {
            const Matrix<float> a = random_matrix(rows, 9, 1), b = random_matrix(columns, 9, 2);
            const Matrix<float> product = multiply_transposed(a.view(), b.view(), {});
            ASSERT_EQ(product.rows(), rows);
            ASSERT_EQ(product.columns(), columns);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < columns; ++j)
                    ASSERT_NEAR(product[i][j], test::dot(a.row(i), b.row(j), 9), 1e-5);
        }
}

TEST(MultiplyTransposed, ARowDoesNotDependOnTheOthersNorOnThreads) {
    for (const std::size_t columns : {1, 20, 256, 300})
        for (const std::size_t dimensions : {1, 33, 500}) {
            const Matrix<float> a = random_matrix(530, dimensions, 3), b = random_matrix(columns, dimensions, 4);
            const Matrix<float> together = multiply_transposed(a.view(), b.view(), {.threads = 1});
            EXPECT_EQ(multiply_transposed(a.view(), b.view(), {.threads = 2}), together);
            for (std::size_t i = 0; i < a.rows(); i += i < 400 ? 23 : 1) {
                const Matrix<float> alone = multiply_transposed(a.view().slice(i, 1), b.view(), {});
                for (std::size_t j = 0; j < b.rows(); ++j) ASSERT_EQ(alone[0][j], together[i][j]) << i << ' ' << j;
            }
        }
}

TEST(CrossProducts, AreThoseOfAPlainLoop) {
    for (const std::size_t rows : {1, 5, 1000}) {
        const Matrix<float> a = random_matrix(rows, 6, 5), b = random_matrix(rows, 4, 6);
        const Matrix<double> found = cross_products(a.view(), b.view(), {.threads = 1});
        EXPECT_EQ(cross_products(a.view(), b.view(), {.threads = 2}), found);
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                double sum = 0;
                for (std::size_t n = 0; n < rows; ++n) sum += double{a[n][i]} * double{b[n][j]};
                EXPECT_NEAR(found[i][j], sum, 1e-3);
            }
    }
}

TEST(SymmetricEigen, PutsTheMatrixTogetherAgain) {
    const Matrix<double> matrix = positive_definite(9, 0, 7);
    const Eigen eigen = symmetric_eigen(matrix);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 9; ++j) {
            double entry = 0, product = 0;
            for (std::size_t e = 0; e < 9; ++e) {
                entry += eigen.values[e] * eigen.vectors[e][i] * eigen.vectors[e][j];
                product += eigen.vectors[i][e] * eigen.vectors[j][e];
            }
            EXPECT_NEAR(entry, matrix[i][j], 1e-10);
            EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
        }
    for (std::size_t e = 1; e < 9; ++e) EXPECT_GE(eigen.values[e - 1], eigen.values[e]);
}

// Σ (a - b)²
double squared_difference(const Matrix<double>& a, const Matrix<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]);
    return sum;
}

TEST(NearestOrthogonal, IsOrthogonal) {
    for (const std::size_t n : {1, 2, 8, 20}) {
        const Matrix<float> q = nearest_orthogonal(as_double(random_matrix(n, n, 8)));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(test::dot(q.row(i), q.row(j), n), i == j ? 1 : 0, 1e-5);
    }
}

TEST(NearestOrthogonal, NoOtherOrthogonalMatrixIsNearer) {
    const Matrix<double> matrix = as_double(random_matrix(6, 6, 9));
    const Matrix<double> best = as_double(nearest_orthogonal(matrix));
    const double distance = squared_difference(best, matrix);
    for (std::uint64_t trial = 0; trial < 30; ++trial) {
        Matrix<double> moved = best;
        Random random(trial);
        for (std::size_t i = 0; i < moved.size(); ++i) moved.data()[i] += (trial < 15 ? 0.05 : 1.0) * random.gaussian();
        EXPECT_GE(squared_difference(as_double(nearest_orthogonal(moved)), matrix), distance - 1e-5);
    }
}

TEST(NearestOrthogonal, AnOrthogonalMatrixIsItsOwnNearest) {
    const Matrix<float> q = nearest_orthogonal(as_double(random_matrix(7, 7, 10)));
    const Matrix<float> again = nearest_orthogonal(as_double(q));
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(again.data()[i], q.data()[i], 1e-5);
}

TEST(SolvePositiveDefinite, TheSolutionSolves) {
    const Matrix<double> matrix = positive_definite(12, 0.5, 11), right = as_double(random_matrix(12, 3, 12));
    const Matrix<double> x = solve_positive_definite(matrix, right);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double sum = 0;
            for (std::size_t d = 0; d < 12; ++d) sum += matrix[i][d] * x[d][j];
            EXPECT_NEAR(sum, right[i][j], 1e-9);
        }
}

TEST(SolvePositiveDefinite, RefusesAMatrixThatIsNot) {
    Matrix<double> matrix(2, 2);
    matrix[0][0] = 1;
    matrix[1][1] = -1;
    test::expect_error([&] { solve_positive_definite(matrix, Matrix<double>(2, 1, 1.0)); },
                       {"linear algebra", "dposv"});
}

}  // namespace
}  // namespace summand
