// Points and the centres nearest to them: k-means and its two steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

/// The nearest centre of each point, by |c|² - 2 x·c; ties go to the smaller number.
struct Assignment {
    std::vector<std::uint32_t> centre;  ///< per point
    std::vector<float> distance;        ///< squared, per point, at least 0
};
Assignment nearest_centres(MatrixView<float> points, MatrixView<float> centres, const Execution& execution);

/// Sums of the points of each cluster, each over its members in order.
struct ClusterSums {
    Matrix<double> sums;  ///< clusters × dimensions
    std::vector<std::size_t> counts;
};
ClusterSums sums_by_cluster(MatrixView<float> points, const std::vector<std::uint32_t>& cluster, std::size_t clusters,
                            const Execution& execution);

struct KMeansOptions {
    std::size_t clusters = 256;
    int iterations = 25;
    std::uint64_t seed = 1;
    std::string_view stage = "k-means";
    Execution execution;
};

struct KMeans {
    Matrix<float> centres;
    Assignment assignment;          ///< of every point to those centres
    std::vector<double> objective;  ///< mean squared distance before each update, and at the end
};

/// Lloyd's iterations from centres spread by their distances. An empty cluster moves to the point farthest from its
/// centre; with fewer different points than clusters some centres coincide.
KMeans kmeans(MatrixView<float> points, const KMeansOptions& options);

}  // namespace summand
