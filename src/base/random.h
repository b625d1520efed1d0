// Random numbers that are the same on every platform and standard library.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace summand {

/// Mixes a 64-bit value so that every input bit influences every output bit (splitmix64).
inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed) | 1) {}

    std::uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }

    /// Uniform in [0, n), n > 0.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((static_cast<Wide>(next()) * n) >> 64); }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    double gaussian() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

private:
    __extension__ typedef unsigned __int128 Wide;
    std::uint64_t state_;
};

/// `count` different numbers below `n`, ascending; all of them where count >= n.
std::vector<std::size_t> sample_without_replacement(std::size_t n, std::size_t count, Random& random);

/// The numbers below `n` in random order.
std::vector<std::size_t> permutation(std::size_t n, Random& random);

}  // namespace summand
