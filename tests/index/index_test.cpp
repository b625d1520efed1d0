#include "summand/index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "index/residuals.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr Metric kMetrics[] = {Metric::euclidean, Metric::inner_product, Metric::cosine};
constexpr const char* kSpecs[] = {"PQ2x4", "OPQ2x4", "IVF6,PQ2x4", "IVF6(coding=plain),RQ2x4", "IMI2x2,OPQ2x4"};
constexpr std::size_t kSize = 300, kDimensions = 8;

Index first_layer(const std::string& text, Metric metric, const Matrix<float>& vectors) {
    const IndexSpec spec = parse_index_spec(text);
    if (!spec.cells) {
        const Quantizer model = train(vectors.view(), spec.code, {.metric = metric});
        return Index(FlatIndex(model, encode(model, vectors.view()), metric));
    }
    InvertedBuilder builder(train(vectors.view(), spec, {.metric = metric}));
    builder.add(vectors.view());
    return Index(std::move(builder).finish());
}

std::vector<std::int64_t> all_ids(std::size_t size) {
    std::vector<std::int64_t> ids(size);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

// The vectors in memory instead of a file.
RefineFile rows_of(const Matrix<float>& vectors) {
    RefineFile file{.path = "rows", .rows = vectors.rows(), .columns = vectors.columns()};
    file.read = [&vectors](std::span<const std::int64_t> ids) {
        Matrix<float> rows(ids.size(), vectors.columns());
        for (std::size_t i = 0; i < ids.size(); ++i)
            std::copy_n(vectors.row(static_cast<std::size_t>(ids[i])), rows.columns(), rows.row(i));
        return rows;
    };
    return file;
}

Quantizer second_quantizer(const Matrix<float>& left, Metric metric) {
    return train(left.view(), parse_spec("OPQ4x4"), {.metric = metric == Metric::cosine ? Metric::euclidean : metric});
}

// Every cell is visited and every vector scored again.
SearchOptions everything(const Index& index, std::size_t k) {
    return {.k = k, .probes = index.inverted() ? std::size_t{100} : 0, .refine = kSize};
}

SearchOptions some(const Index& index, std::size_t k, std::size_t refine) {
    return {.k = k, .probes = index.inverted() ? std::size_t{3} : 0, .refine = refine};
}

Matrix<float> of_length_one(Matrix<float> vectors, Metric metric) {
    for (std::size_t i = 0; i < (metric == Metric::cosine ? vectors.rows() : 0); ++i) {
        const double length = std::sqrt(dot(vectors.row(i), vectors.row(i), vectors.columns()));
        for (float& x : vectors[i]) x = static_cast<float>(static_cast<double>(x) / length);
    }
    return vectors;
}

// The best have the scores of an exact search among the sums of both approximations.
void expect_sums_of_layers(Index index, const Matrix<float>& vectors, const Quantizer& second) {
    const Matrix<float> queries = clustered(7, kDimensions, 2), unit = of_length_one(vectors, index.metric());
    const Matrix<float> left = Residuals(index)(vectors.view(), all_ids(kSize));
    const Codes codes = encode(second, left.view());
    Matrix<float> sums = decode(second, codes);
    for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] += unit.data()[i] - left.data()[i];
    const Metric metric = is_distance(index.metric()) ? Metric::euclidean : Metric::inner_product;
    const Neighbors expected = exact_neighbors(sums.view(), of_length_one(queries, index.metric()).view(), 20, metric);
    index.set_refinement(refine_codes(second, codes));
    const Neighbors found = index.search(queries.view(), everything(index, 20));
    for (std::size_t i = 0; i < found.scores.size(); ++i) {
        const float score = expected.scores.data()[i];
        EXPECT_NEAR(found.scores.data()[i], score, 1e-4 * (1 + std::abs(score)));
    }
}

template <class Body>
void for_each_index(const Matrix<float>& vectors, const Body& body) {
    for (const char* spec : kSpecs)
        for (const Metric metric : kMetrics) {
            SCOPED_TRACE(concatenate(spec, " ", name(metric)));
            body(first_layer(spec, metric, vectors), metric);
        }
}

}  // namespace

