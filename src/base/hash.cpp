#include "base/hash.h"

#include <zlib.h>

#include <cstring>

#include "base/random.h"

namespace summand {

std::uint32_t crc32_of(const void* data, std::size_t size, std::uint32_t crc) {
    return static_cast<std::uint32_t>(crc32_z(crc, static_cast<const Bytef*>(data), size));
}

std::uint64_t hash64(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::uint64_t hash = mix(seed ^ size);
    for (; size >= 8; bytes += 8, size -= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes, 8);
        hash = mix(hash ^ word);
    }
    if (size > 0) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, size);
        hash = mix(hash ^ word);
    }
    return hash;
}

}  // namespace summand
