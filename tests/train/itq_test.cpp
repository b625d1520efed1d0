#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "summand/compared_methods.h"
#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

Quantizer trained(const std::string& spec, const Matrix<float>& vectors) {
    return train(vectors.view(), parse_spec(spec));
}

// rotation·(x - centre) in double.
std::vector<double> moved(const Quantizer& model, const float* vector) {
    std::vector<double> result;
    for (std::size_t i = 0; i < model.dimensions(); ++i) {
        double sum = 0;
        for (std::size_t d = 0; d < model.dimensions(); ++d)
            sum += double{model.rotation[i][d]} * (double{vector[d]} - double{model.centre[d]});
        result.push_back(sum);
    }
    return result;
}

TEST(Itq, TheRotationIsOrthogonal) {
    const Matrix<float> vectors = clustered(500, 20);
    for (const char* spec : {"ITQ8(iterations=3)", "ITQ16(iterations=3)"}) {
        const Matrix<float> rotation = trained(spec, vectors).rotation;
        for (std::size_t i = 0; i < 20; ++i)
            for (std::size_t j = 0; j < 20; ++j)
                EXPECT_NEAR(test::dot(rotation.row(i), rotation.row(j), 20), i == j, 1e-4);
    }
}

TEST(Itq, CodesAreTheSignsOfTheStrongestDirections) {
    const Matrix<float> vectors = clustered(500, 20);
    for (const char* spec : {"ITQ16(iterations=3)", "ITQ16(iterations=3,distance=symmetric)"}) {
        const Quantizer model = trained(spec, vectors);
        EXPECT_EQ(model.code_bytes(), 2u);
        const Codes codes = encode(model, vectors.view());
        for (std::size_t n = 0; n < codes.size(); ++n) {
            const std::vector<double> y = moved(model, vectors.row(n));
            for (std::size_t d = 0; d < 16; ++d)
                EXPECT_TRUE(std::abs(y[d]) < 1e-3 || (codes.rows[n][d / 8] >> (d % 8) & 1) == (y[d] > 0));
        }
    }
}

TEST(Itq, ReducesToTheStrongestPrincipalDirections) {
    Matrix<float> vectors = clustered(500, 20);
    for (std::size_t n = 0; n < vectors.rows(); ++n)
        for (std::size_t d = 8; d < 20; ++d) vectors[n][d] *= 0.01f;
    const Matrix<float> rotation = trained("ITQ8(iterations=3)", vectors).rotation;
    for (std::size_t i = 0; i < 8; ++i) EXPECT_GT(test::dot(rotation.row(i), rotation.row(i), 8), 0.99);
}

TEST(Itq, AnotherIterationNeverRaisesTheError) {
    const std::vector<double> objective = trained("ITQ16(iterations=20)", clustered(800, 24)).training.objective;
    ASSERT_EQ(objective.size(), 20u);
    for (std::size_t i = 1; i < objective.size(); ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6));
    EXPECT_LT(objective.back(), objective.front());
}

TEST(Itq, TheErrorOfItsCodesIsTheOneItReports) {
    const Matrix<float> vectors = clustered(500, 20);
    for (const char* spec : {"ITQ16(iterations=5)", "ITQ16(iterations=5,distance=symmetric)"}) {
        const Quantizer model = trained(spec, vectors);
        EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), model.training.distortion,
                    1e-3 * model.training.distortion);
    }
}

