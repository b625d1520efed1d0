#include "summand/inverted_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "index/index_parts.h"
#include "summand/index.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kDimensions = 12;

struct Built {
    InvertedModel model;
    Matrix<float> base;
    InvertedIndex index;
};

InvertedIndex index_of(const InvertedModel& model, const Matrix<float>& base) {
    InvertedBuilder builder(model);
    builder.add(base.view());
    return std::move(builder).finish();
}

Built build(const std::string& spec, std::size_t size = 3000, Metric metric = Metric::euclidean) {
    const Matrix<float> base = clustered(size, kDimensions);
    const InvertedModel model =
        train(clustered(1500, kDimensions, 2).view(), parse_index_spec(spec), {.metric = metric});
    return {model, base, index_of(model, base)};
}

Matrix<float> queries_of(std::size_t count) { return clustered(count, kDimensions, 3); }

Matrix<float> unit_rows(Matrix<float> rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const auto length = static_cast<float>(std::sqrt(dot(rows.row(i), rows.row(i), rows.columns())));
        for (float& x : rows[i]) x /= length;
    }
    return rows;
}

// What the codes of an index stand for, in row order: centres and decoded residuals.
Matrix<float> approximations(const InvertedModel& model, const Matrix<float>& base) {
    const Matrix<float> moved = model.metric == Metric::cosine ? unit_rows(base) : base;
    if (model.coding == Coding::plain) return decode(model.quantizer, encode(model.quantizer, moved.view()));
    const std::vector<std::uint32_t> cells = assign(model.partition, moved.view());
    const Matrix<float> left = residuals(model.partition, cells, moved.view());
    Matrix<float> result = decode(model.quantizer, encode(model.quantizer, left.view()));
    for (std::size_t i = 0; i < result.rows(); ++i)
        for (std::size_t d = 0; d < result.columns(); ++d) result[i][d] += moved[i][d] - left[i][d];
    return result;
}

double score_of(const InvertedModel& model, const float* query, const float* approximation) {
    if (is_distance(model.metric)) return squared_distance(query, approximation, kDimensions);
    return -dot(query, approximation, kDimensions);
}

// Scores by definition agree up to rounding, and where they do, so do the ids.
void expect_scores_by_definition(const Built& built, double tolerance) {
    const Matrix<float> given = queries_of(5);
    const Matrix<float> queries = built.model.metric == Metric::cosine ? unit_rows(given) : given;
    const Matrix<float> approximated = approximations(built.model, built.base);
    const std::size_t size = built.base.rows();
    with_each_level([&] {
        const Neighbors found = built.index.search(given.view(), {.k = size, .probes = built.model.partition.cells()});
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            std::vector<bool> seen(size);
            for (std::size_t j = 0; j < size; ++j) {
                const auto id = static_cast<std::size_t>(found.ids[q][j]);
                ASSERT_LT(id, size);
                EXPECT_FALSE(seen[id]);
                seen[id] = true;
                EXPECT_NEAR(found.scores[q][j], score_of(built.model, queries.row(q), approximated.row(id)), tolerance);
            }
            EXPECT_TRUE(std::is_sorted(found.scores.row(q), found.scores.row(q) + size));
        }
    });
}

TEST(InvertedIndex, ScoresAreDistancesToCentrePlusResidual) {
    for (const char* spec : {"IVF16,PQ4x4", "IVF16,OPQ4x4", "IVF7,RQ3x4", "IVF5,CQ3x4(iterations=1)"})
        expect_scores_by_definition(build(spec), 1e-3);
}

TEST(InvertedIndex, MultiIndexCellsAreSumsOfTwoWords) {
    for (const char* spec : {"IMI2x3,PQ4x4", "IMI2x3(coarse=OPQ),PQ4x4", "IMI2x3(coarse=NOCQ),PQ4x4",
                             "IMI2x3(coarse=NOCQ),OPQ4x4", "IMI2x2(coding=plain),OPQ4x4"})
        expect_scores_by_definition(build(spec), 1e-3);
}

TEST(InvertedIndex, InnerProductsAndCosinesAreThoseOfTheApproximations) {
    for (const Metric metric : {Metric::inner_product, Metric::cosine})
        for (const char* spec : {"IVF16,PQ4x4", "IVF16(coding=plain),OPQ4x4", "IMI2x3,PQ4x4", "IVF5,RQ3x4",
                                 "IVF5,CQ3x4(iterations=1)", "IMI2x3(coarse=NOCQ),PQ4x4"})
            expect_scores_by_definition(build(spec, 3000, metric), 1e-3);
}

