#include "math/clusters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::random_matrix;

double smallest_distance(MatrixView<float> centres, const float* point) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.rows(); ++c)
        smallest = std::min(smallest, test::squared_distance(centres.row(c), point, centres.columns()));
    return smallest;
}

TEST(NearestCentres, AreThoseOfBruteForce) {
    for (const std::size_t clusters : {1, 2, 15, 16, 17, 100, 256})
        for (const std::size_t dimensions : {1, 3, 16}) {
            const Matrix<float> points = random_matrix(300, dimensions, 1);
            const Matrix<float> centres = random_matrix(clusters, dimensions, 2);
            const Assignment found = nearest_centres(points.view(), centres.view(), {});
            for (std::size_t i = 0; i < points.rows(); ++i) {
                ASSERT_LT(found.centre[i], clusters);
                const double smallest = smallest_distance(centres.view(), points.row(i));
                EXPECT_NEAR(test::squared_distance(centres.row(found.centre[i]), points.row(i), dimensions), smallest,
                            1e-4);
                EXPECT_NEAR(found.distance[i], smallest, 1e-4);
                EXPECT_GE(found.distance[i], 0);
            }
        }
}

TEST(NearestCentres, TiesGoToTheSmallerNumber) {
    const Matrix<float> points = clustered(300, 7);
    Matrix<float> centres(17, 7);
    for (std::size_t c = 0; c < centres.rows(); ++c) std::copy_n(points.row(c % 3), 7, centres.row(c));
    for (const std::uint32_t c : nearest_centres(points.view(), centres.view(), {}).centre) EXPECT_LT(c, 3u);
}

TEST(NearestCentres, DoNotDependOnTheRowsAroundAPoint) {
    const Matrix<float> points = clustered(520, 9);
    const Matrix<float> centres = random_matrix(33, 9, 3);
    const Assignment together = nearest_centres(points.view(), centres.view(), {});
    for (const std::size_t i : {0, 1, 255, 256, 300, 519}) {
        const Assignment alone = nearest_centres(points.view().slice(i, 1), centres.view(), {});
        EXPECT_EQ(alone.centre[0], together.centre[i]);
        EXPECT_EQ(alone.distance[0], together.distance[i]);
    }
}

TEST(SumsByCluster, AreThoseOfAPlainLoop) {
    const Matrix<float> points = random_matrix(500, 5, 4);
    Random random(5);
    std::vector<std::uint32_t> cluster(points.rows());
    for (std::uint32_t& c : cluster) c = static_cast<std::uint32_t>(random.below(6));  // the seventh stays empty
    const ClusterSums found = sums_by_cluster(points.view(), cluster, 7, {});
    Matrix<double> sums(7, 5);
    std::vector<std::size_t> counts(7);
    for (std::size_t i = 0; i < points.rows(); ++i) {
        ++counts[cluster[i]];
        for (std::size_t d = 0; d < 5; ++d) sums[cluster[i]][d] += double{points[i][d]};
    }
    EXPECT_EQ(found.counts, counts);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(found.sums.data()[i], sums.data()[i], 1e-4);
}

TEST(KMeans, ItsObjectiveNeverRises) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Matrix<float> points = clustered(600, 8, seed);
        const KMeans result = kmeans(points.view(), {.clusters = 20, .iterations = 15, .seed = seed});
        ASSERT_EQ(result.objective.size(), 16u);
        for (std::size_t step = 1; step < result.objective.size(); ++step)
            EXPECT_LE(result.objective[step], result.objective[step - 1] * (1 + 1e-6));
        EXPECT_LT(result.objective.back(), result.objective.front());
    }
}

// Of 1500 groups that are far apart, uniform draws of 1500 points find the share 1 - 1/e. The last 476 centres are
// drawn at once.
TEST(KMeans, ManyCentresBeginInAlmostAllOfTheClusters) {
    constexpr std::size_t kGroups = 1500;
    Matrix<float> points = random_matrix(8 * kGroups, 4, 7);
    const Matrix<float> middles = random_matrix(kGroups, 4, 8);
    for (std::size_t i = 0; i < points.rows(); ++i)
        for (std::size_t d = 0; d < 4; ++d) points[i][d] = 1e-3f * points[i][d] + middles[i % kGroups][d];
    for (const unsigned threads : {1u, 3u}) {
        const KMeans start =
            kmeans(points.view(), {.clusters = kGroups, .iterations = 0, .execution = {.threads = threads}});
        const Assignment groups = nearest_centres(start.centres.view(), middles.view(), {});
        const std::set<std::uint32_t> found(groups.centre.begin(), groups.centre.end());
        EXPECT_GT(found.size(), kGroups * 85 / 100);
    }
    const std::vector<double> objective = kmeans(points.view(), {.clusters = kGroups, .iterations = 6}).objective;
    for (std::size_t step = 1; step < objective.size(); ++step)
        EXPECT_LE(objective[step], objective[step - 1] * (1 + 1e-6));
}

