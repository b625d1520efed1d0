// Vocabularies of local descriptors: mean, principal directions, then k-means or a mixture of Gaussians.
#include <algorithm>

#include "math/blas.h"
#include "math/clusters.h"
#include "math/mixture.h"
#include "model/descriptors.h"
#include "model/transform.h"
#include "summand/aggregate.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kMostWords = 65536;

void check_options(MatrixView<float> descriptors, const VocabularyOptions& options) {
    require(options.words >= 1 && options.words <= kMostWords, "vocabulary: expected 1 to ", kMostWords, " words, got ",
            options.words);
    require(options.iterations >= 0, "vocabulary: expected at least 0 iterations, got ", options.iterations);
    require(descriptors.rows() >= options.words, "vocabulary: expected at least as many descriptors as the ",
            options.words, " words, got ", descriptors.rows());
    require(options.directions <= descriptors.columns(), "vocabulary: expected at most the ", descriptors.columns(),
            " dimensions of the descriptors as principal directions, got ", options.directions);
    require_finite(descriptors, "vocabulary");
}

std::vector<float> mean_of(MatrixView<float> points) {
    std::vector<double> sums(points.columns());
    for (std::size_t i = 0; i < points.rows(); ++i)
        for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += static_cast<double>(points[i][d]);
    std::vector<float> mean(sums.size());
    for (std::size_t d = 0; d < mean.size(); ++d)
        mean[d] = static_cast<float>(sums[d] / static_cast<double>(points.rows()));
    return mean;
}

Matrix<float> principal_directions(const Matrix<float>& centred, std::size_t count, const Execution& execution) {
    const Eigen eigen = symmetric_eigen(cross_products(centred.view(), centred.view(), execution));
    Matrix<float> directions(count, centred.columns());
    for (std::size_t i = 0; i < directions.size(); ++i)
        directions.data()[i] = static_cast<float>(eigen.vectors.data()[i]);
    return directions;
}

}  // namespace

Vocabulary train(MatrixView<float> descriptors, const VocabularyOptions& options) {
    check_options(descriptors, options);
    Vocabulary vocabulary{.kind = options.kind, .mean = mean_of(descriptors)};
    Matrix<float> points = projected(descriptors, vocabulary.mean, {}, options.execution);
    if (options.directions > 0) {
        vocabulary.projection = principal_directions(points, options.directions, options.execution);
        points = projected(descriptors, vocabulary.mean, vocabulary.projection, options.execution);
    }
    if (options.kind == Aggregation::vlad) {
        KMeans fitted = kmeans(points.view(), {.clusters = options.words,
                                               .iterations = options.iterations,
                                               .seed = options.seed,
                                               .execution = options.execution});
        vocabulary.centres = std::move(fitted.centres);
        vocabulary.objective = std::move(fitted.objective);
        return vocabulary;
    }
    FittedMixture fitted =
        fit_mixture(points.view(), {options.words, options.iterations, options.seed, options.execution});
    vocabulary.centres = std::move(fitted.mixture.means);
    vocabulary.variances = std::move(fitted.mixture.variances);
    vocabulary.weights = std::move(fitted.mixture.weights);
    vocabulary.objective = std::move(fitted.objective);
    return vocabulary;
}

}  // namespace summand
