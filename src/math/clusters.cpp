#include "math/clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/aligned.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/norms.h"
#include "summand/error.h"

namespace summand {
namespace {

double mean(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(1, values.size()));
}

// Each next centre is drawn from a sample with probability proportional to its distance from the centres so far. PQ8 on
// the SIFT set, recall@10 over three seeds: squared distance (k-means++) .620 .620 .628, distance .624 .625 .632,
// uniform .629 .623 .626. The differences are about those between seeds.
Matrix<float> spread_centres(MatrixView<float> points, const KMeansOptions& options) {
    constexpr std::size_t kPointsPerCentre = 32;
    Random random(options.seed);
    const std::vector<std::size_t> sample =
        sample_without_replacement(points.rows(), kPointsPerCentre * options.clusters, random);
    Matrix<float> centres(options.clusters, points.columns());
    std::vector<float> nearest(sample.size(), std::numeric_limits<float>::max());
    std::size_t chosen = random.below(sample.size());
    for (std::size_t c = 0; c < options.clusters; ++c) {
        std::copy_n(points.row(sample[chosen]), points.columns(), centres.row(c));
        parallel_ranges(options.execution, sample.size(), 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                nearest[i] = std::min(
                    nearest[i], kernels().squared_distance(points.row(sample[i]), centres.row(c), points.columns()));
        });
        const auto weight = [](double sum, float squared) { return sum + std::sqrt(static_cast<double>(squared)); };
        double target = random.uniform() * std::accumulate(nearest.begin(), nearest.end(), 0.0, weight);
        chosen = 0;
        while (chosen + 1 < nearest.size() && (target -= weight(0, nearest[chosen])) >= 0) ++chosen;
    }
    return centres;
}

// Empty clusters take the points that lie farthest from their centres, one each.
void refill_empty(MatrixView<float> points, const std::vector<std::size_t>& counts, const Assignment& assignment,
                  Matrix<float>& centres) {
    std::vector<std::size_t> empty;
    for (std::size_t c = 0; c < counts.size(); ++c)
        if (counts[c] == 0) empty.push_back(c);
    if (empty.empty()) return;
    std::vector<std::size_t> order(points.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t taken = std::min(empty.size(), order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          return assignment.distance[a] > assignment.distance[b] ||
                                 (assignment.distance[a] == assignment.distance[b] && a < b);
                      });
    for (std::size_t e = 0; e < taken && assignment.distance[order[e]] > 0; ++e)
        std::copy_n(points.row(order[e]), points.columns(), centres.row(empty[e]));
}

void move_centres(MatrixView<float> points, const Assignment& assignment, const Execution& execution,
                  Matrix<float>& centres) {
    const ClusterSums clusters = sums_by_cluster(points, assignment.centre, centres.rows(), execution);
    for (std::size_t c = 0; c < centres.rows(); ++c)
        if (clusters.counts[c] > 0)
            for (std::size_t d = 0; d < centres.columns(); ++d)
                centres[c][d] = static_cast<float>(clusters.sums[c][d] / static_cast<double>(clusters.counts[c]));
    refill_empty(points, clusters.counts, assignment, centres);
}

}  // namespace

Assignment nearest_centres(MatrixView<float> points, MatrixView<float> centres, const Execution& execution) {
    const Kernels& kernel = kernels();
    const std::size_t dimensions = points.columns();
    const std::vector<float> norms = squared_norms(centres);
    Assignment nearest{std::vector<std::uint32_t>(points.rows()), std::vector<float>(points.rows())};
    parallel_ranges(execution, points.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        thread_local Scratch<float> scratch;
        float* products = scratch.at_least(kRowBlock * centres.rows());
        row_block_products(-2, points.row(first), last - first, centres.data(), centres.rows(), dimensions, products);
        for (std::size_t i = first; i < last; ++i) {
            float best;
            nearest.centre[i] =
                kernel.argmin_sum(products + (i - first) * centres.rows(), norms.data(), centres.rows(), &best);
            nearest.distance[i] = std::max(0.0f, best + kernel.dot(points.row(i), points.row(i), dimensions));
        }
    });
    return nearest;
}

ClusterSums sums_by_cluster(MatrixView<float> points, const std::vector<std::uint32_t>& cluster, std::size_t clusters,
                            const Execution& execution) {
    constexpr std::size_t kTogether = 32;  // members added in float before they go into the double sum
    ClusterSums result{Matrix<double>(clusters, points.columns()), std::vector<std::size_t>(clusters)};
    for (const std::uint32_t c : cluster) ++result.counts[c];
    std::vector<std::size_t> begin(clusters + 1);
    std::partial_sum(result.counts.begin(), result.counts.end(), begin.begin() + 1);
    std::vector<const float*> members(points.rows());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < points.rows(); ++i) members[next[cluster[i]]++] = points.row(i);

    parallel_for(execution, clusters, [&](std::size_t c) {
        std::vector<float> partial(points.columns());
        for (std::size_t i = begin[c]; i < begin[c + 1]; i += kTogether) {
            kernels().sum_rows(&members[i], std::min(kTogether, begin[c + 1] - i), points.columns(), partial.data());
            for (std::size_t d = 0; d < partial.size(); ++d) result.sums[c][d] += static_cast<double>(partial[d]);
        }
    });
    return result;
}

KMeans kmeans(MatrixView<float> points, const KMeansOptions& options) {
    require(options.iterations >= 0, "k-means: expected at least 0 iterations, got ", options.iterations);
    const Stopwatch watch;
    KMeans result;
    result.centres = spread_centres(points, options);
    for (int step = 0;; ++step) {
        result.assignment = nearest_centres(points, result.centres.view(), options.execution);
        result.objective.push_back(mean(result.assignment.distance));
        report_step(options.execution, options.stage, step, options.iterations, result.objective.back(), watch);
        if (step == options.iterations) return result;
        move_centres(points, result.assignment, options.execution, result.centres);
    }
}

}  // namespace summand
