// Local descriptors in the space of a vocabulary.
#pragma once

#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// projection · (x - mean), or x - mean where the projection is empty.
Matrix<float> projected(MatrixView<float> descriptors, const std::vector<float>& mean, const Matrix<float>& projection,
                        const Execution& execution);

}  // namespace summand
