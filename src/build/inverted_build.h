// Cells and codes are learnt from a sample, then the base is read, assigned and encoded chunk by chunk. Memory holds
// codes, ids and cells, never the base. With a checkpoint every chunk is kept in a file as well, and a build that was
// killed goes on after the last one.
#pragma once

#include "summand/build.h"
#include "summand/index_spec.h"

namespace summand {

Index build_inverted(const VectorSource& base, const VectorSource& learn, const IndexSpec& spec,
                     const BuildSettings& settings);

/// Adds the vectors that the builder lacks.
InvertedIndex encode_lists(InvertedBuilder builder, const VectorSource& base, const BuildSettings& settings);

}  // namespace summand
