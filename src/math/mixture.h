// Mixtures of K Gaussians with diagonal covariances, p(x) = Σ_k w_k N(x; μ_k, σ_k²), by expectation and maximisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct Mixture {
    Matrix<float> means;         ///< K × D
    Matrix<float> variances;     ///< K × D, positive
    std::vector<float> weights;  ///< K, their sum is one
};

/// What the points tell of each Gaussian. With γ_k(x) = w_k N(x; μ_k, σ_k²) / p(x), row k is
///     | Σ γ_k x² | Σ γ_k x | Σ γ_k |           D, D and one value
struct Expectation {
    Matrix<double> sums;
    double log_likelihood = 0;  ///< mean of log p(x)
};
Expectation expectation(const Mixture& mixture, MatrixView<float> points, const Execution& execution);

struct MixtureOptions {
    std::size_t components = 64;
    int iterations = 25;  ///< of k-means, and then of the mixture
    std::uint64_t seed = 1;
    Execution execution = {};
};

struct FittedMixture {
    Mixture mixture;
    std::vector<double> objective;  ///< mean negative log-likelihood before each step, and at the end
};

/// Starts from k-means. Variances are kept above a thousandth of those of all points; points should be about centred,
/// since squares are taken in single precision.
FittedMixture fit_mixture(MatrixView<float> points, const MixtureOptions& options);

}  // namespace summand
