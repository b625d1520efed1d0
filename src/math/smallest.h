// Some of the smallest of many values, without sorting them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/kernels.h"

namespace summand {

/// Calls add(i) for at least `wanted` of the values, in order of i; the smallest are among them. If the smallest values
/// of that many groups are up to a limit, then at least as many values are, and only such groups are looked at.
template <class Add>
void for_smallest(const float* values, std::size_t count, std::size_t wanted, Add add) {
    constexpr std::size_t kGroup = 16;
    const std::size_t groups = count / kGroup;
    if (wanted >= groups) {
        for (std::size_t i = 0; i < count; ++i) add(i);
        return;
    }
    std::vector<float> smallest(groups);
    for (std::size_t g = 0; g < groups; ++g) smallest[g] = kernels().scan.range(values + g * kGroup, kGroup).smallest;
    const float limit = kernels().scan.ranked(smallest.data(), groups, wanted);
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t i = g * kGroup; smallest[g] <= limit && i < (g + 1) * kGroup; ++i)
            if (values[i] <= limit) add(i);
    for (std::size_t i = groups * kGroup; i < count; ++i)
        if (values[i] <= limit) add(i);
}

}  // namespace summand