TEST(KMeans, ReturnsTheAssignmentAndTheErrorOfItsCentres) {
    const Matrix<float> points = clustered(400, 6);
    const KMeans result = kmeans(points.view(), {.clusters = 12, .iterations = 4});
    const Assignment again = nearest_centres(points.view(), result.centres.view(), {});
    EXPECT_EQ(result.assignment.centre, again.centre);
    double error = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) error += smallest_distance(result.centres.view(), points.row(i));
    EXPECT_NEAR(result.objective.back(), error / 400, 1e-4);
}

TEST(KMeans, AConvergedCentreIsTheMeanOfItsPoints) {
    const Matrix<float> points = clustered(200, 4);
    const KMeans result = kmeans(points.view(), {.clusters = 5, .iterations = 100});
    const ClusterSums sums = sums_by_cluster(points.view(), result.assignment.centre, 5, {});
    for (std::size_t c = 0; c < 5; ++c)
        for (std::size_t d = 0; d < 4; ++d)
            EXPECT_NEAR(result.centres[c][d], sums.sums[c][d] / static_cast<double>(sums.counts[c]), 1e-4);
}

TEST(KMeans, FindsClustersThatAreFarApart) {
    Matrix<float> points = random_matrix(300, 2, 6);
    for (std::size_t i = 0; i < points.rows(); ++i) {
        points[i][0] += static_cast<float>(100 * (i % 3));
        points[i][1] -= static_cast<float>(100 * (i % 3));
    }
    const KMeans result = kmeans(points.view(), {.clusters = 3, .iterations = 10});
    for (std::size_t i = 3; i < points.rows(); ++i)
        EXPECT_EQ(result.assignment.centre[i], result.assignment.centre[i % 3]);
    EXPECT_LT(result.objective.back(), 5);
}

TEST(KMeans, NoClusterStaysEmptyWhileItsPointsDiffer) {
    const Matrix<float> points = clustered(64, 3);
    const KMeans result = kmeans(points.view(), {.clusters = 60, .iterations = 30});
    const std::set<std::uint32_t> used(result.assignment.centre.begin(), result.assignment.centre.end());
    EXPECT_EQ(used.size(), 60u);
}

TEST(KMeans, SurvivesFewerPointsThanClustersAndDuplicates) {
    Matrix<float> points(6, 2);
    for (std::size_t i = 0; i < 6; ++i) points[i][0] = static_cast<float>(i % 3);
    for (const std::size_t clusters : {1, 2, 3, 4, 16, 256}) {
        const KMeans result = kmeans(points.view(), {.clusters = clusters, .iterations = 5});
        EXPECT_EQ(result.centres.rows(), clusters);
        EXPECT_LE(result.objective.back(), clusters >= 3 ? 1e-6 : 1);
        for (std::size_t i = 0; i < result.centres.size(); ++i) EXPECT_TRUE(std::isfinite(result.centres.data()[i]));
    }
}

TEST(KMeans, SurvivesOnePointAndPointsThatAreAllTheSame) {
    for (const std::size_t count : {1, 50}) {
        const Matrix<float> points(count, 3, 2.5f);
        const KMeans result = kmeans(points.view(), {.clusters = 4, .iterations = 3});
        EXPECT_NEAR(result.objective.back(), 0, 1e-6);
        for (std::size_t i = 0; i < result.centres.size(); ++i) EXPECT_EQ(result.centres.data()[i], 2.5f);
    }
}

TEST(KMeans, SurvivesConstantDimensions) {
    Matrix<float> points = clustered(200, 4);
    for (std::size_t i = 0; i < points.rows(); ++i) points[i][2] = 7;
    const KMeans result = kmeans(points.view(), {.clusters = 2, .iterations = 10});
    for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(result.centres[c][2], 7, 1e-5);
    EXPECT_LE(result.objective.back(), result.objective.front());
}

TEST(KMeans, IsTheSameForEveryThreadCountAndKernelLevel) {
    const Matrix<float> points = clustered(1500, 10);
    const auto run = [&](unsigned threads) {
        return kmeans(points.view(), {.clusters = 32, .iterations = 5, .execution = {.threads = threads}});
    };
    const KMeans one = run(1);
    const auto expect_same = [&](const KMeans& other) {
        EXPECT_EQ(other.centres, one.centres);
        EXPECT_EQ(other.assignment.centre, one.assignment.centre);
        EXPECT_EQ(other.objective, one.objective);
    };
    expect_same(run(2));
    expect_same(run(3));
    test::with_each_level([&] { expect_same(run(2)); });
}

TEST(KMeans, AnotherSeedStartsElsewhere) {
    const Matrix<float> points = clustered(300, 5);
    EXPECT_NE(kmeans(points.view(), {.clusters = 8, .iterations = 1, .seed = 1}).centres,
              kmeans(points.view(), {.clusters = 8, .iterations = 1, .seed = 2}).centres);
}

}  // namespace
}  // namespace summand
