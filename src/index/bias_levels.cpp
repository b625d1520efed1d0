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
    for (std::size_t rank = 0; rank < kByteSlots; ++rank)
        levels[byte_slot(rank)] = sample[rank * sample.size() / kByteSlots];
    levels[byte_slot(0)] = *std::min_element(biases.begin(), biases.end());
    return levels;
}

std::uint8_t bias_slot(std::span<const float> levels, float bias) {
    std::size_t below = 0, above = kByteSlots;  // ranks: levels[below] <= bias < levels[above]
    while (above - below > 1) {
        const std::size_t middle = (below + above) / 2;
        (levels[byte_slot(middle)] <= bias ? below : above) = middle;
    }
    return static_cast<std::uint8_t>(byte_slot(below));
}

}  // namespace summand
