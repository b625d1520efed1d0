#include "summand/flat_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "index/index_parts.h"
#include "index/random_index.h"
#include "kernels/kernels.h"
#include "model/bias.h"
#include "summand/error.h"

namespace summand {
namespace {

template <class Body>
void for_each_level(Body body) {
    for (std::size_t i = 0; i < available_kernels().count; ++i) {
        const ForcedKernels forced(*available_kernels().levels[i]);
        SCOPED_TRACE(available_kernels().levels[i]->name);
        body();
    }
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

Matrix<float> random_queries(std::size_t count, std::size_t dimensions) {
    Random random(99);
    return random_rows(count, dimensions, random);
}

void expect_equals_oracle(const RandomShape& shape, std::size_t k, Metric metric = Metric::euclidean) {
    const Quantizer quantizer = random_quantizer(shape);
    const Codes codes = random_codes(quantizer, shape.size, shape.seed + 1);
    const Matrix<float> queries = random_queries(3, shape.dimensions);
    const Neighbors expected = oracle_search(quantizer, codes, queries.view(), metric, k);
    for (const Planes planes : {Planes::whole, Planes::quads}) {
        const FlatIndex index =
            IndexParts::flat(quantizer, PackedCodes::pack(codes, quantizer, metric, planes), metric);
        for_each_level([&] {
            EXPECT_EQ(index.search(queries.view(), {.k = k, .execution = {.threads = 1}}), expected)
                << "n " << shape.size << " M " << shape.dictionaries << " K " << shape.words << " k " << k
                << (planes == Planes::quads ? " in quads" : "");
        });
    }
}

TEST(FlatIndex, EqualsTheFloatScanForEverySize) {
    for (const std::size_t size : {0, 1, 2, 63, 64, 65, 511, 512, 513, 1023, 1025, 4095, 4097, 9000, 20000})
        for (const std::size_t k : {1, 10, 100})
            expect_equals_oracle({.size = size, .dictionaries = 4, .seed = size + k}, k);
}

TEST(FlatIndex, EqualsTheFloatScanForEveryShapeOfCodes) {
    for (const std::size_t dictionaries : {1, 2, 3, 7, 8, 16, 33, 64})
        for (const std::size_t words : {2, 3, 15, 16, 17, 100, 255, 256})
            expect_equals_oracle({.size = 9001, .dictionaries = dictionaries, .words = words, .dimensions = 4}, 20);
}

TEST(FlatIndex, EqualsTheFloatScanForInnerProducts) {
    for (const std::size_t words : {16, 256})
        expect_equals_oracle({.size = 20011, .words = words, .rotation = true}, 50, Metric::inner_product);
}

TEST(FlatIndex, EqualsTheFloatScanWithStoredBiases) {
    for (const std::size_t words : {5, 16, 256})
        for (const std::size_t dictionaries : {1, 7, 8})
            expect_equals_oracle({.size = 20011, .dictionaries = dictionaries, .words = words, .bias = true}, 50);
}

// What the look-ups leave out is computed from the codes, with the bits that a stored bias would have.
TEST(FlatIndex, ADerivedBiasEqualsTheStoredOneAndIsNotPartOfTheCodes) {
    for (const std::size_t words : {5, 256}) {
        Quantizer quantizer = random_quantizer({.dictionaries = 4, .words = words});
        quantizer.bias = Bias::derived;
        const Codes codes = random_codes(quantizer, 3000, 7);
        Codes biased = codes;
        biased.bias = biases(quantizer, codes.rows, {});
        const FlatIndex index(quantizer, codes, Metric::euclidean);
        const Matrix<float> queries = random_queries(3, 16);
        for_each_level([&] {
            EXPECT_EQ(index.search(queries.view(), {.k = 20}),
                      oracle_search(quantizer, biased, queries.view(), Metric::euclidean, 20));
        });
        EXPECT_EQ(index.codes(), codes);
        EXPECT_GE(index.memory_bytes(), 3000 * (quantizer.code_bytes() + sizeof(float)));
        const FlatIndex products(quantizer, codes, Metric::inner_product);
        EXPECT_EQ(products.search(queries.view(), {.k = 20}),
                  oracle_search(quantizer, codes, queries.view(), Metric::inner_product, 20));
        EXPECT_LT(products.memory_bytes(), index.memory_bytes() - 3000 * sizeof(float));
    }
}

TEST(FlatIndex, RefusesBiasesBesideThoseItDerives) {
    Quantizer quantizer = random_quantizer({.dictionaries = 2});
    quantizer.bias = Bias::derived;
    Codes codes = random_codes(quantizer, 10, 7);
    codes.bias.assign(10, 0.0f);
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, codes, Metric::euclidean); }), "index: expected 0 biases, got 10");
    codes.bias.clear();
    quantizer.dictionaries.word(0, 0)[0] = 1e19f;
    std::fill_n(codes.rows.data(), codes.rows.size(), std::uint8_t{0});
    codes.model = identity(quantizer);
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, codes, Metric::euclidean); }),
              "index: expected the bias of row 0 within ±1e+36, got 1e+38");
}

