// IEEE half precision, as bits: a sign, 5 bits of exponent, 10 bits of fraction.
#pragma once

#include <cstdint>

namespace summand {

inline constexpr float kLargestHalf = 65504;

/// Neither infinite nor NaN.
inline bool is_finite_half(std::uint16_t half) { return (half & 0x7c00u) != 0x7c00u; }

/// Exact.
float half_to_float(std::uint16_t half);

/// The nearest half, the even one of two that are equally near; infinity from 65520 on.
std::uint16_t half_of(float value);

}  // namespace summand
