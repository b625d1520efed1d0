// Some of the smallest of many values, without sorting them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/aligned.h"
#include "kernels/kernels.h"

namespace summand {

/// Values and their numbers; of the thread, until its next call.
struct SomeValues {
    const float* values;
    const std::uint32_t* numbers;
    std::size_t count;
};

/// All values up to a limit, ascending by number.
inline SomeValues values_up_to(float limit, const float* values, std::size_t count) {
    thread_local Scratch<float> value_room;
    thread_local Scratch<std::uint32_t> number_room;
    float* found = value_room.at_least(count);
    std::uint32_t* numbers = number_room.at_least(count);
    std::copy_n(values, count, found);
    std::iota(numbers, numbers + count, 0u);
    return {found, numbers, kernels().scan.keep_up_to(limit, found, numbers, count)};
}

/// At least `wanted` of the values, ascending by number; the smallest are among them. A few more are found sooner.
inline SomeValues some_smallest(const float* values, std::size_t count, std::size_t wanted) {
    const bool all = wanted == 0 || wanted >= count;
    const float limit = all ? std::numeric_limits<float>::infinity()
                            : kernels().scan.ranked(values, count, wanted, wanted + wanted / 4 + 4);
    return values_up_to(limit, values, count);
}

}  // namespace summand
