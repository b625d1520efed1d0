// What the tests of several layers share: seeded data with structure, loops over kernel levels, and plain sums in
// double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "io/support.h"
#include "kernels/kernels.h"
#include "summand/dictionaries.h"
#include "summand/matrix.h"

namespace summand::test {

/// Points around 24 centres, stretched along a few directions that mix all dimensions, away from the origin.
inline Matrix<float> clustered(std::size_t rows, std::size_t columns, std::uint64_t seed = 1) {
    const Matrix<float> centres = random_matrix(24, columns, 1000);
    const Matrix<float> directions = random_matrix(3, columns, 1001);
    Random random(seed);
    Matrix<float> result(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t cluster = random.below(centres.rows());
        const double along[] = {random.gaussian(), random.gaussian(), random.gaussian()};
        for (std::size_t d = 0; d < columns; ++d) {
            double value = 1 + 2 * static_cast<double>(centres[cluster][d]) + 0.3 * random.gaussian();
            for (std::size_t j = 0; j < directions.rows(); ++j)
                value += 0.4 * along[j] * static_cast<double>(directions[j][d]);
            result[i][d] = static_cast<float>(value);
        }
    }
    return result;
}

inline Matrix<std::uint8_t> random_code_rows(std::size_t rows, std::size_t dictionaries, std::size_t words,
                                             std::uint64_t seed) {
    Random random(seed);
    Matrix<std::uint8_t> codes(rows, dictionaries);
    for (std::size_t i = 0; i < codes.size(); ++i) codes.data()[i] = static_cast<std::uint8_t>(random.below(words));
    return codes;
}

inline Dictionaries random_dictionaries(std::size_t count, std::size_t words, std::size_t dimensions,
                                        std::uint64_t seed) {
    return {.count = count, .words = words, .rows = random_matrix(count * words, dimensions, seed)};
}

inline double dot(const float* a, const float* b, std::size_t size) {
    double sum = 0;
    for (std::size_t d = 0; d < size; ++d) sum += static_cast<double>(a[d]) * static_cast<double>(b[d]);
    return sum;
}

inline double squared_distance(const float* a, const float* b, std::size_t size) {
    double sum = 0;
    for (std::size_t d = 0; d < size; ++d) {
        const double difference = static_cast<double>(a[d]) - static_cast<double>(b[d]);
        sum += difference * difference;
    }
    return sum;
}

/// Σ_m d[m][code_m].
inline std::vector<float> sum_of_words(const Dictionaries& dictionaries, const std::uint8_t* code) {
    std::vector<double> sum(dictionaries.dimensions());
    for (std::size_t m = 0; m < dictionaries.count; ++m)
        for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += static_cast<double>(dictionaries.word(m, code[m])[d]);
    return {sum.begin(), sum.end()};
}

/// Σ_{i≠j} d[i][code_i]·d[j][code_j].
inline double cross_term(const Dictionaries& dictionaries, const std::uint8_t* code) {
    double sum = 0;
    for (std::size_t i = 0; i < dictionaries.count; ++i)
        for (std::size_t j = 0; j < dictionaries.count; ++j)
            if (i != j)
                sum += dot(dictionaries.word(i, code[i]), dictionaries.word(j, code[j]), dictionaries.dimensions());
    return sum;
}

/// Runs body once per instruction set, that one in use.
template <class Body>
void with_each_level(const Body& body) {
    for (std::size_t i = 0; i < available_kernels().count; ++i) {
        SCOPED_TRACE(available_kernels().levels[i]->name);
        const ForcedKernels forced(*available_kernels().levels[i]);
        body();
    }
}

}  // namespace summand::test