TEST(FlatIndex, EqualsTheFloatScanForBlocksAndRotations) {
    for (const bool rotation : {false, true})
        expect_equals_oracle({.size = 20011, .dimensions = 21, .blocks = true, .rotation = rotation}, 100);
}

TEST(FlatIndex, EqualsTheFloatScanForLargeK) {
    for (const std::size_t k : {1000, 5000, 10000, 30000}) expect_equals_oracle({.size = 20011}, k);
}

// Limits are estimated from a part of the vectors. Here the near vectors lie together, so that each part in turn has
// all of them.
TEST(FlatIndex, EqualsTheFloatScanWhereNeighboursLieTogether) {
    const std::size_t size = 300'000;  // enough for two threads to share
    const Quantizer quantizer = random_quantizer({.size = size, .dictionaries = 4});
    const Codes codes = random_codes(quantizer, size, 2);
    const Matrix<float> queries = random_queries(1, quantizer.dimensions());
    const Neighbors order = oracle_search(quantizer, codes, queries.view(), Metric::euclidean, size);
    for (const std::size_t shift : {0, 4096, 140'000, 298'000}) {
        Codes sorted = codes;
        for (std::size_t i = 0; i < size; ++i) {
            const auto from = static_cast<std::size_t>(order.ids[0][i]);
            std::copy_n(codes.rows.row(from), codes.rows.columns(), sorted.rows.row((i + shift) % size));
        }
        const FlatIndex index(quantizer, sorted, Metric::euclidean);
        for (const std::size_t k : {30, 3000}) {
            const Neighbors expected = oracle_search(quantizer, sorted, queries.view(), Metric::euclidean, k);
            for (const unsigned threads : {1, 2})
                EXPECT_EQ(index.search(queries.view(), {.k = k, .execution = {.threads = threads}}), expected)
                    << "shift " << shift << " k " << k;
        }
    }
}

TEST(FlatIndex, EqualScoresAreOrderedById) {
    Quantizer quantizer = random_quantizer({.dictionaries = 2, .words = 2, .dimensions = 4});
    const Codes codes = random_codes(quantizer, 5000, 3);
    const FlatIndex index(quantizer, codes, Metric::euclidean);
    const Matrix<float> queries = random_queries(2, 4);
    for (const std::size_t k : {1, 7, 2000})
        for_each_level([&] {
            EXPECT_EQ(index.search(queries.view(), {.k = k}),
                      oracle_search(quantizer, codes, queries.view(), Metric::euclidean, k));
        });
}

// Every table entry by itself: word offsets are the tables where the query is the centre.
void expect_equals_oracle_with_offsets(const std::function<float(Random&)>& entry, const char* what) {
    for (const std::size_t words : {16, 256}) {
        Quantizer quantizer = random_quantizer({.dictionaries = 8, .words = words, .dimensions = 4});
        std::fill(quantizer.centre.begin(), quantizer.centre.end(), 0.0f);
        Random random(5);
        for (float& offset : quantizer.word_offsets) offset = entry(random);
        const Codes codes = random_codes(quantizer, 9000, 4);
        const FlatIndex index(quantizer, codes, Metric::euclidean);
        Matrix<float> queries(1, 4, 0.0f);
        for (const std::size_t k : {1, 100})
            for_each_level([&] {
                EXPECT_EQ(index.search(queries.view(), {.k = k}),
                          oracle_search(quantizer, codes, queries.view(), Metric::euclidean, k))
                    << what << " K " << words;
            });
    }
}

