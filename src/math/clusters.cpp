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

constexpr std::size_t kPointsPerCentre = 32;
constexpr std::size_t kOneByOne = 1024;  // centres that are drawn one after the other

double weight(float squared) { return std::sqrt(static_cast<double>(squared)); }

double sum_of_weights(const std::vector<float>& nearest) {
    return std::accumulate(nearest.begin(), nearest.end(), 0.0,
                           [](double sum, float squared) { return sum + weight(squared); });
}

// Each next centre is drawn from a sample with probability proportional to its distance from the centres so far. PQ8 on
// the SIFT set, recall@10 over three seeds: squared distance (k-means++) .620 .620 .628, distance .624 .625 .632,
// uniform .629 .623 .626. The differences are about those between seeds.
void spread_one_by_one(MatrixView<float> points, const KMeansOptions& options, std::size_t count, Random& random,
                       Matrix<float>& centres) {
    const std::vector<std::size_t> sample = sample_without_replacement(points.rows(), kPointsPerCentre * count, random);
    std::vector<float> nearest(sample.size(), std::numeric_limits<float>::max());
    std::size_t chosen = random.below(sample.size());
    for (std::size_t c = 0; c < count; ++c) {
        std::copy_n(points.row(sample[chosen]), points.columns(), centres.row(c));
        parallel_ranges(options.execution, sample.size(), 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                nearest[i] = std::min(
                    nearest[i], kernels().squared_distance(points.row(sample[i]), centres.row(c), points.columns()));
        });
        double target = random.uniform() * sum_of_weights(nearest);
        chosen = 0;
        while (chosen + 1 < nearest.size() && (target -= weight(nearest[chosen])) >= 0) ++chosen;
    }
}

// `count` points, the j-th from the j-th of as many equal parts of the sum of weights: none is drawn twice unless it
// weighs as much as several.
std::vector<std::size_t> draw(const std::vector<float>& nearest, std::size_t count, Random& random) {
    const double part = sum_of_weights(nearest) / static_cast<double>(count);
    std::vector<std::size_t> chosen;
    std::size_t i = 0;
    double before = 0;  // weights of the points before i
    for (std::size_t j = 0; j < count; ++j) {
        const double target = (static_cast<double>(j) + random.uniform()) * part;
        while (i + 1 < nearest.size() && before + weight(nearest[i]) <= target) before += weight(nearest[i++]);
        chosen.push_back(i);
    }
    return chosen;
}

// Then as many as there are already are drawn at once, again and again. All of it costs about what one iteration does:
// every point of the sample is compared with every centre once, by products of matrices.
void spread_by_doubling(MatrixView<float> points, const KMeansOptions& options, std::size_t done, Random& random,
                        Matrix<float>& centres) {
    Matrix<float> sample;
    {
        const std::vector<std::size_t> rows =
            sample_without_replacement(points.rows(), kPointsPerCentre * centres.rows(), random);
        sample = Matrix<float>(rows.size(), points.columns());
        for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(points.row(rows[i]), points.columns(), sample.row(i));
    }
    const MatrixView<float> first = centres.view().slice(0, done);
    std::vector<float> nearest = nearest_centres(sample.view(), first, options.execution).distance;
    while (done < centres.rows()) {
        check_stop(options.execution);
        const std::size_t count = std::min(done, centres.rows() - done);
        const std::vector<std::size_t> chosen = draw(nearest, count, random);
        for (std::size_t j = 0; j < count; ++j)
            std::copy_n(sample.row(chosen[j]), points.columns(), centres.row(done + j));
        if (done + count < centres.rows()) {
            const MatrixView<float> fresh = centres.view().slice(done, count);
            const Assignment again = nearest_centres(sample.view(), fresh, options.execution);
            for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i] = std::min(nearest[i], again.distance[i]);
        }
        done += count;
    }
}

Matrix<float> spread_centres(MatrixView<float> points, const KMeansOptions& options) {
    Random random(options.seed);
    Matrix<float> centres(options.clusters, points.columns());
    const std::size_t first = std::min(kOneByOne, options.clusters);
    spread_one_by_one(points, options, first, random, centres);
    if (first < options.clusters) spread_by_doubling(points, options, first, random, centres);
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
