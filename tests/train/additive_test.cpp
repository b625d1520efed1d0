// RQ, AQ and AQe.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "math/clusters.h"
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

TEST(Additive, AnotherStepNeverRaisesTheError) {
    const Matrix<float> vectors = clustered(800, 8);
    for (const char* spec : {"RQ6x4", "AQ4x4(iterations=6)", "AQe4x4(iterations=6)"}) {
        const std::vector<double> objective = train(vectors.view(), parse_spec(spec)).training.objective;
        ASSERT_EQ(objective.size(), 6u);
        for (std::size_t i = 1; i < objective.size(); ++i)
            EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6)) << spec;
    }
}

TEST(Additive, ScoresOfAnIndexAreExactDistances) {
    const Matrix<float> vectors = clustered(700, 8), queries = clustered(5, 8, 2);
    for (const char* spec : {"RQ3x4", "AQ3x4(iterations=3)", "AQ3x5(iterations=3)"}) {
        SCOPED_TRACE(spec);
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        EXPECT_EQ(model.bias, Bias::derived);
        const Codes codes = encode(model, vectors.view());
        EXPECT_TRUE(codes.bias.empty());
        const Matrix<float> decoded = decode(model, codes);
        const Neighbors found =
            FlatIndex(model, codes, Metric::euclidean).search(queries.view(), {.k = vectors.rows()});
        for (std::size_t q = 0; q < queries.rows(); ++q)
            for (std::size_t j = 0; j < vectors.rows(); ++j) {
                const auto i = static_cast<std::size_t>(found.ids[q][j]);
                const double distance = test::squared_distance(queries.row(q), decoded.row(i), 8);
                EXPECT_NEAR(found.scores[q][j], distance, 1e-3 * (1 + distance));
            }
    }
}

TEST(Additive, CodesTakeOneCodePerDictionary) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const char* spec : {"RQ3x5", "AQ3x5(iterations=1)", "AQe3x5(iterations=1)"}) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        EXPECT_EQ(model.code_bytes(), 3u) << spec;
        EXPECT_EQ(model.dictionaries.count, 3u) << spec;
    }
}

TEST(Rq, WithOneDictionaryIsKMeans) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), RqOptions{.dictionaries = 1, .words = 16, .iterations = 25});
    const Quantizer pq = train(vectors.view(), PqOptions{.dictionaries = 1, .words = 16});
    EXPECT_EQ(model.dictionaries.rows, pq.dictionaries.rows);
    EXPECT_NEAR(error_of(model, vectors), error_of(pq, vectors), 1e-5);
}

TEST(Aq, HasASmallerErrorThanRqAndThanPq) {
    const Matrix<float> vectors = clustered(1000, 8);
    const double aq = error_of(train(vectors.view(), parse_spec("AQ4x4")), vectors);
    const double rq = error_of(train(vectors.view(), parse_spec("RQ4x4")), vectors);
    EXPECT_LT(aq, rq);
    EXPECT_LT(rq, error_of(train(vectors.view(), parse_spec("PQ4x4")), vectors));
}

TEST(Aq, MoreEffortNeverRaisesTheErrorOfTheWhole) {
    const Matrix<float> vectors = clustered(500, 8);
    const Quantizer model = train(vectors.view(), parse_spec("AQ4x4(iterations=2)"));
    const auto error = [&](Effort effort) {
        return distortion(model, vectors.view(), encode(model, vectors.view(), {.effort = effort}));
    };
    EXPECT_LT(error(Effort::standard), error(Effort::fast));
    EXPECT_LE(error(Effort::best), error(Effort::standard));
}

TEST(Aqe, TheLastDictionaryHoldsLevelsOfTheNorm) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), parse_spec("AQe4x4(iterations=2)"));
    EXPECT_EQ(model.bias, Bias::none);
    std::set<float> levels;
    for (std::size_t k = 0; k < 16; ++k) {
        for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(model.dictionaries.word(3, k)[d], 0);
        levels.insert(model.word_offsets[3 * 16 + k]);
    }
    EXPECT_EQ(levels.size(), 16u);
    for (std::size_t w = 0; w < 3 * 16; ++w) EXPECT_EQ(model.word_offsets[w], 0);

    const Codes codes = encode(model, vectors.view());
    double missed = 0, spread = 0, mean = 0;
    std::vector<double> norms;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::vector<float> sum = test::sum_of_words(model.dictionaries, codes.rows.row(i));
        norms.push_back(test::dot(sum.data(), sum.data(), 8));
        mean += norms.back() / static_cast<double>(codes.size());
        missed += std::abs(norms.back() - double{model.word_offsets[3 * 16 + codes.rows[i][3]]});
    }
    for (const double norm : norms) spread += std::abs(norm - mean);
    EXPECT_LT(missed, 0.15 * spread);
}

TEST(Aqe, FindsFewerNeighboursThanAqAtTheSameSize) {
    const Matrix<float> base = clustered(2000, 16), queries = clustered(300, 16, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const auto found = [&](const char* spec) {
        const Quantizer model = train(base.view(), parse_spec(spec));
        const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
        return recall(index.search(queries.view(), {.k = 5}), truth.ids.view(), 5);
    };
    EXPECT_LT(found("AQe4x4"), found("AQ4x4"));
}

TEST(Additive, SurvivesConstantDataFewVectorsAndMoreDictionariesThanDimensions) {
    for (const char* method : {"RQ", "AQ", "AQe"})
        for (const Matrix<float>& vectors : {Matrix<float>(40, 2, 3.0f), clustered(4, 2), clustered(60, 2)})
            for (const char* shape : {"2x1", "2x2", "5x1"}) {
                SCOPED_TRACE(std::string(method) + shape);
                const Quantizer model = train(vectors.view(), parse_spec(std::string(method) + shape));
                EXPECT_TRUE(std::isfinite(error_of(model, vectors)));
                for (const float offset : model.word_offsets) EXPECT_TRUE(std::isfinite(offset));
            }
}

TEST(Additive, RefusesWhatItCannotTrain) {
    const Matrix<float> vectors = clustered(100, 4);
    expect_error([&] { train(vectors.view(), RqOptions{.words = 4, .iterations = 0}); },
                 {"train: expected at least 1 iteration, got 0"});
    expect_error([&] { train(vectors.view(), AqOptions{.words = 4, .iterations = 0}); },
                 {"train: expected at least 1 iteration, got 0"});
    expect_error([&] { train(vectors.view(), AqOptions{.dictionaries = 64, .words = 4, .norm_byte = true}); },
                 {"train: the norm byte of AQ is one more dictionary; expected at most 63, got 64"});
    expect_error([&] { train(vectors.view(), parse_spec("AQe1x4")); },
                 {"spec 'AQe1x4': expected more than 1 dictionaries, which is what the norm takes, got 1"});
}

}  // namespace
}  // namespace summand