TEST(Index, AllVectorsThemselvesScoredAgainAreAnExactSearch) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    for_each_index(vectors, [&](Index index, Metric metric) {
        index.set_refinement(rows_of(vectors));
        const Neighbors found = index.search(queries.view(), everything(index, 20));
        const Neighbors expected = exact_neighbors(vectors.view(), queries.view(), 20, metric);
        EXPECT_EQ(found.ids, expected.ids);
        for (std::size_t i = 0; i < found.scores.size(); ++i) {
            const float score = expected.scores.data()[i];
            EXPECT_NEAR(found.scores.data()[i], score, 1e-5 * (1 + std::abs(score)));
        }
    });
}

TEST(Index, FloatsInTheIndexScoreAsTheirFileDoes) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    for_each_index(vectors, [&](Index index, Metric) {
        index.set_refinement(rows_of(vectors));
        const Neighbors expected = index.search(queries.view(), some(index, 10, 30));
        index.set_refinement(refine_rows(index, vectors.view(), RowFormat::fp32));
        EXPECT_EQ(index.search(queries.view(), some(index, 10, 30)), expected);
    });
}

TEST(Index, ASecondLayerOfCodesScoresTheSumOfBothApproximations) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    for_each_index(vectors, [&](const Index& index, Metric metric) {
        expect_sums_of_layers(index, vectors,
                              second_quantizer(Residuals(index)(vectors.view(), all_ids(kSize)), metric));
    });
}

TEST(Index, EveryMethodOfTheRegistryMakesASecondLayer) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    const Index index = first_layer("IVF6,PQ2x2", Metric::euclidean, vectors);
    const Matrix<float> left = Residuals(index)(vectors.view(), all_ids(kSize));
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(method.name);
        const char* shape = method.name == "ITQ" ? "8" : method.name == "CQc" ? "10x2" : "3x2";
        expect_sums_of_layers(index, vectors,
                              train(left.view(), parse_spec(concatenate(method.name, shape, "(iterations=1)"))));
    }
}

TEST(Index, ASecondLayerLeavesLessThanTheFirst) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    for_each_index(vectors, [&](const Index& index, Metric metric) {
        const Matrix<float> left = Residuals(index)(vectors.view(), all_ids(kSize));
        const Quantizer second = second_quantizer(left, metric);
        const Matrix<float> nothing(1, kDimensions);
        double first_error = 0;
        for (std::size_t i = 0; i < kSize; ++i)
            first_error += squared_distance(left.row(i), nothing.row(0), kDimensions);
        EXPECT_LT(distortion(second, left.view(), encode(second, left.view())), 0.5 * first_error / kSize);
    });
}

TEST(Index, FewerCandidatesGiveTheBestOfThoseThatTheFirstSearchFinds) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    for_each_index(vectors, [&](Index index, Metric metric) {
        const Neighbors candidates = index.search(queries.view(), some(index, 30, 0));
        const Neighbors all = exact_neighbors(vectors.view(), queries.view(), kSize, metric);
        index.set_refinement(rows_of(vectors));
        const Neighbors found = index.search(queries.view(), some(index, 10, 30));
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            const auto row = candidates.ids[q];
            std::vector<std::int64_t> expected;  // of the exact order, what is a candidate
            for (const std::int64_t id : all.ids[q])
                if (std::find(row.begin(), row.end(), id) != row.end() && expected.size() < 10) expected.push_back(id);
            expected.resize(10, kNoId);
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.ids.row(q)));
        }
    });
}

TEST(Index, FindsTheSameForEveryThreadCountAndKernel) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(40, kDimensions, 2);
    for (const char* spec : {"OPQ2x4", "IVF6,PQ2x4"}) {
        Index index = first_layer(spec, Metric::euclidean, vectors);
        const Matrix<float> left = Residuals(index)(vectors.view(), all_ids(kSize));
        const Quantizer second = second_quantizer(left, Metric::euclidean);
        index.set_refinement(refine_codes(second, encode(second, left.view())));
        const SearchOptions options = some(index, 10, 40);
        const Neighbors expected = index.search(queries.view(), options);
        with_each_level([&] {
            for (const unsigned threads : {1u, 3u}) {
                SearchOptions own = options;
                own.execution.threads = threads;
                EXPECT_EQ(index.search(queries.view(), own), expected);
            }
        });
    }
}

