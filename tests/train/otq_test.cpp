#include <gtest/gtest.h>

#include <cmath>

#include "model/tree_encoder.h"
#include "summand/compared_methods.h"
#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

double error_of(const Quantizer& model, const Matrix<float>& vectors) {
    return distortion(model, vectors.view(), encode(model, vectors.view()));
}

TEST(Otq, WordsOverlapAlongATree) {
    const Quantizer model = train(clustered(600, 12).view(), parse_spec("OTQ4x4(iterations=3)"));
    EXPECT_EQ(tree_of(word_overlaps(model.dictionaries), "test").size(), 3u);
    for (std::size_t d = 0; d < 12; ++d) {
        std::size_t users = 0;
        for (std::size_t m = 0; m < 4; ++m) {
            bool used = false;
            for (std::size_t k = 0; k < 16; ++k) used |= model.dictionaries.word(m, k)[d] != 0;
            users += used;
        }
        EXPECT_EQ(users, 2u);
    }
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j)
            EXPECT_NEAR(test::dot(model.rotation.row(i), model.rotation.row(j), 12), i == j, 1e-4);
}

TEST(Otq, AnotherIterationNeverRaisesTheError) {
    for (const std::uint64_t seed : {1, 2}) {
        const std::vector<double> objective =
            train(clustered(600, 12, seed).view(), parse_spec("OTQ4x4(iterations=8)")).training.objective;
        ASSERT_EQ(objective.size(), 8u);
        for (std::size_t i = 1; i < objective.size(); ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-5));
    }
}

TEST(Otq, ScoresOfAnIndexAreExactDistances) {
    const Matrix<float> vectors = clustered(500, 12), queries = clustered(5, 12, 2);
    const Quantizer model = train(vectors.view(), parse_spec("OTQ3x4(iterations=3)"));
    EXPECT_EQ(model.bias, Bias::derived);
    EXPECT_EQ(model.code_bytes(), 2u);
    const Codes codes = encode(model, vectors.view());
    const Matrix<float> decoded = decode(model, codes);
    const Neighbors found = FlatIndex(model, codes, Metric::euclidean).search(queries.view(), {.k = 500});
    for (std::size_t q = 0; q < queries.rows(); ++q)
        for (std::size_t j = 0; j < 500; ++j) {
            const auto i = static_cast<std::size_t>(found.ids[q][j]);
            const double distance = test::squared_distance(queries.row(q), decoded.row(i), 12);
            EXPECT_NEAR(found.scores[q][j], distance, 1e-3 * (1 + distance));
        }
}

TEST(Otq, TheErrorOfItsCodesIsTheOneItReports) {
    const Matrix<float> vectors = clustered(600, 12);
    const Quantizer model = train(vectors.view(), parse_spec("OTQ4x4(iterations=5)"));
    EXPECT_NEAR(error_of(model, vectors), model.training.distortion, 1e-3 * model.training.distortion);
}

TEST(Otq, HasASmallerErrorThanOpq) {
    const Matrix<float> vectors = clustered(1000, 12);
    EXPECT_LT(error_of(train(vectors.view(), parse_spec("OTQ4x4")), vectors),
              error_of(train(vectors.view(), parse_spec("OPQ4x4")), vectors));
}

TEST(Otq, SurvivesConstantDataAndFewVectors) {
    for (const Matrix<float>& vectors : {Matrix<float>(40, 4, 3.0f), clustered(4, 4), clustered(60, 4)})
        for (const char* spec : {"OTQ2x1", "OTQ2x2", "OTQ4x1"})
            EXPECT_TRUE(std::isfinite(error_of(train(vectors.view(), parse_spec(spec)), vectors)));
}

TEST(Otq, RefusesWhatItCannotTrain) {
    const Matrix<float> vectors = clustered(100, 4);
    expect_error([&] { train(vectors.view(), OtqOptions{.dictionaries = 1, .words = 4}); },
                 {"train: a tree needs at least 2 dictionaries, got 1"});
    expect_error([&] { train(vectors.view(), OtqOptions{.dictionaries = 2, .words = 4, .iterations = 0}); },
                 {"train: expected at least 1 iteration, got 0"});
    expect_error([&] { train(vectors.view(), OtqOptions{.dictionaries = 5, .words = 4}); },
                 {"train: expected at most one dictionary per dimension (4), got 5 dictionaries"});
}

}  // namespace
}  // namespace summand
