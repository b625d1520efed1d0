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
    /// Iterations of Cartesian k-means as it is trained by itself, from all vectors and dimensions; 0: a quick one.
    int finished = 0;
};

/// The solution of PQ, and of Cartesian k-means with its rotation multiplied into the words; that one from PCA and
/// within a subspace where there are more than kStartDimensions.
CompositeStart pq_start(MatrixView<float> vectors, const StartOptions& options);
CompositeStart opq_start(MatrixView<float> vectors, const StartOptions& options);

/// Composite quantization without a constraint: least squares for the dictionaries, then the codes, until the state's
/// objective, to which the error after each is appended, has `iterations` values. Calls `finished` after each.
void improve_unconstrained(const CompositeView& vectors, int iterations, const Execution& execution,
                           CompositeState& state, const std::function<void()>& finished = {});

/// Ties the offsets of a block method's solution, and pulls what is learnt from now on to it.
void anchor_to_start(const CompositeTask& task, CompositeState& state);

/// Where there are few vectors: of several weights of the anchor, that with which held-out vectors have the lowest
/// objective after a few of the iterations that `learn` makes.
void choose_anchor(CompositeTask& task, const std::function<void(CompositeState&)>& learn, CompositeState& state);

/// Adds a dictionary of zero words whose offsets are levels of what the other offsets leave of `targets`
/// (offset_targets); fits those others first. The anchor gets the words and the levels as well.
void append_levels(const std::vector<double>& targets, std::size_t words, std::uint64_t seed,
                   const Execution& execution, CompositeState& state);

}  // namespace summand
