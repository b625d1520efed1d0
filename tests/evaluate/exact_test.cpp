#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "summand/error.h"
#include "summand/evaluate.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

double score(std::span<const float> query, std::span<const float> row, Metric metric) {
    double product = 0, squares = 0, distance = 0, query_squares = 0;
    for (std::size_t d = 0; d < row.size(); ++d) {
        const double q = query[d], x = row[d];
        product += q * x;
        squares += x * x;
        query_squares += q * q;
        distance += (q - x) * (q - x);
    }
    if (metric == Metric::euclidean) return distance;
    return metric == Metric::cosine ? 2 - 2 * product / std::sqrt(squares * query_squares) : -product;
}

TEST(ExactNeighbors, AreThoseOfBruteForce) {
    const Matrix<float> base = clustered(2500, 12), queries = clustered(300, 12, 2);  // several tiles and blocks
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
        const Neighbors found = exact_neighbors(base.view(), queries.view(), 7, metric);
        for (std::size_t q = 0; q < queries.rows(); q += 13) {
            std::vector<double> scores(base.rows());
            for (std::size_t i = 0; i < base.rows(); ++i) scores[i] = score(queries[q], base[i], metric);
            std::vector<double> best = scores;
            std::sort(best.begin(), best.end());
            for (std::size_t i = 0; i < 7; ++i) {
                const double rounding = metric == Metric::cosine ? 1e-6 : 0;  // of scaling to length one
                EXPECT_NEAR(scores[static_cast<std::size_t>(found.ids[q][i])], best[i],
                            1e-6 * std::abs(best[i]) + rounding);
                EXPECT_NEAR(found.scores[q][i], best[i], 1e-5 * std::abs(best[i]) + rounding);
            }
        }
    }
}

// All rows are equal: more ties than candidates are kept, so the exhaustive pass decides.
TEST(ExactNeighbors, TiesGoToTheSmallerId) {
    const Matrix<float> base(3000, 5, 1.0f), queries = clustered(3, 5);
    const Neighbors found = exact_neighbors(base.view(), queries.view(), 4, Metric::euclidean);
    for (std::size_t q = 0; q < 3; ++q)
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.ids[q][i], static_cast<std::int64_t>(i));
}

TEST(ExactNeighbors, AreTheSameForEveryThreadCount) {
    const Matrix<float> base = clustered(2000, 9), queries = clustered(1100, 9, 2);
    const Neighbors one = exact_neighbors(base.view(), queries.view(), 5, Metric::euclidean, {.threads = 1});
    for (const unsigned threads : {2u, 3u}) {
        const Neighbors found =
            exact_neighbors(base.view(), queries.view(), 5, Metric::euclidean, {.threads = threads});
        EXPECT_EQ(found.ids, one.ids);
        EXPECT_EQ(found.scores, one.scores);
    }
}

TEST(ExactNeighbors, BeyondTheBaseThereAreNone) {
    const Matrix<float> base = clustered(3, 4), queries = clustered(2, 4, 2);
    const Neighbors found = exact_neighbors(base.view(), queries.view(), 5, Metric::euclidean);
    for (std::size_t q = 0; q < 2; ++q) {
        std::vector<std::int64_t> ids(found.ids.row(q), found.ids.row(q) + 5);
        std::sort(ids.begin(), ids.begin() + 3);
        EXPECT_EQ(ids, (std::vector<std::int64_t>{0, 1, 2, kNoId, kNoId}));
        EXPECT_EQ(found.scores[q][4], std::numeric_limits<float>::infinity());
    }
    EXPECT_EQ(exact_neighbors(MatrixView<float>(), queries.view(), 1, Metric::euclidean).ids[1][0], kNoId);
}

// A base of three slabs (1,024 rows of 4,096 dimensions each) and a single query: a stop is seen between slabs.
TEST(ExactNeighbors, AStopRequestEndsThemBetweenTwoPartsOfTheBase) {
    const Matrix<float> base(3 * 1024, 4096, 1.0f), query(1, 4096, 2.0f);
    std::stop_source stop;
    std::size_t reports = 0;
    const Execution execution{.threads = 1, .stop = stop.get_token(), .progress = [&](const Progress& progress) {
                                  ++reports;
                                  EXPECT_EQ(progress.steps, 3u);
                                  stop.request_stop();
                              }};
    EXPECT_THROW(exact_neighbors(base.view(), query.view(), 1, Metric::euclidean, execution), Cancelled);
    EXPECT_EQ(reports, 1u);
}

TEST(ExactNeighbors, RefusesWhatItCannotCompare) {
    const Matrix<float> base = clustered(9, 4);
    expect_error([&] { exact_neighbors(base.view(), base.view(), 0, Metric::euclidean); },
                 {"exact: expected k of at least 1, got 0"});
    expect_error([&] { exact_neighbors(base.view(), clustered(2, 3).view(), 1, Metric::euclidean); },
                 {"exact: expected queries of 4 dimensions, got 3"});
    Matrix<float> damaged = base;
    damaged[5][2] = std::numeric_limits<float>::quiet_NaN();
    expect_error([&] { exact_neighbors(damaged.view(), base.view(), 1, Metric::euclidean); },
                 {"exact: base: row 5 holds a value that is not finite"});
    expect_error([&] { exact_neighbors(base.view(), damaged.view(), 1, Metric::euclidean); },
                 {"exact: queries: row 5 holds a value that is not finite"});
    std::fill_n(damaged.row(5), 4, 0.0f);
    expect_error([&] { exact_neighbors(damaged.view(), base.view(), 1, Metric::cosine); },
                 {"exact: base: row 5 is all zeros"});
}

Matrix<float> scaled(Matrix<float> vectors, float factor) {
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] *= factor;
    return vectors;
}

// Squared lengths from 1e-60 to 1e70 are no floats.
TEST(ExactNeighbors, CosineIsTheSameForVectorsOfAnyLength) {
    const Matrix<float> base = clustered(300, 6), queries = clustered(5, 6, 2);
    const Neighbors expected = exact_neighbors(base.view(), queries.view(), 20, Metric::cosine);
    for (const float factor : {1e-35f, 1e-23f, 1e-17f, 1e17f, 2e19f, 1e34f}) {
        const Neighbors found =
            exact_neighbors(scaled(base, factor).view(), scaled(queries, 1 / factor).view(), 20, Metric::cosine);
        for (std::size_t q = 0; q < queries.rows(); ++q)
            for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(found.scores[q][j], expected.scores[q][j], 2e-6) << factor;
    }
}

// In float every first score is infinity minus infinity, and no candidate is left.
TEST(ExactNeighbors, DistancesThatAreNoFloatsAreStillInOrder) {
    Matrix<float> base = clustered(300, 6), queries = clustered(5, 6, 2);
    for (Matrix<float>* rows : {&base, &queries})
        for (std::size_t i = 0; i < rows->size(); ++i) rows->data()[i] = std::abs(rows->data()[i]) + 1;
    const Neighbors expected = exact_neighbors(base.view(), queries.view(), 20, Metric::euclidean);
    const float factor = std::ldexp(1.0f, 100);
    const Neighbors found =
        exact_neighbors(scaled(base, factor).view(), scaled(queries, factor).view(), 20, Metric::euclidean);
    EXPECT_EQ(found.ids, expected.ids);
}

}  // namespace
}  // namespace summand
