// Rough memory and time of long work, from sizes alone and a moment of measuring this machine.
#pragma once

#include <string>

#include "run.h"

namespace summand::cli {

struct Estimate {
    std::string spec = {};    ///< of an index to be built
    double memory_bytes = 0;  ///< at the peak
    double output_bytes = 0;  ///< of the file written
    double train_seconds = 0;
    double work_seconds = 0;  ///< encoding or searching
};

/// Prints it, and writes it as JSON where that is asked for.
void show(const Estimate& estimate, const Run& run);

Estimate estimate_train(const VectorReader& learn, const LearnOptions& options);
Estimate estimate_encode(const VectorReader& base, const Quantizer& model);
Estimate estimate_build(const VectorReader& base, const VectorReader& learn, const LearnOptions& options);
Estimate estimate_exact(const VectorReader& base, const VectorReader& queries, std::size_t k);

}  // namespace summand::cli
