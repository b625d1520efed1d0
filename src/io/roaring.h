// Reading Roaring bitmaps in their portable format (https://github.com/RoaringBitmap/RoaringFormatSpec). Values come in
// containers of 65,536 by their high 16 bits, each held as a sorted array, as a bitmap or as runs:
//
//     | cookie, containers | which are runs | (key, values - 1) each | offset each | container | container | …
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace summand::roaring {

inline constexpr std::uint32_t kWithoutRuns = 12346, kWithRuns = 12347;
inline constexpr std::size_t kInContainer = 1 << 16;  // values
inline constexpr std::size_t kLargestArray = 4096;    // values; more are a bitmap
inline constexpr std::size_t kFewestWithOffsets = 4;  // containers, in files with runs

/// From the first to the last one, both included.
using TakeRun = std::function<void(std::uint64_t first, std::uint64_t last)>;

/// Hands the values over, ascending, in runs that may touch each other, and returns how many bytes the bitmap takes.
/// Throws `Error` that begins with `what` where the bytes are none, or end early.
std::size_t read(std::span<const std::byte> bytes, const std::string& what, const TakeRun& take);

}  // namespace summand::roaring
