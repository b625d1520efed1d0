#include "summand/aggregate.h"

#include <algorithm>
#include <cmath>

#include "math/blas.h"
#include "math/clusters.h"
#include "math/mixture.h"
#include "model/descriptors.h"
#include "model/transform.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::string_view kNames[] = {"vlad", "fisher"};

Matrix<double> residual_sums(const Vocabulary& vocabulary, MatrixView<float> points, const Execution& execution) {
    const Assignment nearest = nearest_centres(points, vocabulary.centres.view(), execution);
    ClusterSums clusters = sums_by_cluster(points, nearest.centre, vocabulary.centres.rows(), execution);
    for (std::size_t k = 0; k < clusters.sums.rows(); ++k)
        for (std::size_t d = 0; d < clusters.sums.columns(); ++d)
            clusters.sums[k][d] -=
                static_cast<double>(clusters.counts[k]) * static_cast<double>(vocabulary.centres[k][d]);
    return std::move(clusters.sums);
}

Matrix<double> gradients(const Vocabulary& vocabulary, MatrixView<float> points, const Execution& execution) {
    const std::size_t K = vocabulary.centres.rows(), D = vocabulary.centres.columns();
    const Mixture mixture{vocabulary.centres, vocabulary.variances, vocabulary.weights};
    const Matrix<double> sums = expectation(mixture, points, execution).sums;
    Matrix<double> result(K, D);
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t d = 0; d < D; ++d)
            result[k][d] =
                (sums[k][D + d] - sums[k][2 * D] * static_cast<double>(mixture.means[k][d])) /
                std::sqrt(static_cast<double>(mixture.variances[k][d]) * static_cast<double>(mixture.weights[k]));
    return result;
}

// sign(v)·√|v|, then length one: |v| are the squares of the values, so their sum is the squared length.
std::vector<float> normalised(const Matrix<double>& sums) {
    double length = 0;
    for (const double value : sums.values()) length += std::abs(value);
    length = std::sqrt(length);
    std::vector<float> result(sums.size());
    for (std::size_t i = 0; i < result.size() && length > 0; ++i)
        result[i] = static_cast<float>(std::copysign(std::sqrt(std::abs(sums.data()[i])), sums.data()[i]) / length);
    return result;
}

}  // namespace

std::string_view name(Aggregation kind) { return kNames[static_cast<std::size_t>(kind)]; }

Aggregation parse_aggregation(std::string_view text) {
    const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
    require(found != std::end(kNames), "aggregate: expected vlad or fisher, got '", text, "'");
    return static_cast<Aggregation>(found - std::begin(kNames));
}

Matrix<float> projected(MatrixView<float> descriptors, const std::vector<float>& mean, const Matrix<float>& projection,
                        const Execution& execution) {
    Matrix<float> centred(descriptors.rows(), descriptors.columns());
    for (std::size_t i = 0; i < centred.rows(); ++i)
        for (std::size_t d = 0; d < centred.columns(); ++d) centred[i][d] = descriptors[i][d] - mean[d];
    return projection.empty() ? centred : multiply_transposed(centred.view(), projection.view(), execution);
}

std::vector<float> aggregate(const Vocabulary& vocabulary, MatrixView<float> descriptors, const Execution& execution) {
    if (descriptors.empty()) return std::vector<float>(vocabulary.dimensions());
    require(descriptors.columns() == vocabulary.descriptor_dimensions(), "aggregate: expected descriptors of ",
            vocabulary.descriptor_dimensions(), " dimensions, got ", descriptors.columns());
    require_finite(descriptors, "aggregate");
    const Matrix<float> points = projected(descriptors, vocabulary.mean, vocabulary.projection, execution);
    const auto sums = vocabulary.kind == Aggregation::vlad ? residual_sums : gradients;
    return normalised(sums(vocabulary, points.view(), execution));
}

}  // namespace summand
