// One update of the dictionaries (and of the offsets where they are free) with the codes fixed, by L-BFGS.
#pragma once

#include "train/composite_objective.h"

namespace summand {

/// At most `iterations` of L-BFGS; never ends with a higher objective. Returns the terms at the end.
CompositeTerms descend(const CompositeData& data, const CompositePenalty& penalty, int iterations,
                       const Execution& execution, CompositeModel& model);

}  // namespace summand
