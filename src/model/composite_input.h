// What the composite encoder and its training see of the data.
#pragma once

#include <cstddef>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct CompositeView {
    MatrixView<float> vectors;
    const float* squared_norms = nullptr;  ///< |y|² of each

    std::size_t rows() const { return vectors.rows(); }
    CompositeView slice(std::size_t first, std::size_t count) const {
        return {vectors.slice(first, count), squared_norms + first};
    }
};

struct CompositeInput {
    Matrix<float> vectors;
    std::vector<float> squared_norms;

    CompositeView view() const { return {vectors.view(), squared_norms.data()}; }
};

CompositeInput composite_input(Matrix<float> vectors);

}  // namespace summand
