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

TEST(LookupTable, ABatchHasTheBitsOfEachQuery) {
    const Quantizer quantizer = random_quantizer({.dimensions = 21, .rotation = true});
    std::vector<std::uint8_t> order(8 * 256);
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<std::uint8_t>(e % 256);
    const TableBuilder builder(quantizer, Metric::euclidean, {256, order});
    Random random(4);
    const Matrix<float> queries = random_rows(9, 21, random);
    std::vector<float> entries(9 * builder.entries()), offsets(9);
    builder.build("test", queries.view(), 0, entries.data(), offsets.data());
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable one = lookup_table(quantizer, queries[q], Metric::euclidean);
        EXPECT_EQ(offsets[q], one.offset);
        EXPECT_TRUE(std::equal(one.entries.begin(), one.entries.end(),
                               entries.begin() + static_cast<std::ptrdiff_t>(q * builder.entries())));
    }
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