TEST(FlatIndex, EqualsTheFloatScanForAdversarialTables) {
    const auto power = [](Random& random, double low, double high) {
        const double size = std::pow(10.0, low + (high - low) * random.uniform());
        return static_cast<float>(random.uniform() < 0.5 ? size : -size);
    };
    expect_equals_oracle_with_offsets([](Random&) { return 3.0f; }, "constant");
    expect_equals_oracle_with_offsets([](Random&) { return 0.0f; }, "zero");
    expect_equals_oracle_with_offsets([&](Random& random) { return power(random, -45, -38); }, "denormal");
    expect_equals_oracle_with_offsets([&](Random& random) { return power(random, -40, 36); }, "huge range");
    expect_equals_oracle_with_offsets([&](Random& random) { return power(random, 38, 38.5); }, "overflowing");
    expect_equals_oracle_with_offsets([&](Random& random) { return 1e8f + power(random, -3, 1); }, "far from zero");
    expect_equals_oracle_with_offsets([](Random& random) { return static_cast<float>(random.below(3)); }, "few values");
    expect_equals_oracle_with_offsets(
        [](Random& random) { return random.below(100) == 0 ? -1e30f : static_cast<float>(random.uniform()); },
        "outliers");
}

TEST(FlatIndex, ResultsDoNotDependOnThreadsNorOnBatches) {
    const RandomShape shape{.size = 300000, .dictionaries = 4, .dimensions = 8};
    const Quantizer quantizer = random_quantizer(shape);
    const FlatIndex index(quantizer, random_codes(quantizer, shape.size, 2), Metric::euclidean);
    const Matrix<float> queries = random_queries(70, shape.dimensions);
    const Neighbors expected = index.search(queries.view(), {.k = 30, .execution = {.threads = 1}});
    EXPECT_EQ(index.search(queries.view(), {.k = 30, .execution = {.threads = 2}}), expected);
    for (const unsigned threads : {1u, 2u, 3u})
        for (std::size_t i = 0; i < 4; ++i) {
            const Neighbors one =
                index.search(queries.view().slice(i, 1), {.k = 30, .execution = {.threads = threads}});
            EXPECT_TRUE(std::equal(one.ids.row(0), one.ids.row(0) + 30, expected.ids.row(i)));
            EXPECT_TRUE(std::equal(one.scores.row(0), one.scores.row(0) + 30, expected.scores.row(i)));
        }
}

TEST(FlatIndex, FiltersKeepExactlyTheirIds) {
    const RandomShape shape{.size = 70001, .dictionaries = 4, .dimensions = 8};
    const Quantizer quantizer = random_quantizer(shape);
    const Codes codes = random_codes(quantizer, shape.size, 2);
    const FlatIndex index(quantizer, codes, Metric::euclidean);
    const Matrix<float> queries = random_queries(2, shape.dimensions);
    Random random(8);
    const std::vector<std::int64_t> one{70000}, few{3, 511, 512, 40000, 69999, 80000}, far{3, 40000, INT64_MAX};
    const IdFilter filters[] = {
        IdFilter::list({}),
        IdFilter::list(one),
        IdFilter::list(few),
        IdFilter::range(600, 1300),
        IdFilter::where(shape.size, [&](std::int64_t) { return random.below(1000) == 0; }),
        IdFilter::where(shape.size, [&](std::int64_t) { return random.below(100) == 0; }),
        IdFilter::where(shape.size, [&](std::int64_t) { return random.below(2) == 0; }),
        IdFilter::range(0, 100000),
        IdFilter::list(far),
        IdFilter::range(69000, INT64_MAX),
    };
    for (const IdFilter& filter : filters)
        for (const std::size_t k : {1, 50})
            for_each_level([&] {
                EXPECT_EQ(index.search(queries.view(), {.k = k, .filter = &filter}),
                          oracle_search(quantizer, codes, queries.view(), Metric::euclidean, k, &filter))
                    << "filter " << &filter - filters;
            });
}

TEST(FlatIndex, RangeSearchFindsEveryScoreBelowTheRadius) {
    const RandomShape shape{.size = 20011, .dimensions = 8};
    const Quantizer quantizer = random_quantizer(shape);
    const Codes codes = random_codes(quantizer, shape.size, 2);
    const FlatIndex index(quantizer, codes, Metric::euclidean);
    const Matrix<float> queries = random_queries(3, shape.dimensions);
    std::vector<Neighbor> all = oracle_scores(quantizer, codes, queries[1], Metric::euclidean);
    std::sort(all.begin(), all.end());
    for (const std::size_t rank : {0, 1, 300, 20010}) {
        const float radius = all[rank].score;
        for_each_level([&] {
            const RangeNeighbors found = index.search_range(queries.view(), radius);
            ASSERT_EQ(found.begin.size(), 4u);
            ASSERT_EQ(found.begin[2] - found.begin[1], rank);
            EXPECT_TRUE(std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rank),
                                   found.entries.begin() + static_cast<std::ptrdiff_t>(found.begin[1])));
        });
    }
}

