#include "train/sparse_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace summand {
namespace {

constexpr double kUnused = 1e-6;  // uses of a word that no vector has: its values are the first to go

std::vector<double> uses(const Matrix<std::uint8_t>& codes, const Dictionaries& dictionaries) {
    std::vector<double> counts(dictionaries.rows.rows(), kUnused);
    for (std::size_t n = 0; n < codes.rows(); ++n)
        for (std::size_t m = 0; m < dictionaries.count; ++m) counts[m * dictionaries.words + codes[n][m]] += 1;
    return counts;
}

}  // namespace

std::size_t nonzeros_of(Sparsity sparsity, std::size_t dictionaries, std::size_t words, std::size_t dimensions) {
    const std::size_t blocks = words * dimensions;
    if (sparsity == Sparsity::as_pq) return blocks;
    return std::min(blocks + dimensions * dimensions, dictionaries * blocks);
}

std::size_t falling_nonzeros(std::size_t all, std::size_t last, double share) {
    const double kept =
        static_cast<double>(all) * std::pow(static_cast<double>(last) / static_cast<double>(all), std::min(1.0, share));
    return share >= 1 ? last : std::max(last, static_cast<std::size_t>(kept));
}

void keep_strongest(const Matrix<std::uint8_t>& codes, std::size_t count, Dictionaries& dictionaries) {
    float* values = dictionaries.rows.data();
    const std::size_t size = dictionaries.rows.size(), D = dictionaries.dimensions();
    if (count >= size) return;
    const std::vector<double> used = uses(codes, dictionaries);
    const auto strength = [&](std::size_t i) {
        return used[i / D] * static_cast<double>(values[i]) * static_cast<double>(values[i]);
    };
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                     [&](std::size_t a, std::size_t b) {
                         const double left = strength(a), right = strength(b);
                         return left > right || (left == right && a < b);
                     });
    std::for_each(order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                  [&](std::size_t i) { values[i] = 0; });
}

}  // namespace summand
