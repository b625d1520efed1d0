// A stored bias takes part in the 8-bit bounds of the scan through 256 levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace summand {

/// 256 values in the order of slots: by rank (`byte_slot`) they ascend, the first of them is the smallest bias, and
/// they are spread evenly over the biases.
std::vector<float> bias_levels(std::span<const float> biases);

/// The slot of the last level, by rank, that is not above the bias.
std::uint8_t bias_slot(std::span<const float> levels, float bias);

}  // namespace summand
