// Where the penalised methods start: the block method whose words are learnt on best, and μ.
#pragma once

#include "train/composite.h"
#include "train/warm_start.h"

namespace summand {

/// A block method's solution on the first `rows` vectors, as a state with μ = 0.
CompositeState block_state(const Problem& problem, WarmStart kind, std::size_t rows,
                           RotationStart rotation = RotationStart::automatic);

/// The start that options name; for `automatic` the one whose trial the judge likes best. μ is the one given, derived
/// or validated.
CompositeState start(const Problem& problem);

}  // namespace summand
