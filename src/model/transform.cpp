#include "model/transform.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "summand/error.h"

namespace summand {

void require_finite(MatrixView<float> vectors, const char* what) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        require(
            std::all_of(vectors.row(i), vectors.row(i) + vectors.columns(), [](float x) { return std::isfinite(x); }),
            what, ": row ", i, " holds a value that is not finite (NaN or infinity)");
}

void require_scorable(MatrixView<float> vectors, const char* what) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        require(kernels().dot(vectors.row(i), vectors.row(i), vectors.columns()) <= kLargestSquaredLength, what,
                ": row ", i, " has the squared length ", squared_length(vectors[i]), ", expected at most ",
                kLargestSquaredLength, ": distances would overflow; scale the vectors down");
}

double squared_length(std::span<const float> vector) {
    double sum = 0;
    for (const float x : vector) sum += static_cast<double>(x) * static_cast<double>(x);
    return sum;
}

bool scale_to_unit_length(std::span<float> vector) {
    constexpr float kSmallSquare = 1e-30f, kLargeSquare = 1e37f;  // between them, floats lose nothing that matters
    const float square = kernels().dot(vector.data(), vector.data(), vector.size());
    if (square > kSmallSquare && square < kLargeSquare) {
        const float length = std::sqrt(square);
        for (float& x : vector) x /= length;
        return true;
    }
    const double length = std::sqrt(squared_length(vector));
    if (!(length > 0)) return false;
    for (float& x : vector) x = static_cast<float>(static_cast<double>(x) / length);
    return true;
}

void scale_to_unit_length(Matrix<float>& vectors, const char* what) {
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        require(scale_to_unit_length(vectors[i]), what, ": row ", i,
                " is all zeros, which has no direction; cosine needs non-zero vectors");
}

Matrix<float> of_unit_length(MatrixView<float> vectors, const char* what) {
    Matrix<float> result(vectors.rows(), vectors.columns(),
                         std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    scale_to_unit_length(result, what);
    return result;
}

Matrix<float> to_code_space(const Quantizer& quantizer, MatrixView<float> vectors, const char* what,
                            const Execution& execution) {
    require(vectors.columns() == quantizer.dimensions(), what, ": expected vectors of ", quantizer.dimensions(),
            " dimensions, got ", vectors.columns());
    require_finite(vectors, what);
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.data() + vectors.rows() * vectors.columns()));
    if (quantizer.unit_length) scale_to_unit_length(moved, what);
    require_scorable(moved.view(), what);
    parallel_ranges(execution, moved.rows(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t d = 0; d < moved.columns(); ++d) moved[i][d] -= quantizer.centre[d];
    });
    if (quantizer.rotation.empty()) return moved;
    return multiply_transposed(moved.view(), quantizer.rotation.view(), execution);
}

Matrix<float> from_code_space(const Quantizer& quantizer, MatrixView<float> vectors, const Execution& execution) {
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.data() + vectors.rows() * vectors.columns()));
    if (!quantizer.rotation.empty())
        moved = multiply_transposed(moved.view(), transposed(quantizer.rotation.view()).view(), execution);
    for (std::size_t i = 0; i < moved.rows(); ++i)
        for (std::size_t d = 0; d < moved.columns(); ++d) moved[i][d] += quantizer.centre[d];
    return moved;
}

}  // namespace summand
