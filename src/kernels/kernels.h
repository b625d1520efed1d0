// Inner loops, once per instruction set, as function pointers over plain pointers and sizes.
//
// Every level computes the same bits: sums run in an order that is part of each function's contract (either
// element by element over one index, or in 16 interleaved lanes that are added up pairwise), and no file is
// compiled with contraction of a*b+c. Kernel files may not emit weak symbols (tools/check_kernel_symbols).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/scan.h"

namespace summand {

/// One visit of the iterated conditional modes: the best word of one dictionary, the others fixed.
/// With pair = scale · Σ_rows row[k] (the inner products with the other chosen words),
///     error(k)  = error + unary[k] + 2·pair
///     excess(k) = excess + word_excess[k] - theta·unary[k] + 2·(1 - theta)·pair
///     cost(k)   = error(k) + penalty·excess(k)²
struct IcmVisit {
    const std::int16_t* const* rows;   ///< `row_count` rows of `stride` values; their sum fits 16 bits
    std::size_t row_count;
    const float* unary;                ///< |c|² - 2 y·c; +large in the padding
    const float* word_excess;          ///< |c|² - word_offset
    std::size_t stride;                ///< K rounded up to a multiple of kIcmLanes
    float scale;
    float error, excess;               ///< without this dictionary
    float penalty, theta;
};
inline constexpr std::size_t kIcmLanes = 32;
inline constexpr std::size_t kMaxIcmStride = 256;

struct IcmChoice {
    std::uint32_t word;
    float cost;
    float pair;                        ///< of the chosen word
};

struct Kernels {
    const char* name;

    /// out[w] = Σ_d query[d]·columns[d·stride + w], d ascending, for w < words.
    void (*inner_products)(const float* query, const float* columns, std::size_t dimensions, std::size_t words,
                           std::size_t stride, float* out);

    /// The smallest k that minimises scores[k] + added[k].
    std::uint32_t (*argmin_sum)(const float* scores, const float* added, std::size_t count, float* best);

    /// Σ a·b and Σ (a-b)² in 16 lanes.
    float (*dot)(const float* a, const float* b, std::size_t size);
    float (*squared_distance)(const float* a, const float* b, std::size_t size);

    /// out[d] = Σ_m rows[m][d], m ascending; and rows[m][d] += value[d].
    void (*sum_rows)(const float* const* rows, std::size_t count, std::size_t size, float* out);
    void (*add_to_rows)(float* const* rows, std::size_t count, std::size_t size, const float* value);

    IcmChoice (*icm_visit)(const IcmVisit& visit);

    ScanKernels scan;
};

/// The level in use: the best one this CPU has, or what SUMMAND_KERNELS names.
const Kernels& kernels();

/// Every level this CPU can run, slowest first: tests loop over them.
struct KernelLevels {
    const Kernels* levels[4];
    std::size_t count;
};
const KernelLevels& available_kernels();

/// Makes `kernels()` return another level until destroyed; for tests and benchmarks.
class ForcedKernels {
public:
    explicit ForcedKernels(const Kernels& level);
    ~ForcedKernels();
    ForcedKernels(const ForcedKernels&) = delete;
    ForcedKernels& operator=(const ForcedKernels&) = delete;

private:
    const Kernels* previous_;
};

}  // namespace summand
