#include "model/composite_input.h"

#include <utility>

#include "kernels/kernels.h"

namespace summand {

CompositeInput composite_input(Matrix<float> vectors) {
    CompositeInput input{std::move(vectors), {}};
    for (std::size_t i = 0; i < input.vectors.rows(); ++i)
        input.squared_norms.push_back(
            kernels().dot(input.vectors.row(i), input.vectors.row(i), input.vectors.columns()));
    return input;
}

}  // namespace summand
