#include "model/composite_input.h"

#include <utility>

#include "kernels/kernels.h"
#include "math/blas.h"

namespace summand {

CompositeInput composite_input(Matrix<float> vectors, const Matrix<float>& metric, const Matrix<float>& probe,
                               const Execution& execution) {
    CompositeInput input;
    input.shifts.resize(vectors.rows());
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        input.shifts[i] = kernels().dot(vectors.row(i), vectors.row(i), vectors.columns());
    if (!probe.empty()) input.probes = multiply_transposed(vectors.view(), probe.view(), execution);
    input.targets = metric.empty() ? std::move(vectors) : multiply_transposed(vectors.view(), metric.view(), execution);
    const CompositeView view = input.view();
    for (std::size_t i = 0; i < view.rows(); ++i)
        input.shifts[i] -= 2 * kernels().dot(view.probes.row(i), view.targets.row(i), view.targets.columns());
    return input;
}

Dictionaries transformed_words(const Dictionaries& dictionaries, const Matrix<float>& matrix,
                               const Execution& execution) {
    Dictionaries result = dictionaries;
    if (!matrix.empty()) result.rows = multiply_transposed(dictionaries.rows.view(), matrix.view(), execution);
    return result;
}

}  // namespace summand
