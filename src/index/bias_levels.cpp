#include "index/bias_levels.h"

#include <algorithm>

#include "kernels/scan.h"

namespace summand {
namespace {

constexpr std::size_t kSample = 1 << 16;

}  // namespace

std::vector<float> bias_levels(std::span<const float> biases) {
    std::vector<float> levels(kByteSlots, 0.0f);
    if (biases.empty()) return levels;
    std::vector<float> sample;
    const std::size_t step = (biases.size() + kSample - 1) / kSample;
    for (std::size_t i = 0; i < biases.size(); i += step) sample.push_back(biases[i]);
    std::sort(sample.begin(), sample.end());
    for (std::size_t level = 0; level < kByteSlots; ++level) levels[level] = sample[level * sample.size() / kByteSlots];
    levels[0] = *std::min_element(biases.begin(), biases.end());
    return levels;
}

std::uint8_t bias_level(std::span<const float> levels, float bias) {
    const auto above = std::upper_bound(levels.begin(), levels.end(), bias);
    return static_cast<std::uint8_t>(above - levels.begin() - 1);
}

}  // namespace summand
