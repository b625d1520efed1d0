// Scores of vectors themselves, in double: what decides among near-equal neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace summand {

struct ExactNeighbor {
    double score;
    std::int64_t id;

    /// Smaller scores first; equal scores by smaller id.
    friend bool operator<(const ExactNeighbor& a, const ExactNeighbor& b) {
        return a.score < b.score || (a.score == b.score && a.id < b.id);
    }
};

/// |q - x|², or -q·x.
inline double exact_score(const float* query, const float* vector, std::size_t dimensions, bool euclidean) {
    double sum = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
        const double q = query[d], x = vector[d];
        sum += euclidean ? (q - x) * (q - x) : -q * x;
    }
    return sum;
}

}  // namespace summand
