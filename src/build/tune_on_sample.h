// Search parameters for an index that nobody has queries for: vectors of its own base ask for their neighbours.
#pragma once

#include <optional>

#include "summand/build.h"

namespace summand {

/// Gives the index the defaults that reach `settings.target`, where some do. Returns the recall of its searches, or
/// nothing where there are too few vectors to tell.
std::optional<double> tune_on_sample(const VectorSource& base, const BuildSettings& settings, Index& index);

}  // namespace summand