TEST(Index, ParametersComeFromTheCallThenTheIndexThenTheDefaults) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    Index index = first_layer("IVF6,PQ2x4", Metric::euclidean, vectors);
    EXPECT_EQ(index.resolved({}, 10), (SearchParameters{.probes = 16, .refine = 0}));
    index.set_refinement(rows_of(vectors));
    EXPECT_EQ(index.resolved({}, 10), (SearchParameters{.probes = 16, .refine = 40}));
    index.set_defaults({.candidates = 50, .refine = 25});
    EXPECT_EQ(index.resolved({}, 10), (SearchParameters{.candidates = 50, .refine = 25}));
    EXPECT_EQ(index.resolved({.probes = 2}, 10), (SearchParameters{.probes = 2, .refine = 25}));
    EXPECT_EQ(index.resolved({.refine = 0}, 10), (SearchParameters{.candidates = 50, .refine = 0}));
    EXPECT_EQ(index.resolved({.refine = 3}, 10), (SearchParameters{.candidates = 50, .refine = 10}));
}

TEST(Index, AReachVisitsAsManyCellsAsEachQueryNeeds) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(20, kDimensions, 3);
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        Index index = first_layer("IVF24,PQ2x4", metric, vectors);
        index.set_refinement(rows_of(vectors));
        const auto found = [&](std::size_t probes, float reach) {
            return index.search(queries.view(), {.k = 10, .probes = probes, .reach = reach, .refine = kSize});
        };
        EXPECT_EQ(found(0, 1e6f), found(24, 0));
        EXPECT_EQ(found(0, 1), found(8, 0));
        EXPECT_EQ(found(5, 1.2f), found(5, 0));
        const auto count = [&](float reach) {
            const Neighbors all = index.search(queries.view(), {.k = kSize, .reach = reach, .refine = 0});
            return std::count_if(all.ids.values().begin(), all.ids.values().end(), [](auto id) { return id != kNoId; });
        };
        EXPECT_LT(count(1), count(2));
        EXPECT_LE(count(1.05f), count(2));
        index.set_defaults({.reach = 1.05f});
        EXPECT_EQ(index.search(queries.view(), {.k = 10, .refine = kSize}), found(0, 1.05f));
    }
}

TEST(Index, AReachThatMeansNothingIsRefused) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    Index index = first_layer("IVF6,PQ2x4", Metric::euclidean, vectors);
    for (const float reach : {0.5f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
        expect_error([&] { index.search(vectors.view(), {.reach = reach}); },
                     {"search: expected a reach of at least 1"});
        expect_error([&] { index.set_defaults({.reach = reach}); }, {"index: expected a reach of at least 1"});
    }
    expect_error([&] { index.search(vectors.view(), {.reach = 2, .candidates = 9}); }, {"got both"});
    for (const char* spec : {"IMI2x2,OPQ2x4", "IVF16(groups=4),PQ2x4"})
        expect_error([&] { first_layer(spec, Metric::euclidean, vectors).search(vectors.view(), {.reach = 2}); },
                     {"reach needs cells of one level"});
    expect_error([&] { first_layer("IVF6,PQ2x4", Metric::inner_product, vectors).set_defaults({.reach = 2}); },
                 {"a metric with distances"});
    expect_error([&] { first_layer("PQ2x4", Metric::euclidean, vectors).set_defaults({.reach = 2}); }, {"no cells"});
}

TEST(Index, AFilterAndTooFewVectorsAreHeeded) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(3, kDimensions, 2);
    Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    index.set_refinement(rows_of(vectors));
    const IdFilter filter = IdFilter::range(5, 9);
    const Neighbors found = index.search(queries.view(), {.k = 6, .filter = &filter});
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(filter.keeps(found.ids[q][i]));
        EXPECT_EQ(found.ids[q][4], kNoId);
        EXPECT_TRUE(std::isinf(found.scores[q][5]));
    }
}

