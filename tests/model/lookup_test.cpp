#include "model/lookup.h"

#include <gtest/gtest.h>

#include "index/random_index.h"
#include "summand/error.h"

namespace summand {
namespace {

// The scoring equation with the approximation spelled out, in double.
double score_of_words(const Quantizer& quantizer, std::span<const float> query, Metric metric,
                      const std::uint8_t* code) {
    const std::size_t dimensions = quantizer.dimensions();
    std::vector<double> moved(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i)
        for (std::size_t d = 0; d < dimensions; ++d) {
            const double x = metric == Metric::euclidean ? query[d] - quantizer.centre[d] : query[d];
            moved[i] += x * (quantizer.rotation.empty() ? (i == d ? 1.0 : 0.0) : quantizer.rotation[i][d]);
        }
    double score = 0;
    for (std::size_t d = 0; d < dimensions; ++d)
        score += metric == Metric::euclidean ? moved[d] * moved[d] : -double{query[d]} * quantizer.centre[d];
    for (std::size_t m = 0; m < quantizer.dictionaries.count; ++m) {
        if (metric == Metric::euclidean) score += quantizer.word_offsets[m * quantizer.dictionaries.words + code[m]];
        for (std::size_t d = 0; d < dimensions; ++d)
            score -= (metric == Metric::euclidean ? 2 : 1) * moved[d] * quantizer.dictionaries.word(m, code[m])[d];
    }
    return score;
}

TEST(LookupTable, SumsUpToTheScoringEquation) {
    for (const Metric metric : {Metric::euclidean, Metric::inner_product})
        for (const bool rotation : {false, true})
            for (const bool blocks : {false, true})
                for (const std::size_t words : {3, 16, 100}) {
                    const Quantizer quantizer = random_quantizer(
                        {.dictionaries = 5, .words = words, .dimensions = 18, .blocks = blocks, .rotation = rotation});
                    const Codes codes = random_codes(quantizer, 20, 2);
                    Random random(3);
                    const Matrix<float> query = random_rows(1, 18, random);
                    const LookupTable table = lookup_table(quantizer, query[0], metric);
                    for (std::size_t i = 0; i < codes.size(); ++i)
                        EXPECT_NEAR(table.sum(codes.rows.row(i)) + table.offset,
                                    score_of_words(quantizer, query[0], metric, codes.rows.row(i)), 1e-3);
                }
}

// All but one value in five of the words become zero.
Quantizer sparse_quantizer(const RandomShape& shape) {
    Quantizer quantizer = random_quantizer(shape);
    for (std::size_t i = 0; i < quantizer.dictionaries.rows.size(); ++i)
        if (i % 5 != 0) quantizer.dictionaries.rows.data()[i] = 0;
    return quantizer;
}

TEST(LookupTable, OfSparseWordsSumsUpToTheScoringEquation) {
    for (const Metric metric : {Metric::euclidean, Metric::inner_product})
        for (const bool rotation : {false, true}) {
            const Quantizer quantizer =
                sparse_quantizer({.dictionaries = 5, .words = 20, .dimensions = 18, .rotation = rotation});
            const Codes codes = random_codes(quantizer, 20, 2);
            Random random(3);
            const Matrix<float> query = random_rows(1, 18, random);
            const LookupTable table = lookup_table(quantizer, query[0], metric);
            for (std::size_t i = 0; i < codes.size(); ++i)
                EXPECT_NEAR(table.sum(codes.rows.row(i)) + table.offset,
                            score_of_words(quantizer, query[0], metric, codes.rows.row(i)), 1e-3);
        }
}

// Each word stands in the table of sparse words with the bits it has among dense ones.
TEST(LookupTable, OfSparseWordsHasTheBitsOfTheDenseOne) {
    const Quantizer sparse = sparse_quantizer({.dictionaries = 4, .words = 30, .dimensions = 21});
    Quantizer dense = sparse;
    for (std::size_t w = 60; w < 120; ++w)
        for (float& x : dense.dictionaries.rows[w]) x += 3;  // the last two dictionaries make it dense as a whole
    Random random(4);
    const Matrix<float> query = random_rows(1, 21, random);
    const LookupTable a = lookup_table(sparse, query[0], Metric::euclidean);
    const LookupTable b = lookup_table(dense, query[0], Metric::euclidean);
    EXPECT_TRUE(std::equal(a.entries.begin(), a.entries.begin() + 60, b.entries.begin()));
    EXPECT_FALSE(std::equal(a.entries.begin() + 60, a.entries.end(), b.entries.begin() + 60));
}

void expect_batch_has_the_bits_of_each_query(const Quantizer& quantizer) {
    std::vector<std::uint8_t> order(8 * 256);
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::uint8_t>(e % 256);
    const TableBuilder builder(quantizer, Metric::euclidean, {256, order});
    Random random(4);
    const Matrix<float> queries = random_rows(19, 21, random);
    std::vector<float> entries(19 * builder.entries()), offsets(19);
    builder.build("test", queries.view(), 0, entries.data(), offsets.data());
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable one = lookup_table(quantizer, queries[q], Metric::euclidean);
        EXPECT_EQ(offsets[q], one.offset);
        EXPECT_TRUE(std::equal(one.entries.begin(), one.entries.end(),
                               entries.begin() + static_cast<std::ptrdiff_t>(q * builder.entries())));
    }
}

TEST(LookupTable, ABatchHasTheBitsOfEachQuery) {
    expect_batch_has_the_bits_of_each_query(random_quantizer({.dimensions = 21, .rotation = true}));
    expect_batch_has_the_bits_of_each_query(sparse_quantizer({.dimensions = 21, .rotation = true}));
}

TEST(LookupTable, RefusesAWrongDimension) {
    const Quantizer quantizer = random_quantizer({});
    const std::vector<float> query(3);
    try {
        lookup_table(quantizer, query, Metric::euclidean);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "lookup_table: expected queries of 16 dimensions, got 3");
    }
}

}  // namespace
}  // namespace summand
