// Stored elements to floats and ids, and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/source.h"

namespace summand {

/// `count` stored elements as floats.
void to_floats(Stored type, const std::byte* stored, std::size_t count, float* out);

/// `count` stored int32, uint32, int64 or uint64 as ids; uint64 beyond int64 become negative.
void to_ids(Stored type, const std::byte* stored, std::size_t count, std::int64_t* out);

/// The whole numbers that an integer type can store.
struct Range {
    std::int64_t smallest;
    std::int64_t largest;
};
Range range_of(Stored type);

/// `count` values that lie in the type's range, rounded to the nearest whole number where it has no fractions.
void from_floats(Stored type, const float* values, std::size_t count, std::byte* out);
void from_ids(Stored type, const std::int64_t* ids, std::size_t count, std::byte* out);

}  // namespace summand