TEST(Itq, SymmetricScoresAreHammingDistances) {
    const Matrix<float> vectors = clustered(600, 20), queries = clustered(10, 20, 2);
    const Quantizer model = trained("ITQ16(iterations=5,distance=symmetric)", vectors);
    EXPECT_TRUE(model.binary_queries);
    const float scale = model.dictionaries.word(0, 255)[0], unit = 4 * scale * scale;
    const Codes codes = encode(model, vectors.view()), query_codes = encode(model, queries.view());
    const Neighbors found = FlatIndex(model, codes, Metric::euclidean).search(queries.view(), {.k = 600});
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        for (std::size_t j = 0; j < 600; ++j) {
            const std::uint8_t* code = codes.rows.row(static_cast<std::size_t>(found.ids[q][j]));
            int different = 0;
            for (std::size_t m = 0; m < 2; ++m)
                different += std::popcount(static_cast<unsigned>(query_codes.rows[q][m] ^ code[m]));
            EXPECT_EQ(found.scores[q][j], static_cast<float>(different) * unit);
            EXPECT_EQ(table.offset + table.sum(code), found.scores[q][j]);
        }
    }
}

TEST(Itq, AsymmetricScoresAreDistancesToTheDecodedVectors) {
    const Matrix<float> vectors = clustered(300, 20), queries = clustered(10, 20, 2);
    const Quantizer model = trained("ITQ16(iterations=5,distance=asymmetric)", vectors);
    EXPECT_FALSE(model.binary_queries);
    const Codes codes = encode(model, vectors.view());
    const Matrix<float> decoded = decode(model, codes);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const double distance = test::squared_distance(queries.row(q), decoded.row(i), 20);
            EXPECT_NEAR(table.offset + table.sum(codes.rows.row(i)), distance, 1e-3 * (1 + distance));
        }
    }
}

TEST(Itq, FindsMoreWithAsymmetricDistancesAndLessThanPq) {
    const Matrix<float> base = clustered(2000, 24), queries = clustered(300, 24, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const auto found = [&](const char* spec) {
        const Quantizer model = trained(spec, base);
        const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
        return recall(index.search(queries.view(), {.k = 10}), truth.ids.view(), 10);
    };
    const double asymmetric = found("ITQ16");
    EXPECT_GT(asymmetric, found("ITQ16(distance=symmetric)"));
    EXPECT_LT(asymmetric, found("PQ2"));
}

TEST(Itq, SurvivesConstantDataAndFewVectors) {
    for (const Matrix<float>& vectors : {Matrix<float>(40, 8, 3.0f), clustered(2, 8), clustered(5, 8)})
        for (const char* spec : {"ITQ8", "ITQ8(distance=symmetric)"}) {
            const Quantizer model = trained(spec, vectors);
            EXPECT_TRUE(std::isfinite(distortion(model, vectors.view(), encode(model, vectors.view()))));
        }
}

TEST(Itq, RefusesWhatItCannotTrain) {
    const Matrix<float> vectors = clustered(100, 12);
    for (const char* spec : {"ITQ4", "ITQ12"})
        expect_error([&] { trained(spec, vectors); }, {"train: expected a multiple of 8 bits, at most 512, got "});
    expect_error([&] { trained("ITQ16", vectors); },
                 {"train: expected at most one bit per dimension (12), got 16 bits"});
    expect_error([&] { trained("ITQ8x4", vectors); },
                 {"spec 'ITQ8x4': expected no bits per code, the number of ITQ counts bits"});
    expect_error([&] { train(vectors.view(), ItqOptions{.bits = 520}); }, {"at most 512, got 520"});
    expect_error([&] { train(vectors.view(), ItqOptions{.bits = 8, .iterations = 0}); },
                 {"train: expected at least 1 iteration, got 0"});
    expect_error([] { parse_spec("ITQ520"); }, {"spec 'ITQ520': expected a number of bits from 1 to 512, got 520"});
}

TEST(Itq, SymmetricDistancesAreEuclideanOnly) {
    const Matrix<float> vectors = clustered(100, 8);
    const Quantizer model = trained("ITQ8(distance=symmetric)", vectors);
    expect_error([&] { lookup_table(model, vectors[0], Metric::inner_product); },
                 {"metric: Hamming distances of signs stand for euclidean, got ip", "distance=asymmetric"});
}

}  // namespace
}  // namespace summand
