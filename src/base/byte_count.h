// Sizes that files claim: multiplied so that a product that does not fit is noticed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace summand {

/// The product of all factors, or nothing where it exceeds 64 bits.
inline std::optional<std::uint64_t> product(std::span<const std::uint64_t> factors) {
    std::uint64_t result = 1;
    for (const std::uint64_t factor : factors)
        if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
    return result;
}

inline std::optional<std::uint64_t> product(std::initializer_list<std::uint64_t> factors) {
    return product(std::span(factors.begin(), factors.size()));
}

}  // namespace summand
