// An index that fits a memory budget, and why it is that one.
#pragma once

#include <string>
#include <vector>

#include "run.h"

namespace summand::cli {

struct Proposal {
    std::string spec;
    double memory_bytes = 0;           ///< of the index as a search holds it
    std::vector<std::string> reasons;  ///< a line each
};

/// Throws where even the smallest index does not fit.
Proposal propose(const VectorReader& base, Metric metric, double memory_bytes);

/// 2G, 512MB, 1.5GiB, 300000; units without an i are powers of 1,000. Below zero: the text is none of these.
double parse_bytes(const std::string& text);

}  // namespace summand::cli
