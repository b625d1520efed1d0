#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "summand/error.h"
#include "summand/evaluate.h"
#include "summand/train.h"

namespace summand {
namespace {

Matrix<float> random_vectors(std::size_t rows, std::size_t columns) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    Matrix<float> vectors(rows, columns);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = normal(random) + 3;
    return vectors;
}

double brute_force(const Matrix<float>& vectors, const Matrix<float>& approximations) {
    double sum = 0;
    for (std::size_t i = 0; i < vectors.size(); ++i)
        sum += std::pow(static_cast<double>(vectors.data()[i]) - static_cast<double>(approximations.data()[i]), 2);
    return sum / static_cast<double>(vectors.rows());
}

TEST(Distortion, EqualsBruteForceForEveryThreadCount) {
    const Matrix<float> vectors = random_vectors(3000, 10);
    const Quantizer model = train(vectors.view(), PqOptions{.dictionaries = 4, .words = 16, .iterations = 3});
    const Codes codes = encode(model, vectors.view());
    const double one = distortion(model, vectors.view(), codes, {.threads = 1});
    EXPECT_NEAR(one, brute_force(vectors, decode(model, codes)), 1e-9 * one);
    EXPECT_EQ(one, distortion(model, vectors.view(), codes, {.threads = 3}));
}

TEST(Distortion, ComparesUnitVectorsWhereTheModelScalesThem) {
    const Matrix<float> vectors = random_vectors(500, 8);
    const Quantizer model =
        train(vectors.view(), PqOptions{.dictionaries = 4, .words = 64, .iterations = 3, .unit_length = true});
    const double error = distortion(model, vectors.view(), encode(model, vectors.view()));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 0.1) << "vectors of length one, not of length " << std::sqrt(8 * 10.0);
}

TEST(Distortion, SaysWhatDoesNotFit) {
    const Matrix<float> vectors = random_vectors(300, 8);
    const Quantizer model = train(vectors.view(), PqOptions{.dictionaries = 2, .words = 16, .iterations = 1});
    const Codes codes = encode(model, vectors.view());
    try {
        distortion(model, vectors.view().slice(0, 10), codes);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "distortion: expected a code for each of 10 vectors, got 300");
    }
    try {
        distortion(model, random_vectors(300, 9).view(), codes);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "distortion: expected vectors of 8 dimensions, got 9");
    }
}

}  // namespace
}  // namespace summand
