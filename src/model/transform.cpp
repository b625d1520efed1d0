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

void scale_to_unit_length(Matrix<float>& vectors, const char* what) {
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const float length = std::sqrt(kernels().dot(vectors.row(i), vectors.row(i), vectors.columns()));
        require(length > 0, what, ": row ", i, " is all zeros, which has no direction; cosine needs non-zero vectors");
        for (float& x : vectors[i]) x /= length;
    }
}

Matrix<float> to_code_space(const Quantizer& quantizer, MatrixView<float> vectors, const char* what,
                            const Execution& execution) {
    require(vectors.columns() == quantizer.dimensions(), what, ": expected vectors of ", quantizer.dimensions(),
            " dimensions, got ", vectors.columns());
    require_finite(vectors, what);
    Matrix<float> moved(vectors.rows(), vectors.columns(),
                        std::vector<float>(vectors.data(), vectors.data() + vectors.rows() * vectors.columns()));
    if (quantizer.unit_length) scale_to_unit_length(moved, what);
    parallel_ranges(execution, moved.rows(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t d = 0; d < moved.columns(); ++d) moved[i][d] -= quantizer.centre[d];
    });
    return quantizer.rotation.empty() ? moved : multiply_transposed(moved.view(), quantizer.rotation.view(), execution);
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