// Four groups are always looked at: with as many, nothing is missed.
TEST(InvertedIndex, CellsInFewGroupsAreFoundAsWithoutGroups) {
    const Built built = build("IVF30(groups=4),PQ4x4");
    InvertedModel plain = built.model;
    plain.partition.groups = {};
    plain.partition.group_begin.clear();
    const InvertedIndex index = index_of(plain, built.base);
    const Matrix<float> queries = queries_of(50);
    for (const SearchOptions& options :
         {SearchOptions{.k = 20, .probes = 3}, SearchOptions{.k = 20, .candidates = 300}})
        EXPECT_EQ(built.index.search(queries.view(), options), index.search(queries.view(), options));
}

TEST(InvertedIndex, ProbingAllCellsEqualsTheFlatIndexExactly) {
    for (const char* cells : {"IVF16(coding=plain)", "IVF16(coding=plain,groups=6)", "IMI2x3(coding=plain)"})
        for (const char* code : {"PQ4x8", "PQ6x4", "NOCQ3x4(iterations=1)", "CQ3x4(iterations=1)", "RQ3x4"})
            for (const Metric metric : {Metric::euclidean, Metric::inner_product}) {
                const Built built = build(concatenate(cells, ",", code), 5000, metric);
                const Quantizer& quantizer = built.model.quantizer;
                const FlatIndex flat(quantizer, encode(quantizer, built.base.view()), metric);
                const Matrix<float> queries = queries_of(7);
                with_each_level([&] {
                    for (const std::size_t k : {1, 50, 6000})
                        EXPECT_EQ(built.index.search(queries.view(), {.k = k, .probes = 64}),
                                  flat.search(queries.view(), {.k = k}))
                            << cells << " " << code << " k " << k;
                });
            }
}

// Residual codes have no flat index; long lists, scanned by bounds, equal short ones, scored one by one.
TEST(InvertedIndex, TablesOfACellGiveTheBitsOfSingleLookUps) {
    const Built many = build("IMI2x4,PQ4x8", 400);
    const Matrix<float> queries = queries_of(4);
    InvertedBuilder repeated(many.model);
    for (int copy = 0; copy < 60; ++copy) repeated.add(many.base.view());
    const InvertedIndex longer = std::move(repeated).finish();
    with_each_level([&] {
        const Neighbors few = many.index.search(queries.view(), {.k = 400, .probes = 256});
        const Neighbors all = longer.search(queries.view(), {.k = 60 * 400, .probes = 256});
        for (std::size_t q = 0; q < queries.rows(); ++q)
            for (std::size_t j = 0; j < all.ids.columns(); ++j) ASSERT_EQ(all.scores[q][j], few.scores[q][j / 60]);
    });
}

// The k best of the cells that are visited, whatever way they are found.
TEST(InvertedIndex, FewerProbesGiveTheBestOfTheNearestCells) {
    for (const char* spec : {"IVF20,PQ4x8", "IMI2x3,PQ4x4", "IVF20(coding=plain),OPQ4x4"}) {
        const Built built = build(spec, 5000);
        const Matrix<float> queries = queries_of(6);
        const std::vector<std::uint32_t> cells = assign(built.model.partition, built.base.view());
        const Neighbors all = built.index.search(queries.view(), {.k = 5000, .probes = 64});
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            const Neighbors one = built.index.search(queries.view().slice(q, 1), {.k = 5000, .probes = 1});
            const std::uint32_t own = assign(built.model.partition, queries.view().slice(q, 1))[0];
            std::vector<std::int64_t> expected;
            for (const std::int64_t id : all.ids[q])
                if (cells[static_cast<std::size_t>(id)] == own) expected.push_back(id);
            for (std::size_t j = 0; j < expected.size(); ++j) ASSERT_EQ(one.ids[0][j], expected[j]);
            EXPECT_EQ(one.ids[0][expected.size()], kNoId);
        }
    }
}

TEST(InvertedIndex, CandidatesAreVisitedUntilThereAreEnough) {
    const Built built = build("IVF20,PQ4x4", 5000);
    const Matrix<float> queries = queries_of(5);
    const std::vector<std::size_t> sizes = built.index.list_sizes();
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 5000u);
    const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
    for (const std::size_t wanted : {1, 700, 2500, 5000, 9000}) {
        const Neighbors found = built.index.search(queries.view(), {.k = 5000, .probes = 0, .candidates = wanted});
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            const auto seen = static_cast<std::size_t>(
                std::count_if(found.ids[q].begin(), found.ids[q].end(), [](std::int64_t id) { return id != kNoId; }));
            EXPECT_GE(seen, std::min<std::size_t>(wanted, 5000));
            EXPECT_LT(seen, wanted + largest);
        }
    }
}

