// Vectors with approximations that err at random, and queries; what offsets cost there, by sorting.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "support/data.h"

namespace summand::test {

struct RuleSetting {
    explicit RuleSetting(std::size_t rows = 400, std::size_t asked = 512, float error = 0.3f)
        : vectors(clustered(rows, 6)), sums(vectors), queries(clustered(asked, 6, 7)) {
        const Matrix<float> noise = random_matrix(rows, 6, 3);
        for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] += error * noise.data()[i];
    }

    Matrix<float> vectors, sums, queries;
};

// log2(1 + rank) among the vectors from `begin` on that have offsets, by sorting.
inline double plain_cost(const RuleSetting& setting, std::span<const float> offsets, std::size_t begin = 0) {
    double total = 0;
    for (std::size_t q = 0; q < setting.queries.rows(); ++q) {
        const float* query = setting.queries.row(q);
        std::size_t nearest = 0;
        std::vector<double> scores;
        for (std::size_t n = 0; n < offsets.size(); ++n) {
            if (squared_distance(query, setting.vectors.row(begin + n), 6) <
                squared_distance(query, setting.vectors.row(begin + nearest), 6))
                nearest = n;
            scores.push_back(double{offsets[n]} - 2 * dot(query, setting.sums.row(begin + n), 6));
        }
        const double own = scores[nearest];
        std::sort(scores.begin(), scores.end());
        total += std::log2(
            1.0 + static_cast<double>(std::lower_bound(scores.begin(), scores.end(), own - 1e-6) - scores.begin()));
    }
    return total / static_cast<double>(setting.queries.rows());
}

inline double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace summand::test
