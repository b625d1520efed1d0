// Numbers in files: little-endian unless a name says otherwise, at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace summand {

static_assert(std::endian::native == std::endian::little, "files are little-endian; this machine needs byte swaps");

template <class T>
T load_little(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class T>
void store_little(std::byte* bytes, T value) {
    std::memcpy(bytes, &value, sizeof value);
}

inline std::uint32_t load_big32(const std::byte* bytes) {
    return std::to_integer<std::uint32_t>(bytes[0]) << 24 | std::to_integer<std::uint32_t>(bytes[1]) << 16 |
           std::to_integer<std::uint32_t>(bytes[2]) << 8 | std::to_integer<std::uint32_t>(bytes[3]);
}

}  // namespace summand
