// Checksums and identities.
#pragma once

#include <cstddef>
#include <cstdint>

namespace summand {

/// CRC-32 (as in zlib and PNG) of a byte range, chained through `crc`.
std::uint32_t crc32_of(const void* data, std::size_t size, std::uint32_t crc = 0);

/// A 64-bit hash of a byte range, chained through `seed`; the same on every platform of the same byte order.
std::uint64_t hash64(const void* data, std::size_t size, std::uint64_t seed = 0);

}  // namespace summand