TEST(InvertedIndex, ResultsDoNotDependOnThreadsBatchesOrChunks) {
    const Built built = build("IVF30,PQ4x8", 20000);
    const Matrix<float> queries = queries_of(150);
    const Neighbors expected = built.index.search(queries.view(), {.k = 30, .probes = 5, .execution = {.threads = 1}});
    for (const unsigned threads : {2u, 3u})
        EXPECT_EQ(built.index.search(queries.view(), {.k = 30, .probes = 5, .execution = {.threads = threads}}),
                  expected);
    for (std::size_t q = 0; q < 5; ++q) {
        const Neighbors one = built.index.search(queries.view().slice(q, 1), {.k = 30, .probes = 5});
        EXPECT_TRUE(std::equal(one.ids.row(0), one.ids.row(0) + 30, expected.ids.row(q)));
    }
    InvertedBuilder builder(built.model);
    for (std::size_t first = 0; first < 20000; first += 777)
        builder.add(built.base.view().slice(first, std::min<std::size_t>(777, 20000 - first)));
    EXPECT_EQ(std::move(builder).finish().search(queries.view(), {.k = 30, .probes = 5}), expected);
}

TEST(InvertedIndex, IdsAreTheCallersAndMayBeLarge) {
    const Built built = build("IVF8,PQ4x4", 500);
    std::vector<std::int64_t> ids(500);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = (std::int64_t{1} << 40) - static_cast<std::int64_t>(i);
    InvertedBuilder builder(built.model);
    builder.add(built.base.view(), ids);
    const InvertedIndex named = std::move(builder).finish();
    const Matrix<float> queries = queries_of(3);
    const Neighbors plain = built.index.search(queries.view(), {.k = 500, .probes = 8});
    const Neighbors found = named.search(queries.view(), {.k = 500, .probes = 8});
    for (std::size_t q = 0; q < 3; ++q) {
        std::vector<Neighbor> expected, actual;
        for (std::size_t j = 0; j < 500; ++j) {
            expected.push_back({plain.scores[q][j], ids[static_cast<std::size_t>(plain.ids[q][j])]});
            actual.push_back({found.scores[q][j], found.ids[q][j]});
        }
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(actual, expected);
    }
}

TEST(InvertedIndex, ItsCodesAndIdsMakeItAgain) {
    for (const char* spec : {"IVF8,PQ4x4", "IVF8,CQ2x4", "IVF8,RQ2x4", "IMI2x2,PQ4x4"})
        for (const Metric metric : {Metric::euclidean, Metric::inner_product}) {
            SCOPED_TRACE(concatenate(spec, " ", name(metric)));
            const Built built = build(spec, 500, metric);
            InvertedBuilder builder(built.model);
            builder.add(built.index.codes(), built.index.ids());
            EXPECT_EQ(Index(std::move(builder).finish()).to_bytes(), Index(built.index).to_bytes());
        }
}

TEST(InvertedIndex, FiltersKeepExactlyTheirIds) {
    const Built built = build("IVF20,PQ4x8", 5000);
    const Matrix<float> queries = queries_of(4);
    const Neighbors all = built.index.search(queries.view(), {.k = 5000, .probes = 6});
    const std::vector<std::int64_t> few{3, 511, 512, 4000, 80000};
    const IdFilter filters[] = {IdFilter::list({}), IdFilter::list(few), IdFilter::range(600, 1300),
                                IdFilter::where(5000, [](std::int64_t id) { return id % 2 == 0; })};
    for (const IdFilter& filter : filters)
        with_each_level([&] {
            const Neighbors found = built.index.search(queries.view(), {.k = 40, .probes = 6, .filter = &filter});
            for (std::size_t q = 0; q < queries.rows(); ++q) {
                std::vector<std::int64_t> expected;
                for (const std::int64_t id : all.ids[q])
                    if (id != kNoId && filter.keeps(id) && expected.size() < 40) expected.push_back(id);
                expected.resize(40, kNoId);
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.ids.row(q)));
            }
        });
}

