// A stored bias takes part in the 8-bit bounds of the scan through 256 levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace summand {

/// 256 ascending values, the first of them the smallest bias; spread evenly over the biases.
std::vector<float> bias_levels(std::span<const float> biases);

/// The last level that is not above the bias.
std::uint8_t bias_level(std::span<const float> levels, float bias);

}  // namespace summand