TEST(Index, CodesCountAsBytesAndAFileDoesNot) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    Index index = first_layer("IVF6,PQ2x4", Metric::euclidean, vectors);
    const std::size_t memory = index.memory_bytes();
    index.set_refinement(rows_of(vectors));
    EXPECT_EQ(index.memory_bytes(), memory);
    EXPECT_EQ(index.code_bytes(), 1u);
    const Matrix<float> left = Residuals(index)(vectors.view(), all_ids(kSize));
    const Quantizer second = second_quantizer(left, Metric::euclidean);
    index.set_refinement(refine_codes(second, encode(second, left.view())));
    EXPECT_EQ(index.code_bytes(), 5u);
    EXPECT_EQ(index.memory_bytes(), memory + kSize * (4 + sizeof(std::uint32_t)));
}

TEST(Index, WhatDoesNotFitIsRefused) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), wide = clustered(kSize, 9);
    Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    expect_error([&] { index.set_refinement(rows_of(wide)); }, {"rows: expected vectors of 8 dimensions", "got 9"});
    const Matrix<float> few = clustered(7, kDimensions);
    expect_error([&] { index.set_refinement(rows_of(few)); }, {"rows: expected the 300 vectors of the index, got 7"});

    const Quantizer second = second_quantizer(vectors, Metric::euclidean);
    Codes codes = encode(second, vectors.view());
    expect_error([&] { index.set_refinement(refine_codes(second, encode(second, few.view()))); },
                 {"expected a second layer of 300 codes of 4 bytes, got 28 bytes"});
    const Quantizer other = second_quantizer(wide, Metric::euclidean);
    expect_error([&] { index.set_refinement(refine_codes(other, encode(other, wide.view()))); },
                 {"expected a second layer of 8 dimensions, got 9"});
    expect_error([&] { refine_codes(other, codes); }, {"second layer were made by another model"});
    codes.rows[3][1] = 16;
    expect_error([&] { index.set_refinement(refine_codes(second, codes)); },
                 {"names word 16 of a dictionary of 16 words"});
}

TEST(Index, ParametersOfWhatIsNotThereAreRefused) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    expect_error([&] { index.search(vectors.view(), {.probes = 2}); }, {"search: the index has no cells"});
    expect_error([&] { index.search(vectors.view(), {.refine = 2}); }, {"search: the index has no second layer"});
    expect_error([&] { index.set_defaults({.candidates = 2}); }, {"index: the index has no cells"});
    expect_error([&] { index.search(vectors.view(), {.k = 0}); }, {"expected k of at least 1, got 0"});
}

// rows·k wrapped to a small number, and the answers were written past it.
TEST(Index, MoreNeighborsThanMemoryHoldsAreRefused) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    for (const char* spec : {"PQ2x4", "IVF6,PQ2x4"})
        for (const bool refined : {false, true}) {
            Index index = first_layer(spec, Metric::euclidean, vectors);
            if (refined) index.set_refinement(rows_of(vectors));
            for (const std::size_t k : {std::size_t{1} << 62, std::size_t{1} << 63, ~std::size_t{0}})
                expect_error([&] { index.search(vectors.view().slice(0, 4), {.k = k}); },
                             {"matrix: expected sizes that fit memory, got 4 rows"});
        }
}

TEST(Index, SearchesOfSeveralThreadsAtOnceGiveTheirOwnAnswers) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(40, kDimensions, 2);
    for (const char* spec : {"PQ2x4", "IVF6,PQ2x4"}) {
        Index index = first_layer(spec, Metric::euclidean, vectors);
        index.set_refinement(rows_of(vectors));
        std::vector<Neighbors> found(6);
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < found.size(); ++i)
            threads.emplace_back([&, i] { found[i] = index.search(queries.view().slice(5 * i, 10), {.k = 7}); });
        for (std::thread& thread : threads) thread.join();
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(found[i], index.search(queries.view().slice(5 * i, 10), {.k = 7}));
    }
}

// The ids of one query, in their order.
std::vector<Neighbor> of_query(const RangeNeighbors& found, std::size_t query) {
    const auto begin = found.entries.begin();
    return {begin + static_cast<std::ptrdiff_t>(found.begin[query]),
            begin + static_cast<std::ptrdiff_t>(found.begin[query + 1])};
}

