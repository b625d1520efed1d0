// One update of the dictionaries (and of the offsets where they are free) with the codes fixed, by L-BFGS.
#pragma once

#include "train/composite_objective.h"

namespace summand {

/// At most `iterations` of L-BFGS on the objective of composite_objective.h; never ends higher. Returns the value.
double descend(const CompositeData& data, const CompositePenalty& penalty, int iterations, const Execution& execution,
               CompositeModel& model);

/// The same for 1/N Σ|r|² + penalty · Σ_{i≠j} |C_iᵀ·C_j|² (OCQ); the offsets play no part.
double descend_orthogonal(const CompositeData& data, double penalty, int iterations, const Execution& execution,
                          CompositeModel& model);

/// Σ_{i≠j} |C_iᵀ·C_j|², and `weight` times its gradient added to `gradient`.
double squared_cross_products(const Dictionaries& words, double weight, const Execution& execution,
                              std::vector<double>* gradient);

}  // namespace summand
