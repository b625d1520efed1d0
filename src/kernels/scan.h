// Scan kernels: sums of M look-ups over packed codes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace summand {

struct ScanKernels {};

}  // namespace summand
