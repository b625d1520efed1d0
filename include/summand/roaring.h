// Filters as Roaring bitmaps, which databases and other programs write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "summand/search.h"

namespace summand {

/// The portable formats of https://github.com/RoaringBitmap/RoaringFormatSpec: of values below 2^32, and of values of
/// 64 bits, of which ids take those below 2^63.
enum class RoaringFormat : std::uint8_t { bits32, bits64 };

/// Keeps the ids in the bitmap, as ranges: 16 bytes for each run of ids that follow each other, however far apart runs
/// are. Throws `Error` that begins with `name` for bytes that are no such bitmap, or more.
IdFilter filter_of_roaring(std::span<const std::byte> bytes, RoaringFormat format, const std::string& name = "filter");

}  // namespace summand