TEST(InvertedIndex, FiltersOfAnyFormKeepLargeIds) {
    const Built built = build("IVF8,PQ4x4", 500);
    std::vector<std::int64_t> ids(500), few;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ids[i] = i % 2 == 0 ? INT64_MAX - static_cast<std::int64_t>(7 * i) : static_cast<std::int64_t>(i);
        if (i % 5 == 0) few.push_back(ids[i]);
    }
    InvertedBuilder builder(built.model);
    builder.add(built.base.view(), ids);
    const InvertedIndex index = std::move(builder).finish();
    const Matrix<float> queries = queries_of(3);
    const Neighbors all = index.search(queries.view(), {.k = 500, .probes = 8});
    const IdFilter filters[] = {IdFilter::list(few), IdFilter::range(INT64_MAX - 2000, INT64_MAX),
                                IdFilter::range(100, INT64_MAX - 1000),
                                IdFilter::where(300, [](std::int64_t id) { return id % 3 == 0; })};
    for (const IdFilter& filter : filters) {
        const Neighbors found = index.search(queries.view(), {.k = 500, .probes = 8, .filter = &filter});
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            std::vector<std::int64_t> expected;
            for (const std::int64_t id : all.ids[q])
                if (id != kNoId && filter.keeps(id)) expected.push_back(id);
            EXPECT_FALSE(expected.empty());
            expected.resize(500, kNoId);
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.ids.row(q)));
        }
    }
}

TEST(InvertedIndex, RangeSearchFindsEveryScoreBelowTheRadius) {
    const Built built = build("IVF20,PQ4x8", 5000);
    const Matrix<float> queries = queries_of(3);
    const Neighbors all = built.index.search(queries.view(), {.k = 5000, .probes = 7});
    for (const std::size_t rank : {0, 1, 200}) {
        const float radius = all.scores[1][rank];
        with_each_level([&] {
            const RangeNeighbors found = built.index.search_range(queries.view(), radius, {.probes = 7});
            ASSERT_EQ(found.begin.size(), 4u);
            const auto expected = static_cast<std::size_t>(
                std::lower_bound(all.scores.row(1), all.scores.row(1) + 5000, radius) - all.scores.row(1));
            ASSERT_EQ(found.begin[2] - found.begin[1], expected);
            for (std::size_t j = 0; j < expected; ++j) EXPECT_EQ(found.entries[found.begin[1] + j].id, all.ids[1][j]);
        });
    }
}

// Of one model with tables, and with each vector put together again.
void expect_equal_scores(const char* spec, Metric metric) {
    const Built built = build(spec, 500, metric);
    const Matrix<float> queries = queries_of(3);
    const Neighbors tables = built.index.search(queries.view(), {.k = 500, .probes = 9});
    const Neighbors sums =
        built.index.search(queries.view(), {.k = 500, .probes = 9, .scoring = Scoring::reconstruction});
    for (std::size_t q = 0; q < 3; ++q)
        for (std::size_t j = 0; j < 500; ++j)
            if (tables.ids[q][j] != kNoId)
                ASSERT_NEAR(tables.scores[q][j], sums.scores[q][j], 1e-3) << spec;
            else
                ASSERT_EQ(sums.ids[q][j], kNoId);
}

TEST(InvertedIndex, ReconstructionGivesTheScoresOfTablesUpToRounding) {
    for (const char* spec : {"IVF16,OPQ4x4", "IVF16(coding=plain),PQ4x4", "IMI2x3,RQ3x4", "IMI2x3(coarse=OPQ),PQ4x8"})
        for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
            expect_equal_scores(spec, metric);
    // Distances of NOCQ's tables take the cross term for a constant; its products do not.
    for (const char* spec : {"IMI2x3,SNOCQ4x4(level=1)", "IVF16,NOCQ4x4"})
        expect_equal_scores(spec, Metric::inner_product);
}

TEST(InvertedIndex, EmptyCellsOneCellAndMoreCellsThanVectors) {
    const Matrix<float> queries = queries_of(3);
    const Built one = build("IVF1,PQ4x4", 300);
    EXPECT_NE(one.index.search(queries.view(), {.k = 300, .probes = 1}).ids[0][299], kNoId);

    const Built empty = build("IVF64,PQ4x4", 0);
    EXPECT_EQ(empty.index.search(queries.view(), {.k = 2, .probes = 64}).ids, Matrix<std::int64_t>(3, 2, kNoId));
    EXPECT_EQ(empty.index.search_range(queries.view(), 1e9f, {.probes = 64}).entries.size(), 0u);

    const Matrix<float> learn = clustered(40, kDimensions), more = clustered(150, kDimensions);
    const InvertedModel model = train(more.view(), parse_index_spec("IVF100,PQ2x4"));
    const Neighbors found = index_of(model, learn).search(queries.view(), {.k = 41, .probes = 100});
    for (std::size_t q = 0; q < 3; ++q) {
        EXPECT_NE(found.ids[q][39], kNoId);
        EXPECT_EQ(found.ids[q][40], kNoId);
    }
}

