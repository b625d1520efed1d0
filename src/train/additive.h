// Sums of words found by beam search: what residual and additive quantization share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct AdditiveState {
    Dictionaries dictionaries = {};
    Matrix<std::uint8_t> codes = {};
    std::vector<double> objective = {};  ///< mean squared error after each step
};

struct ResidualSteps {
    std::size_t dictionaries, words;
    int iterations;  ///< of k-means
    std::uint64_t seed;
    std::string_view stage;
};

/// One dictionary after the other: k-means of the residuals, then beam search with all dictionaries so far. The error
/// never rises.
AdditiveState residual_dictionaries(MatrixView<float> vectors, const ResidualSteps& steps, const Execution& execution);

}  // namespace summand