TEST(FlatIndex, UnpacksTheCodesItWasMadeFrom) {
    for (const std::size_t words : {3, 16, 17, 256})
        for (const bool bias : {false, true}) {
            const Quantizer quantizer = random_quantizer({.dictionaries = 5, .words = words, .bias = bias});
            const Codes codes = random_codes(quantizer, 1001, 6);
            EXPECT_EQ(FlatIndex(quantizer, codes, Metric::euclidean).codes(), codes);
        }
}

TEST(FlatIndex, MoreThanThereIsEndsWithNoIds) {
    const Quantizer quantizer = random_quantizer({});
    const Matrix<float> queries = random_queries(1, 16);
    const FlatIndex empty(quantizer, random_codes(quantizer, 0, 1), Metric::euclidean);
    EXPECT_EQ(empty.search(queries.view(), {.k = 2}).ids, Matrix<std::int64_t>(1, 2, kNoId));
    const Neighbors found =
        FlatIndex(quantizer, random_codes(quantizer, 1, 1), Metric::euclidean).search(queries.view(), {.k = 2});
    EXPECT_EQ(found.ids[0][0], 0);
    EXPECT_EQ(found.ids[0][1], kNoId);
    EXPECT_EQ(found.scores[0][1], std::numeric_limits<float>::infinity());
}

TEST(FlatIndex, CosineIsTheDistanceOfDirections) {
    Quantizer quantizer = random_quantizer({});
    const Matrix<float> queries = random_queries(1, 16);
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, random_codes(quantizer, 5, 1), Metric::cosine); }),
              "metric: cosine needs a model of vectors of length one; train it with the metric cosine");
    quantizer.unit_length = true;
    const Codes codes = random_codes(quantizer, 5000, 1);
    const FlatIndex index(quantizer, codes, Metric::cosine);
    EXPECT_EQ(index.search(queries.view()), oracle_search(quantizer, codes, queries.view(), Metric::cosine, 10));
    Matrix<float> unit = queries;
    for (float& x : unit[0]) x /= static_cast<float>(std::sqrt(kernels().dot(queries.row(0), queries.row(0), 16)));
    const Neighbors near = FlatIndex(quantizer, codes, Metric::euclidean).search(unit.view());
    for (std::size_t i = 0; i < 10; ++i)
        EXPECT_NEAR(index.search(queries.view()).scores[0][i], near.scores[0][i], 1e-4);
    Matrix<float> longer = queries;
    for (float& x : longer[0]) x *= 4;
    EXPECT_EQ(index.search(longer.view()), index.search(queries.view()));
    const Matrix<float> zeros(2, 16, 0.0f);
    EXPECT_EQ(message_of([&] { index.search(zeros.view()); }),
              "search: row 0 is all zeros, which has no direction; cosine needs non-zero queries");
}

TEST(FlatIndex, RefusesWhatDoesNotFit) {
    const Quantizer quantizer = random_quantizer({.words = 100});
    const Codes codes = random_codes(quantizer, 100, 1);
    const FlatIndex index(quantizer, codes, Metric::euclidean);
    Matrix<float> queries = random_queries(2, 16);

    EXPECT_EQ(message_of([&] { index.search(queries.view(), {.k = 0}); }), "search: expected k of at least 1, got 0");
    EXPECT_EQ(message_of([&] { index.search(MatrixView<float>(queries.data(), 1, 17)); }),
              "search: expected queries of 16 dimensions, got 17");
    queries[1][3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(message_of([&] { index.search(queries.view()); }),
              "search: row 1 holds a value that is not finite (NaN or infinity)");
    queries[1][3] = 3e38f;
    EXPECT_EQ(message_of([&] { index.search(queries.view()); }),
              "search: row 1 makes table entries that are not finite");
    EXPECT_EQ(message_of([&] { index.search_range(queries.view(), std::nanf("")); }),
              "search_range: expected a radius, got NaN");

    Codes other = codes;
    other.model ^= 1;
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, other, Metric::euclidean); }),
              "index: codes were made by another model; encode the vectors with the model of this index");
    other = codes;
    other.rows[7][2] = 100;
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, other, Metric::euclidean); }),
              "index: row 7 names word 100 of a dictionary of 100 words");
    other = Codes{Matrix<std::uint8_t>(4, 3), {}, codes.model};
    EXPECT_EQ(message_of([&] { FlatIndex(quantizer, other, Metric::euclidean); }),
              "index: expected codes of 8 bytes, got 3");
}

}  // namespace
}  // namespace summand
