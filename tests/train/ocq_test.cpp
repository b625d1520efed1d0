#include "train/ocq.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/blas.h"
#include "model/composite_input.h"
#include "summand/evaluate.h"
#include "support/data.h"

namespace summand {
namespace {

CompositeOptions options(std::size_t dictionaries, std::size_t words, int iterations) {
    return {
        .constraint = Constraint::orthogonal, .dictionaries = dictionaries, .words = words, .iterations = iterations};
}

// rotationᵀ·c: the words in the space of the data.
Dictionaries data_words(const Quantizer& model) {
    Matrix<float> transposed(model.rotation.columns(), model.rotation.rows());
    for (std::size_t i = 0; i < model.rotation.rows(); ++i)
        for (std::size_t j = 0; j < model.rotation.columns(); ++j) transposed[j][i] = model.rotation[i][j];
    Dictionaries words = model.dictionaries;
    words.rows = multiply_transposed(words.rows.view(), transposed.view(), {});
    return words;
}

TEST(Ocq, DictionariesAreOrthogonalToEachOther) {
    for (const std::size_t dictionaries : {2, 3}) {
        const Dictionaries words = data_words(train(test::clustered(600, 9).view(), options(dictionaries, 8, 5)));
        const auto length = [&](std::size_t w) {
            return std::sqrt(test::dot(words.rows.row(w), words.rows.row(w), 9));
        };
        for (std::size_t a = 0; a < words.rows.rows(); ++a)
            for (std::size_t b = (a / 8 + 1) * 8; b < words.rows.rows(); ++b)
                EXPECT_LE(std::abs(test::dot(words.rows.row(a), words.rows.row(b), 9)),
                          1e-4 * length(a) * length(b) + 1e-12);
    }
}

TEST(Ocq, ScoresAreExactDistancesWithoutACrossTerm) {
    const Matrix<float> vectors = test::clustered(600, 9), queries = test::clustered(5, 9, 2);
    const Quantizer model = train(vectors.view(), options(3, 8, 4));
    const Codes codes = encode(model, vectors.view());
    EXPECT_TRUE(codes.bias.empty());
    const Matrix<float> decoded = decode(model, codes);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        for (std::size_t i = 0; i < codes.size(); i += 13) {
            const double distance = test::squared_distance(queries.row(q), decoded.row(i), 9);
            EXPECT_NEAR(table.offset + table.sum(codes.rows.row(i)), distance, 1e-3 * (1 + distance));
        }
    }
}

TEST(Ocq, ReportsTheErrorOfItsCodes) {
    const Matrix<float> vectors = test::clustered(600, 9);
    const Quantizer model = train(vectors.view(), options(3, 8, 4));
    EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), model.training.distortion,
                1e-3 * model.training.distortion);
    EXPECT_EQ(model.training.objective.size(), 4u);
}

TEST(Ocq, NeverEndsWorseThanTheCartesianKMeansItStartsFrom) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Matrix<float> vectors = test::clustered(600, 9, seed);
        const double opq =
            train(vectors.view(), OpqOptions{.dictionaries = 3, .words = 8, .iterations = 16}).training.distortion;
        EXPECT_LE(train(vectors.view(), options(3, 8, 4)).training.distortion, (1 + 1e-5) * opq);
    }
}

TEST(Ocq, WithOneDictionaryIsKMeans) {
    const Matrix<float> vectors = test::clustered(400, 5);
    const double pq = train(vectors.view(), PqOptions{.dictionaries = 1, .words = 8}).training.distortion;
    EXPECT_LT(train(vectors.view(), options(1, 8, 3)).training.distortion, 1.3 * pq);
}

TEST(Ocq, SurvivesConstantData) {
    const Matrix<float> vectors(60, 4, 2.0f);
    const Quantizer model = train(vectors.view(), options(2, 4, 2));
    EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), 0, 1e-9);
}

}  // namespace
}  // namespace summand
