#include "summand/half.h"

#include <bit>

namespace summand {

float half_to_float(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t fraction = half & 0x3ffu;
    if (exponent == 0) {  // zero and the numbers below 2^-14
        const float size = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -size : size;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

std::uint16_t half_of(float value) {
    constexpr std::uint32_t kInfinity = 0x7c00, kNaN = 0x7e00;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return static_cast<std::uint16_t>(sign | kNaN);
    if (size >= 0x47800000u) return static_cast<std::uint16_t>(sign | kInfinity);  // from 2^16 on
    // Below 2^-14: whole multiples of 2^-24, up to the first normal half. A float from 2^-1 on ends with 2^-24.
    if (size < 0x38800000u)
        return static_cast<std::uint16_t>(
            sign | (std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000u));
    const std::uint32_t rebased = size - (112u << 23);  // a carry of the rounding goes into the exponent
    return static_cast<std::uint16_t>(sign | ((rebased + 0xfffu + (rebased >> 13 & 1u)) >> 13));
}

}  // namespace summand
