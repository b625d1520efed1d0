// Scores of a query of floats against rows that hold each number in one or two bytes. Numbers are widened exactly, and
// sums have the bits of `dot` and `squared_distance` of the widened row: 16 lanes, no fused products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace summand {

/// Halves are IEEE half precision, as bits; none of them infinite or NaN.
struct RowKernels {
    float (*half_dot)(const float* query, const std::uint16_t* row, std::size_t size);
    float (*half_distance)(const float* query, const std::uint16_t* row, std::size_t size);

    float (*byte_dot)(const float* query, const std::uint8_t* row, std::size_t size);

    /// Σ (query - scale·row)²
    float (*byte_distance)(const float* query, float scale, const std::uint8_t* row, std::size_t size);

    /// Σ (query[d] - steps[d]·row[d])²
    float (*stepped_distance)(const float* query, const float* steps, const std::uint8_t* row, std::size_t size);

    /// Σ row[d]², exactly.
    std::uint64_t (*byte_squares)(const std::uint8_t* row, std::size_t size);
};

}  // namespace summand
