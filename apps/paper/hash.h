// A hash for names of cached files: FNV-1a over words of 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace summand::cli {

inline std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before = 0) {
    constexpr std::uint64_t kPrime = 0x100000001b3, kStart = 0xcbf29ce484222325;
    std::uint64_t hash = before ^ kStart;
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * kPrime;
        hash ^= hash >> 32;  // high bits would not reach the low ones otherwise
    };
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + i, 8);
        mix(word);
    }
    for (std::size_t i = bytes.size() / 8 * 8; i < bytes.size(); ++i) mix(std::to_integer<std::uint64_t>(bytes[i]));
    return hash;
}

}  // namespace summand::cli
