// Solutions of block methods, unfolded to dense words: where the composite family starts.
#pragma once

#include <cstdint>

#include "summand/train.h"
#include "train/composite.h"

namespace summand {

struct BlockStart {
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

/// Trains PQ, or Cartesian k-means and multiplies its rotation into the words. Vectors with more than recipe.dimensions
/// are rotated within a subspace, from PCA.
BlockStart pq_start(MatrixView<float> vectors, const StartOptions& options);
BlockStart opq_start(MatrixView<float> vectors, const StartOptions& options);

/// Fits the offsets of the words to `targets` (offset_targets), then adds a dictionary of zero words whose offsets are
/// levels of what is left. The last step of a training: nothing is pulled from then on.
void append_levels(const Problem& problem, const std::vector<double>& targets, CompositeState& state);

}  // namespace summand