TEST(Index, ARangeHoldsWhatASearchForAllFindsBelowTheRadius) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    for_each_index(vectors, [&](Index index, Metric metric) {
        for (const bool refined : {false, true}) {
            if (refined) index.set_refinement(rows_of(vectors));
            SearchOptions options = some(index, kSize, kSize);
            if (!refined) options.refine = {};
            const Neighbors all = index.search(queries.view(), options);
            const float radius = all.scores[0][20];
            const RangeNeighbors found = index.search_range(queries.view(), radius, options);
            for (std::size_t q = 0; q < queries.rows(); ++q) {
                std::vector<Neighbor> expected;
                for (std::size_t i = 0; i < kSize && all.scores[q][i] < radius; ++i)
                    expected.push_back({all.scores[q][i], all.ids[q][i]});
                EXPECT_EQ(of_query(found, q), expected) << name(metric);
            }
        }
    });
}

TEST(Index, ARangeIsCheckedByTheSecondLayerUnlessItIsToldOtherwise) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    const float radius = index.search(queries.view(), {.k = 40}).scores[0][39];
    const RangeNeighbors first = index.search_range(queries.view(), radius);
    index.set_refinement(rows_of(vectors));
    EXPECT_EQ(index.search_range(queries.view(), radius, {.refine = 0}), first);
    const RangeNeighbors checked = index.search_range(queries.view(), radius);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        std::vector<Neighbor> expected;
        for (const Neighbor& entry : of_query(first, q)) {
            const float score = kernels().squared_distance(
                queries.row(q), vectors.row(static_cast<std::size_t>(entry.id)), kDimensions);
            if (score < radius) expected.push_back({score, entry.id});
        }
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(of_query(checked, q), expected);
    }
}

TEST(Index, CodesNeedTheIdsFromZeroOn) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    const InvertedModel model = train(vectors.view(), parse_index_spec("IVF6,PQ2x4"));
    const auto index_of = [&](std::vector<std::int64_t> ids) {
        InvertedBuilder builder(model);
        builder.add(vectors.view(), ids);
        return Index(std::move(builder).finish());
    };
    std::vector<std::int64_t> ids = all_ids(kSize);
    ids[4] = 300;
    expect_error([&] { Residuals residuals(index_of(ids)); }, {"needs the ids from 0 to 299, each once", "has id 300"});
    ids[4] = 5;
    expect_error([&] { Residuals residuals(index_of(ids)); }, {"has id 5 twice"});
    const Residuals residuals(index_of(all_ids(kSize)));
    expect_error([&] { residuals(vectors.view(), std::vector<std::int64_t>{1}); },
                 {"an id for each of 300 vectors, got 1"});
    expect_error([&] { residuals(vectors.view().slice(0, 1), std::vector<std::int64_t>{300}); },
                 {"expected ids below 300, got 300"});
    const Matrix<float> wide = clustered(1, 9);
    expect_error([&] { residuals(wide.view(), std::vector<std::int64_t>{1}); },
                 {"expected vectors of 8 dimensions, got 9"});
}

TEST(Index, CosineIsTheSameForVectorsOfAnyLength) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(5, kDimensions, 2);
    const auto scaled = [](Matrix<float> rows, float factor) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] *= factor;
        return rows;
    };
    for (const char* spec : {"PQ2x4", "IVF6,PQ2x4"}) {
        const Neighbors expected = first_layer(spec, Metric::cosine, vectors).search(queries.view(), {.k = 20});
        for (const float factor : {1e-23f, 2e19f}) {
            const Index index = first_layer(spec, Metric::cosine, scaled(vectors, factor));
            const Neighbors found = index.search(scaled(queries, 1 / factor).view(), {.k = 20});
            for (std::size_t q = 0; q < queries.rows(); ++q)
                for (std::size_t j = 0; j < 20; ++j)
                    EXPECT_NEAR(found.scores[q][j], expected.scores[q][j], 1e-3) << spec << " " << factor;
        }
    }
}

}  // namespace summand::test
