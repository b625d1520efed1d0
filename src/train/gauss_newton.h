// One update of dictionaries and free offsets with the codes fixed, by a Gauss-Newton step: e_n is replaced by its
// tangent, so that the objective becomes a sum of squares,
//
//     1/N Σ_n |r_n - δ_n|² + penalty·(e_n + g_n·δ_n - Σ_m Δword_offset)²      δ_n = Σ_m Δc, g_n = 2 a·y_n - 2 (1 - θ)
//     r_n
//
// which conjugate gradients lower. Their preconditioner is the same sum without the penalty: the words' usage counts
// Y·Yᵀ, factorised once. A few iterations go as far as dozens of L-BFGS (docs/decisions/0004).
#pragma once

#include "summand/recipe.h"
#include "train/composite_objective.h"

namespace summand {

/// `recipe.iterations` of conjugate gradients; never ends higher. Returns the value. Needs offsets that are free, or
/// none.
double newton_step(const CompositeData& data, const CompositePenalty& penalty, const NewtonRecipe& recipe,
                   const Execution& execution, CompositeModel& model);

}  // namespace summand
