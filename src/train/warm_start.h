// Where the composite family starts.
#pragma once

#include <cstdint>
#include <functional>

#include "train/composite.h"
#include "train/composite_objective.h"

namespace summand {

struct CompositeStart {
    Dictionaries dictionaries;  ///< dense words in the space of the vectors
    Matrix<std::uint8_t> codes;
};

struct StartOptions {
    std::size_t dictionaries, words;
    std::uint64_t seed;
    Execution execution;
    RotationStart rotation = RotationStart::automatic;  ///< of Cartesian k-means
    StartRecipe recipe = {};
    /// Iterations of Cartesian k-means as it is trained by itself, from all vectors and dimensions; 0: a quick one.
    int finished = 0;
};

/// The solution of PQ, and of Cartesian k-means with its rotation multiplied into the words; that one from PCA and
/// within a subspace where there are more than recipe.dimensions.
CompositeStart pq_start(MatrixView<float> vectors, const StartOptions& options);
CompositeStart opq_start(MatrixView<float> vectors, const StartOptions& options);

/// Composite quantization without a constraint: least squares for the dictionaries, then the codes, until the state's
/// objective, to which the error after each is appended, has `iterations` values. Calls `finished` after each.
void improve_unconstrained(const CompositeView& vectors, int iterations, const Recipe& recipe,
                           const Execution& execution, CompositeState& state,
                           const std::function<void()>& finished = {});

/// Adds a dictionary of zero words whose offsets are levels of what the other offsets leave of `targets`
/// (offset_targets); fits those others first.
void append_levels(const std::vector<double>& targets, std::size_t words, std::uint64_t seed, const Recipe& recipe,
                   const Execution& execution, CompositeModel& model, Matrix<std::uint8_t>& codes);

}  // namespace summand
