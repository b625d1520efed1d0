#include <gtest/gtest.h>

#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;

constexpr RotationStart kStarts[] = {RotationStart::automatic, RotationStart::identity, RotationStart::pca};

TEST(Opq, TheRotationIsOrthogonal) {
    for (const RotationStart start : kStarts) {
        const Quantizer model =
            train(clustered(400, 9).view(), OpqOptions{.dictionaries = 2, .words = 8, .start = start, .iterations = 5});
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t j = 0; j < 9; ++j)
                EXPECT_NEAR(test::dot(model.rotation.row(i), model.rotation.row(j), 9), i == j ? 1 : 0, 1e-5);
    }
}

TEST(Opq, TheObjectiveNeverRises) {
    for (const RotationStart start : kStarts) {
        const Quantizer model = train(clustered(600, 10).view(),
                                      OpqOptions{.dictionaries = 3, .words = 8, .start = start, .iterations = 15});
        const std::vector<double>& objective = model.training.objective;
        ASSERT_EQ(objective.size(), 15u);
        for (std::size_t i = 1; i < objective.size(); ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6));
        EXPECT_LE(model.training.distortion, objective.back() * (1 + 1e-6));
    }
}

// The rotation begins as the identity with a few iterations of PQ.
TEST(Opq, NeverEndsWorseThanThePqItStartsFrom) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Matrix<float> vectors = clustered(600, 10, seed);
        const double pq =
            train(vectors.view(), PqOptions{.dictionaries = 3, .words = 8, .iterations = 6}).training.distortion;
        for (const RotationStart start : {RotationStart::automatic, RotationStart::identity})
            EXPECT_LE(train(vectors.view(), OpqOptions{.dictionaries = 3, .words = 8, .start = start, .iterations = 10})
                          .training.distortion,
                      pq * (1 + 1e-6));
    }
}

TEST(Opq, TheErrorOfItsCodesIsTheOneItReports) {
    const Matrix<float> vectors = clustered(500, 7);
    const Quantizer model = train(vectors.view(), OpqOptions{.dictionaries = 3, .words = 8, .iterations = 6});
    EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), model.training.distortion,
                1e-3 * model.training.distortion);
    for (std::size_t w = 0; w < 24; ++w)
        EXPECT_NEAR(model.word_offsets[w], test::dot(model.dictionaries.rows.row(w), model.dictionaries.rows.row(w), 7),
                    1e-4);
}

TEST(Opq, WithOneDictionaryKeepsDistances) {
    const Matrix<float> vectors = clustered(300, 5);
    const double pq = train(vectors.view(), PqOptions{.dictionaries = 1, .words = 8}).training.distortion;
    const double opq = train(vectors.view(), OpqOptions{.dictionaries = 1, .words = 8}).training.distortion;
    EXPECT_LT(opq, 1.3 * pq);
}

TEST(Opq, FindsTheRotationOfDataThatNeedsOne) {
    // Two independent pairs of dimensions, mixed by a rotation of 45 degrees across the blocks.
    Random random(4);
    Matrix<float> vectors(800, 4);
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const double a = static_cast<double>(random.below(4)) - 1.5, b = static_cast<double>(random.below(4)) - 1.5;
        const double plain[] = {a, a * a, b, b * b};
        for (std::size_t d = 0; d < 4; ++d)
            vectors[i][d] = static_cast<float>((plain[d] + (d < 2 ? 1 : -1) * plain[(d + 2) % 4]) / 1.41421356 +
                                               0.01 * random.gaussian());
    }
    const double pq = train(vectors.view(), PqOptions{.dictionaries = 2, .words = 4}).training.distortion;
    const double opq = train(vectors.view(), OpqOptions{.dictionaries = 2, .words = 4}).training.distortion;
    EXPECT_LT(opq, 0.8 * pq);
}

TEST(Opq, SurvivesConstantDimensionsAndConstantData) {
    Matrix<float> vectors = clustered(200, 6);
    for (std::size_t i = 0; i < 200; ++i) vectors[i][0] = vectors[i][5] = 1;
    for (const Matrix<float>& data : {vectors, Matrix<float>(50, 6, 2.0f)}) {
        const Quantizer model = train(data.view(), OpqOptions{.dictionaries = 3, .words = 4, .iterations = 3});
        const double error = distortion(model, data.view(), encode(model, data.view()));
        EXPECT_NEAR(error, model.training.distortion, 1e-3 * error + 1e-9);
    }
}

TEST(Opq, RefusesToRunWithoutIterations) {
    test::expect_error(
        [] { train(clustered(50, 4).view(), OpqOptions{.dictionaries = 2, .words = 4, .iterations = 0}); },
        {"train: expected at least 1 iteration, got 0"});
}

}  // namespace
}  // namespace summand
