// What this machine offers and what the library uses of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace summand {

/// The instruction set in use: "scalar", "avx2", "avx512" or "neon". `SUMMAND_KERNELS=name` forces a level.
std::string_view kernel_level();

/// All levels this CPU can run, slowest first.
std::vector<std::string_view> kernel_levels();

/// Number of threads that `Execution::threads = 0` means.
unsigned default_threads();

std::string_view version();

/// Name, version and CPU of the BLAS that is linked, as far as it tells: "OpenBLAS 0.3.21 (SkylakeX)".
std::string blas_library();

}  // namespace summand
