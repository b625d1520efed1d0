// Iterative quantization: the strongest principal directions, rotated so that their signs say as much as they can.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/stopwatch.h"
#include "math/blas.h"
#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/blocks.h"
#include "train/prepare.h"

namespace summand {
namespace {

constexpr std::size_t kBits = 8;  // of a code: a dictionary of all their signs
constexpr double kSteps = 256;    // a common scale has 8 significant bits, so that sums of its square are exact
constexpr std::size_t kMostBits = kBits * kMaxDictionaries;

Matrix<float> random_rotation(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    Matrix<double> matrix(n, n);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = random.gaussian();
    return nearest_orthogonal(std::move(matrix));
}

Matrix<float> signs_of(const Matrix<float>& values) {
    Matrix<float> signs(values.rows(), values.columns());
    for (std::size_t i = 0; i < values.size(); ++i) signs.data()[i] = values.data()[i] > 0 ? 1.0f : -1.0f;
    return signs;
}

std::vector<double> mean_magnitudes(const Matrix<float>& values) {
    std::vector<double> means(values.columns());
    for (std::size_t n = 0; n < values.rows(); ++n)
        for (std::size_t d = 0; d < means.size(); ++d) means[d] += std::abs(static_cast<double>(values[n][d]));
    for (double& mean : means) mean /= static_cast<double>(values.rows());
    return means;
}

// Mean |x - x̄|² where sign d stands for ±scale[d]; `energy` is the mean |x|².
double distortion_of(double energy, const std::vector<double>& magnitudes, const std::vector<float>& scales) {
    for (std::size_t d = 0; d < scales.size(); ++d)
        energy += static_cast<double>(scales[d]) * (static_cast<double>(scales[d]) - 2 * magnitudes[d]);
    return std::max(0.0, energy);
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What a sign stands for: the mean magnitude of its direction, or of all of them.
std::vector<float> scales_of(const std::vector<double>& magnitudes, HammingDistance distance) {
    if (distance == HammingDistance::asymmetric) return {magnitudes.begin(), magnitudes.end()};
    int exponent;
    const double fraction = std::frexp(mean_of(magnitudes), &exponent);
    const auto scale = static_cast<float>(std::ldexp(std::round(kSteps * fraction) / kSteps, exponent));
    return std::vector<float>(magnitudes.size(), scale);
}

// Word k of dictionary m: bit j of k is the sign of dimension 8m + j. Dimensions after the last bit are zero.
Dictionaries sign_words(const std::vector<float>& scales, std::size_t dimensions) {
    std::vector<std::size_t> begin;
    for (std::size_t first = 0; first < scales.size(); first += kBits) begin.push_back(first);
    begin.push_back(dimensions);
    Dictionaries words = block_dictionaries(std::size_t{1} << kBits, begin);
    for (std::size_t d = 0; d < scales.size(); ++d)
        for (std::size_t k = 0; k < words.words; ++k)
            words.word(d / kBits, k)[d] = k >> (d % kBits) & 1 ? scales[d] : -scales[d];
    return words;
}

// The rotation of the bits times the principal directions, then the directions that have no bit.
Matrix<float> whole_rotation(const Matrix<float>& rotation, const Matrix<float>& directions,
                             const Execution& execution) {
    const std::size_t bits = rotation.rows(), D = directions.columns();
    Matrix<float> columns(D, bits);
    for (std::size_t i = 0; i < bits; ++i)
        for (std::size_t d = 0; d < D; ++d) columns[d][i] = directions[i][d];
    Matrix<float> whole = directions;
    const Matrix<float> turned = multiply_transposed(rotation.view(), columns.view(), execution);
    std::copy_n(turned.data(), turned.size(), whole.data());
    return whole;
}

struct SignRotation {
    Matrix<float> rotation;          // bits × bits
    std::vector<double> magnitudes;  // mean |value| of each bit
    std::vector<double> objective;   // mean squared error of signs with a common scale, after each step
};

// Signs and rotation by turns: signs b of R·v, then R as the orthogonal matrix nearest to Σ b·vᵀ. Both raise Σ|R·v|,
// and the error of signs with the best common scale is what that leaves of the energy.
SignRotation learn_rotation(const Matrix<float>& projected, double energy, const ItqOptions& options) {
    const Stopwatch watch;
    const Execution& execution = options.execution;
    SignRotation result{.rotation = random_rotation(options.bits, options.seed)};
    Matrix<float> turned = multiply_transposed(projected.view(), result.rotation.view(), execution);
    for (int step = 0; step < options.iterations; ++step) {
        result.rotation = nearest_orthogonal(cross_products(signs_of(turned).view(), projected.view(), execution));
        turned = multiply_transposed(projected.view(), result.rotation.view(), execution);
        result.magnitudes = mean_magnitudes(turned);
        const double scale = mean_of(result.magnitudes);
        result.objective.push_back(energy - static_cast<double>(options.bits) * scale * scale);
        report_step(execution, "ITQ", step + 1, options.iterations, result.objective.back(), watch);
    }
    return result;
}

void check(MatrixView<float> vectors, const ItqOptions& options) {
    require(options.bits % kBits == 0 && options.bits >= kBits && options.bits <= kMostBits,
            "train: expected a multiple of ", kBits, " bits, at most ", kMostBits, ", got ", options.bits);
    require(options.bits <= vectors.columns(), "train: expected at most one bit per dimension (", vectors.columns(),
            "), got ", options.bits, " bits");
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const ItqOptions& options) {
    check(vectors, options);
    const Execution& execution = options.execution;
    const Prepared data = prepare(vectors, {options.bits / kBits, 2}, options.unit_length, execution);
    const MatrixView<float> x = data.vectors.view();
    const Eigen eigen = symmetric_eigen(cross_products(x, x, execution));
    const double energy =
        std::accumulate(eigen.values.begin(), eigen.values.end(), 0.0) / static_cast<double>(x.rows());
    const Matrix<float> directions(x.columns(), x.columns(),
                                   std::vector<float>(eigen.vectors.values().begin(), eigen.vectors.values().end()));
    const Matrix<float> projected = multiply_transposed(x, directions.view().slice(0, options.bits), execution);
    SignRotation learnt = learn_rotation(projected, energy, options);

    const std::vector<float> scales = scales_of(learnt.magnitudes, options.distance);
    Quantizer model{.method = "ITQ", .unit_length = options.unit_length, .centre = data.centre};
    model.binary_queries = options.distance == HammingDistance::symmetric;
    model.rotation = whole_rotation(learnt.rotation, directions, execution);
    model.dictionaries = sign_words(scales, x.columns());
    model.word_offsets = squared_word_norms(model.dictionaries);
    model.training = {.vectors = vectors.rows(),
                      .distortion = distortion_of(energy, learnt.magnitudes, scales),
                      .objective = std::move(learnt.objective)};
    return model;
}

}  // namespace summand
