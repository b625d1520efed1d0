// What queries near a vector look like, learnt from near neighbours within the training set.
//
// For a query q near x, with r = x - x̄, the score differs from the true distance by
//     Σ_m word_offset - |x|² + 2 q·r
// so only the mean and the variance of q·r matter. Over near pairs (x, q), with Σ = E[x·xᵀ] and S = E[(q-x)·(q-x)ᵀ],
//     E[q | x] ≈ B·x,  B = 1 - lean·T,  T = S·Σ⁻¹/2            (neighbours lean towards the mean)
//     Cov[q | x] ≈ S - S·Σ⁻¹·S/4                               (what is left)
// Residuals count in the metric A = Cov^(power/2), scaled so that det A = 1, and the offsets are fitted for the
// query B·x: e is the error of that query's score, plus (1 - theta)·|A·r|².
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// (x, q) as rows of the training set.
using NearPairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Sampled rows with their nearest neighbours up to rank 50 among at most 100,000 rows.
NearPairs near_pairs(MatrixView<float> vectors, const Execution& execution);

struct QueryModelOptions {
    double lean = 0.8;
    double power = 0.25;
};

struct QueryModel {
    Matrix<float> metric = {};       ///< A
    Matrix<float> inverse = {};      ///< A⁻¹
    Matrix<float> probe = {};        ///< A⁻¹·B
    Matrix<float> expectation = {};  ///< B
};

/// `vectors` are centred.
QueryModel query_model(MatrixView<float> vectors, const NearPairs& pairs, const QueryModelOptions& options,
                       const Execution& execution);

/// s² = Var[r·(q - B·x) + (1 - theta)/2·|A·r|²] / E|A·r|² over near pairs: the mean squared error of a score is then
/// about 4 s²|A·r|² + e², which makes 1/(4 s²) the natural penalty.
double score_variance(MatrixView<float> vectors, const NearPairs& pairs, const QueryModel* model, double theta,
                      const Dictionaries& words, const Matrix<std::uint8_t>& codes, const Execution& execution);

}  // namespace summand
