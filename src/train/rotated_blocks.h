// Cartesian k-means: a rotation R and block dictionaries C that minimise
//
//     Σ_n |R·x_n - C·y_n|²
//
// by turns: codes and centres in the rotated space, then R as the orthogonal matrix nearest to Σ_n (C·y_n)·x_nᵀ.
#pragma once

#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct RotatedBlocks {
    Matrix<float> rotation;
    Dictionaries dictionaries;
};

struct BlockSteps {
    int first, last, all;
    std::string_view stage;
};

/// Steps [first, last); appends the mean squared error before each update to `objective`.
void alternate(MatrixView<float> x, const BlockSteps& steps, const Execution& execution, const Stopwatch& watch,
               RotatedBlocks& state, std::vector<double>& objective);

/// Mean squared error of fresh codes.
double distortion_of(MatrixView<float> x, const RotatedBlocks& state, const Execution& execution);

}  // namespace summand
