// One update of the dictionaries (and of the offsets where they are free) with the codes fixed, by L-BFGS.
#pragma once

#include "summand/recipe.h"
#include "train/composite_objective.h"

namespace summand {

/// Which values of the words may change: all, or those that are not zero.
enum class Support { all, nonzeros };

/// At most `recipe.iterations` of L-BFGS on the objective of composite_objective.h; never ends higher. Returns the
/// value. Where the objective has |e| the gradient is one of several at e = 0, and the best point met is still kept.
double descend(const CompositeData& data, const CompositePenalty& penalty, const LbfgsRecipe& recipe,
               const Execution& execution, CompositeModel& model, Support support = Support::all);

/// The same for 1/N Σ|r|² + penalty · Σ_{i≠j} |C_iᵀ·C_j|² (OCQ); the offsets play no part.
double descend_orthogonal(const CompositeData& data, double penalty, const LbfgsRecipe& recipe,
                          const Execution& execution, CompositeModel& model);

/// Σ_{i≠j} |C_iᵀ·C_j|², and `weight` times its gradient added to `gradient`.
double squared_cross_products(const Dictionaries& words, double weight, const Execution& execution,
                              std::vector<double>* gradient);

}  // namespace summand
