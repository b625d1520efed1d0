// What every training does first: check the data, scale it for cosine, subtract the mean.
#pragma once

#include <cstddef>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct Prepared {
    Matrix<float> vectors;      ///< centred
    std::vector<float> centre;  ///< what was subtracted
};

/// What is subtracted: the mean, or nothing.
enum class Centring { mean, none };

struct TrainShape {
    std::size_t dictionaries;  ///< M
    std::size_t words;         ///< K
    Centring centring = Centring::mean;
};

/// Throws `Error` for values that are not finite, fewer vectors than words, or M and K out of range.
Prepared prepare(MatrixView<float> vectors, TrainShape shape, bool unit_length, const Execution& execution);

}  // namespace summand