// |<q,x> - <q,x̄>| <= |x - x̄|·|q|
TEST(InvertedIndex, InnerProductsErrByNoMoreThanTheBoundOfThePaper) {
    for (const char* spec : {"IVF16,PQ4x4", "IVF16,RQ3x4", "IMI2x3,CQ3x4(iterations=1)"}) {
        const Built built = build(spec, 1000, Metric::inner_product);
        const Matrix<float> queries = queries_of(5);
        const Matrix<float> approximated = approximations(built.model, built.base);
        const Neighbors found = built.index.search(queries.view(), {.k = 1000, .probes = 64});
        for (std::size_t q = 0; q < queries.rows(); ++q)
            for (std::size_t j = 0; j < 1000; ++j) {
                const auto id = static_cast<std::size_t>(found.ids[q][j]);
                const double exact = dot(queries.row(q), built.base.row(id), kDimensions);
                const double bound = std::sqrt(squared_distance(built.base.row(id), approximated.row(id), kDimensions) *
                                               dot(queries.row(q), queries.row(q), kDimensions));
                EXPECT_LE(std::abs(exact + static_cast<double>(found.scores[q][j])), bound + 1e-3);
            }
    }
}

TEST(InvertedIndex, RefusesWhatDoesNotFit) {
    const Built built = build("IVF4,PQ2x4", 100);
    const Matrix<float> queries = queries_of(2);
    expect_error([&] { built.index.search(queries.view(), {.k = 0}); }, {"search: expected k of at least 1, got 0"});
    expect_error([&] { built.index.search(queries.view(), {.refine = 5}); }, {"search: the index has no second layer"});
    expect_error([&] { built.index.search(MatrixView<float>(queries.data(), 2, 11)); },
                 {"search: expected queries of 12 dimensions, got 11"});
    expect_error([&] { built.index.search_range(queries.view(), std::nanf("")); },
                 {"search_range: expected a radius, got NaN"});
    InvertedBuilder builder(built.model);
    expect_error([&] { builder.add(MatrixView<float>(queries.data(), 2, 11)); },
                 {"add: expected vectors of 12 dimensions, got 11"});
    const std::vector<std::int64_t> one{1}, negative{1, -2};
    expect_error([&] { builder.add(queries.view(), one); }, {"add: expected an id for each of 2 vectors, got 1"});
    expect_error([&] { builder.add(queries.view(), negative); }, {"add: expected ids from 0 on, got -2"});
    const auto refuses = [&](const std::string& words, const auto& spoil) {
        CellCodes encoded = builder.encode(queries.view());
        spoil(encoded);
        expect_error([&] { builder.add(encoded); }, {words});
    };
    refuses("add: codes were made by another model", [](CellCodes& encoded) { ++encoded.codes.model; });
    refuses("add: expected codes of 2 dictionaries, got 3", [](CellCodes& encoded) { encoded.codes.rows = {2, 3}; });
    refuses("add: expected 0 biases, got 1", [](CellCodes& encoded) { encoded.codes.bias = {1}; });
    refuses("add: expected a cell for each of 2 codes, got 1", [](CellCodes& encoded) { encoded.cells = {1}; });
    refuses("add: expected cells below 4, got 4", [](CellCodes& encoded) { encoded.cells = {1, 4}; });
    EXPECT_EQ(builder.size(), 0u);
    InvertedModel other = built.model;
    other.quantizer.centre[0] += 1;
    expect_error([&] { IndexParts::inverted(other, IndexParts::lists(built.index)); },
                 {"index: codes were made by another model"});
    other = train(built.base.view(), parse_index_spec("IVF5,PQ2x4"));
    expect_error([&] { IndexParts::inverted(other, IndexParts::lists(built.index)); },
                 {"index: expected the lists of 5 cells, got 4"});
}

TEST(InvertedIndex, AStopRequestEndsTheWork) {
    const Built built = build("IVF4,PQ2x4", 100);
    std::stop_source source;
    source.request_stop();
    const Execution stopped{.stop = source.get_token()};
    EXPECT_THROW(built.index.search(built.base.view(), {.execution = stopped}), Cancelled);
    InvertedBuilder builder(built.model, {.execution = stopped});
    EXPECT_THROW(builder.add(built.base.view()), Cancelled);
}

}  // namespace
}  // namespace summand::test
