// Inner loops, once per instruction set, as function pointers over plain pointers and sizes.
//
// Every level computes the same bits: sums run in an order that is part of each function's contract (either
// element by element over one index, or in 16 interleaved lanes that are added up pairwise), products are added with
// one rounding where it says "fused" and with two elsewhere, and no file is compiled with contraction of a*b+c. Kernel
// files may not emit weak symbols (tools/check_kernel_symbols).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/rows.h"
#include "kernels/scan.h"

namespace summand {

/// Visits of the iterated conditional modes: for one vector after another the best word k of a dictionary, its other
/// words fixed. With pair(k) = scale · Σ_rows row[k], the inner product of word k with the sum of the other chosen
/// words,
///     change(k) = unary[k] + 2·pair(k)
///     error(k)  = error  + change(k)                     - the same of the current word
///     excess(k) = excess + gain(k) + slope·change(k)     - the same of the current word
///     cost(k)   = error(k) + penalty·excess(k)² + absolute·|excess(k)|
struct IcmDictionary {
    const float* gain;  ///< gain(k) = gain[k] + gain_slope·unary[k]
    float gain_slope;
    std::size_t stride;  ///< K rounded up to a multiple of kIcmLanes
    std::size_t row_count;
    float scale;
    float penalty, slope;
    float absolute = 0;
};

/// How unaries are rounded down to 16 bits: to (unary - least)·per_step, a step being 2·scale·2^shift.
struct IcmBounds {
    float least, per_step;
    int shift;
};

struct IcmVisit {
    const std::int16_t* const* rows;  ///< `row_count` rows of `stride` values; their sum fits 16 bits
    const float* unary;               ///< |c|² - 2 y·c; kIcmPadding past the last word
    const std::int16_t* bound;        ///< the same by icm_bounds
    IcmBounds bounds;
    std::uint32_t word;   ///< the current one
    float error, excess;  ///< with it
};
inline constexpr std::size_t kIcmLanes = 32;
inline constexpr std::size_t kMaxIcmStride = 256;
inline constexpr float kIcmPadding = __builtin_inff();  // costs more than any word, or compares as neither
inline constexpr float kMostIcmBound = 16383;           // fits 16 bits together with the pairs of a step of 4·scale
inline constexpr int kMostIcmShift = 100;               // of unaries that overflow

/// The current word, unless another one costs less.
struct IcmChoice {
    std::uint32_t word;
    float cost, error, excess;
};

struct Kernels {
    const char* name;

    /// out[w] = Σ_d query[d]·columns[d·stride + w], d ascending, fused, for w < words.
    void (*inner_products)(const float* query, const float* columns, std::size_t dimensions, std::size_t words,
                           std::size_t stride, float* out);

    /// The smallest k that minimises scores[k] + added[k].
    std::uint32_t (*argmin_sum)(const float* scores, const float* added, std::size_t count, float* best);

    /// Σ a·b and Σ (a-b)² in 16 lanes.
    float (*dot)(const float* a, const float* b, std::size_t size);
    float (*squared_distance)(const float* a, const float* b, std::size_t size);

    /// out[d] = Σ_m rows[m][d], m ascending.
    void (*sum_rows)(const float* const* rows, std::size_t count, std::size_t size, float* out);

    /// out[d] = a·x[d] + b·y[d] + c·z[d].
    void (*combine)(float a, const float* x, float b, const float* y, float c, const float* z, std::size_t size,
                    float* out);

    /// rows[codes[i·code_stride]][d] += values[i][d] for i < count, i ascending.
    void (*scatter_add)(const float* values, std::size_t count, std::size_t size, const std::uint8_t* codes,
                        std::size_t code_stride, float* rows);

    /// Unaries of `words` words, padded to `stride`.
    IcmBounds (*icm_bounds)(const float* unary, std::size_t words, std::size_t stride, float scale, std::int16_t* out);
    void (*icm_visits)(const IcmDictionary& dictionary, const IcmVisit* visits, std::size_t count, IcmChoice* choices);

    RowKernels rows;
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
