// True neighbours among the vectors of a file.
#pragma once

#include "run.h"

namespace summand::cli {

/// By brute force, a chunk of the file at a time; where there are fewer vectors than neighbours, all of them.
Neighbors exact_in_file(const VectorReader& base, MatrixView<float> queries, std::size_t neighbors, Metric metric,
                        Run& run);

}  // namespace summand::cli
