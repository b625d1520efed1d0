#include "math/mixture.h"

#include <numbers>

#include "support/data.h"

namespace summand::test {
namespace {

// log Σ_k w_k N(x; μ_k, σ_k²) and the shares of the Gaussians, plainly.
double log_density(const Mixture& mixture, std::span<const float> x, std::vector<double>& shares) {
    shares.clear();
    double sum = 0;
    for (std::size_t k = 0; k < mixture.means.rows(); ++k) {
        double log = std::log(static_cast<double>(mixture.weights[k]));
        for (std::size_t d = 0; d < x.size(); ++d) {
            const auto variance = static_cast<double>(mixture.variances[k][d]);
            const double away = static_cast<double>(x[d]) - static_cast<double>(mixture.means[k][d]);
            log -= 0.5 * (away * away / variance + std::log(2 * std::numbers::pi * variance));
        }
        shares.push_back(std::exp(log));
        sum += shares.back();
    }
    for (double& share : shares) share /= sum;
    return std::log(sum);
}

Mixture random_mixture(std::size_t K, std::size_t D) {
    Mixture mixture{random_matrix(K, D, 5), random_matrix(K, D, 6),
                    std::vector<float>(K, 1.0f / static_cast<float>(K))};
    for (std::size_t i = 0; i < mixture.variances.size(); ++i)
        mixture.variances.data()[i] = 0.5f + mixture.variances.data()[i] * mixture.variances.data()[i];
    return mixture;
}

}  // namespace

TEST(Mixture, ExpectationEqualsPlainSums) {
    const std::size_t K = 3, D = 4;
    const Mixture mixture = random_mixture(K, D);
    const Matrix<float> points = random_matrix(300, D, 7);
    Matrix<double> sums(K, 2 * D + 1);
    std::vector<double> shares;
    double logs = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
        logs += log_density(mixture, points[i], shares);
        for (std::size_t k = 0; k < K; ++k) {
            for (std::size_t d = 0; d < D; ++d) {
                const auto x = static_cast<double>(points[i][d]);
                sums[k][d] += shares[k] * x * x;
                sums[k][D + d] += shares[k] * x;
            }
            sums[k][2 * D] += shares[k];
        }
    }
    const Expectation found = expectation(mixture, points.view(), {});
    EXPECT_NEAR(found.log_likelihood, logs / 300, 1e-5);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(found.sums.data()[i], sums.data()[i], 1e-3);
}

TEST(Mixture, AStepNeverRaisesTheObjective) {
    const Matrix<float> points = clustered(1000, 8);
    const FittedMixture fitted = fit_mixture(points.view(), {.components = 12, .iterations = 15});
    ASSERT_EQ(fitted.objective.size(), 16u);
    for (std::size_t i = 1; i < fitted.objective.size(); ++i)
        EXPECT_LE(fitted.objective[i], fitted.objective[i - 1] + 1e-4) << i;
    EXPECT_LT(fitted.objective.back(), fitted.objective.front());
}

TEST(Mixture, FindsGaussiansThatLieApart) {
    Random random(3);
    Matrix<float> points(4000, 2);
    for (std::size_t i = 0; i < points.rows(); ++i) {  // a quarter around (10, 0), wide along one dimension
        const bool first = i % 4 == 0;
        points[i][0] = static_cast<float>((first ? 10 : -5) + (first ? 0.5 : 2) * random.gaussian());
        points[i][1] = static_cast<float>((first ? 2 : 1) * random.gaussian());
    }
    const Mixture found = fit_mixture(points.view(), {.components = 2, .iterations = 20}).mixture;
    const std::size_t near = found.means[0][0] > 0 ? 0 : 1;
    EXPECT_NEAR(found.weights[near], 0.25, 0.01);
    EXPECT_NEAR(found.means[near][0], 10, 0.1);
    EXPECT_NEAR(found.variances[near][0], 0.25, 0.05);
    EXPECT_NEAR(found.variances[near][1], 4, 0.5);
    EXPECT_NEAR(found.means[1 - near][0], -5, 0.2);
    EXPECT_NEAR(found.variances[1 - near][0], 4, 0.5);
}

TEST(Mixture, IsTheSameForEveryNumberOfThreads) {
    const Matrix<float> points = clustered(3000, 6);
    const auto fit = [&](unsigned threads) {
        return fit_mixture(points.view(), {.components = 7, .iterations = 4, .execution = {.threads = threads}});
    };
    const FittedMixture one = fit(1), three = fit(3);
    EXPECT_EQ(one.mixture.means, three.mixture.means);
    EXPECT_EQ(one.mixture.variances, three.mixture.variances);
    EXPECT_EQ(one.mixture.weights, three.mixture.weights);
    EXPECT_EQ(one.objective, three.objective);
}

TEST(Mixture, PointsThatCoincideKeepVariancesAboveZero) {
    const Matrix<float> points(50, 3, 2.0f);
    const Mixture found = fit_mixture(points.view(), {.components = 4, .iterations = 3}).mixture;
    for (const float variance : found.variances.values()) EXPECT_GT(variance, 0);
    EXPECT_TRUE(std::isfinite(expectation(found, points.view(), {}).log_likelihood));
}

}  // namespace summand::test
