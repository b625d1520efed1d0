// Sparse words, and SNOCQ that is made of them.
#include "train/sparse_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

std::size_t nonzeros(const Dictionaries& dictionaries) {
    const std::vector<float>& values = dictionaries.rows.values();
    return values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0f));
}

TEST(Nonzeros, OfTheTwoLevelsAreThoseOfThePaper) {
    EXPECT_EQ(nonzeros_of(Sparsity::as_pq, 8, 256, 128), 256u * 128);
    EXPECT_EQ(nonzeros_of(Sparsity::as_opq, 8, 256, 128), 256u * 128 + 128 * 128);
    EXPECT_EQ(nonzeros_of(Sparsity::as_opq, 2, 16, 128), 2u * 16 * 128);
}

TEST(Nonzeros, FallByEqualFactorsFromAllToTheLast) {
    EXPECT_EQ(falling_nonzeros(1000, 10, 0), 1000u);
    EXPECT_EQ(falling_nonzeros(1000, 10, 0.5), 100u);
    EXPECT_EQ(falling_nonzeros(1000, 10, 1), 10u);
    EXPECT_EQ(falling_nonzeros(1000, 10, 1.5), 10u);
    EXPECT_EQ(falling_nonzeros(1000, 1000, 0.3), 1000u);
}

TEST(KeepStrongest, KeepsTheValuesWhoseLossCostsMost) {
    const Dictionaries words = test::random_dictionaries(3, 5, 4, 1);
    const Matrix<std::uint8_t> codes = test::random_code_rows(100, 3, 5, 2);
    std::vector<double> cost(words.rows.size());
    for (std::size_t i = 0; i < cost.size(); ++i)
        for (std::size_t n = 0; n < codes.rows(); ++n)
            if (codes[n][i / 20] == i / 4 % 5) cost[i] += double{words.rows.data()[i]} * double{words.rows.data()[i]};
    for (const std::size_t count : {0, 1, 17, 59, 60, 100}) {
        Dictionaries kept = words;
        keep_strongest(codes, count, kept);
        EXPECT_EQ(nonzeros(kept), std::min<std::size_t>(count, 60));
        double least = 1e30, most = 0;
        for (std::size_t i = 0; i < cost.size(); ++i) {
            EXPECT_TRUE(kept.rows.data()[i] == 0 || kept.rows.data()[i] == words.rows.data()[i]);
            (kept.rows.data()[i] != 0 ? least : most) =
                kept.rows.data()[i] != 0 ? std::min(least, cost[i]) : std::max(most, cost[i]);
        }
        EXPECT_LE(most, least + 1e-9);
    }
}

TEST(KeepStrongest, BreaksTiesByTheSmallerNumber) {
    Dictionaries words{.count = 1, .words = 2, .rows = Matrix<float>(2, 3, 2.0f)};
    keep_strongest(Matrix<std::uint8_t>(2, 1, {0, 1}), 4, words);
    EXPECT_EQ(words.rows, Matrix<float>(2, 3, {2, 2, 2, 2, 0, 0}));
}

TEST(Snocq, HasExactlyTheNonzerosItWasAskedFor) {
    const Matrix<float> vectors = clustered(600, 8);
    for (const auto& [spec, expected] : {std::pair{"SNOCQ4x4(iterations=6)", 16u * 8},
                                         {"SNOCQ4x4(iterations=6,level=2)", 16u * 8 + 64},
                                         {"SNOCQ4x4(iterations=6,nonzeros=77)", 77u},
                                         {"SNOCQ2x2(iterations=6,level=2)", 2u * 4 * 8},
                                         {"SNOCQ4x4(iterations=1)", 16u * 8}}) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        EXPECT_EQ(model.method, "SNOCQ");
        EXPECT_EQ(nonzeros(model.dictionaries), expected) << spec;
    }
}

// The penalty and the number of zeros rise during the first 60 % of the iterations.
TEST(Snocq, TheObjectiveNeverRisesOnceAllZerosAreThere) {
    const std::vector<double> objective =
        train(clustered(600, 8).view(), parse_spec("SNOCQ4x4(iterations=10)")).training.objective;
    ASSERT_EQ(objective.size(), 10u);
    for (std::size_t i = 6; i < 10; ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6));
}

TEST(Snocq, WithAllValuesIsNocqAndWithFewerHasALargerError) {
    const Matrix<float> vectors = clustered(800, 8);
    const auto error = [&](const char* spec) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        return distortion(model, vectors.view(), encode(model, vectors.view()));
    };
    const double dense = error("NOCQ4x4(start=pq)"), sparse = error("SNOCQ4x4(start=pq,nonzeros=200)");
    EXPECT_LT(dense, sparse);
    EXPECT_LT(sparse, error("SNOCQ4x4(start=pq,nonzeros=60)"));
    EXPECT_NEAR(error("SNOCQ4x4(start=pq,nonzeros=512)"), dense, 0.1 * dense);
}

TEST(Snocq, IsSearchedThroughSparseTablesWithTheScoresOfDenseOnes) {
    const Matrix<float> vectors = clustered(800, 8), queries = clustered(20, 8, 2);
    const Quantizer model = train(vectors.view(), parse_spec("SNOCQ4x4(iterations=4)"));
    const Codes codes = encode(model, vectors.view());
    const Neighbors found = FlatIndex(model, codes, Metric::euclidean).search(queries.view(), {.k = 10});
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        for (std::size_t j = 0; j < 10; ++j) {
            const std::uint8_t* code = codes.rows.row(static_cast<std::size_t>(found.ids[q][j]));
            EXPECT_EQ(found.scores[q][j], table.sum(code) + table.offset);
        }
    }
}

TEST(Snocq, RefusesMoreValuesThanThereAre) {
    expect_error([] { train(clustered(100, 4).view(), parse_spec("SNOCQ2x2(nonzeros=33)")); },
                 {"train: expected at most 32 values that are not zero, got 33"});
}

TEST(Snocq, SparseWordsAreAnOptionOfNocqAlone) {
    const Matrix<float> vectors = clustered(100, 4);
    expect_error([&] { train(vectors.view(), CompositeOptions{.dictionaries = 2, .words = 4, .nonzeros = 5}); },
                 {"train: sparse words are an option of NOCQ, got LOCQ"});
}

}  // namespace
}  // namespace summand
