#include "summand/retrieval.h"

#include "support/data.h"

namespace summand::test {
namespace {

Neighbors answers(Matrix<std::int64_t> ids) { return {std::move(ids), {}}; }

Matrix<std::int64_t> ids(std::size_t rows, std::vector<std::int64_t> values) {
    const std::size_t columns = values.size() / rows;
    return {rows, columns, std::move(values)};
}

// Objects of four images each, every image a query.
Relevance fours(std::size_t objects) {
    Relevance relevance{{}, Matrix<std::int64_t>(4 * objects, 3)};
    for (std::size_t i = 0; i < 4 * objects; ++i) {
        relevance.queries.push_back(static_cast<std::int64_t>(i));
        for (std::size_t j = 0; j < 3; ++j)
            relevance.relevant[i][j] = static_cast<std::int64_t>(i / 4 * 4 + (i + 1 + j) % 4);
    }
    return relevance;
}

}  // namespace

// Query 5, relevant 1 and 2. Without the query the answers are 7 1 3 2: hits at ranks 1 and 3 (from 0), of precision
// 0/1 → 1/2 and 1/3 → 2/4, so (0 + 1/2)/2/2 + (1/3 + 1/2)/2/2 = 1/8 + 5/24 = 1/3.
TEST(Retrieval, HolidaysMapEqualsAHandComputedValue) {
    const Relevance relevance{{5}, ids(1, {1, 2})};
    EXPECT_DOUBLE_EQ(holidays_map(answers(ids(1, {7, 5, 1, 3, 2})), relevance), 1.0 / 3);
}

TEST(Retrieval, HolidaysMapIsTheMeanOverQueriesWithListsOfAnyLength) {
    const Relevance relevance{{5, 6}, ids(2, {1, 2, 3, kNoId})};
    EXPECT_DOUBLE_EQ(holidays_map(answers(ids(2, {7, 5, 1, 3, 2, 3, 6, 1, 2, 0})), relevance), (1.0 / 3 + 1) / 2);
}

TEST(Retrieval, TheQueryItselfDoesNotCountForHolidays) {
    const Relevance relevance{{5}, ids(1, {1, 2})};
    const double without = holidays_map(answers(ids(1, {0, 1, 2})), relevance);
    for (const std::vector<std::int64_t>& row : {std::vector<std::int64_t>{5, 0, 1, 2}, {0, 5, 1, 2}, {0, 1, 2, 5}})
        EXPECT_DOUBLE_EQ(holidays_map(answers(ids(1, row)), relevance), without);
}

TEST(Retrieval, AnswersThatWereNotFoundCountNothing) {
    const Relevance relevance{{5}, ids(1, {1, 2})};
    EXPECT_DOUBLE_EQ(holidays_map(answers(ids(1, {1, kNoId, kNoId})), relevance), 0.5);
    EXPECT_EQ(holidays_map(answers(ids(1, {8, 9, kNoId})), relevance), 0);
}

TEST(Retrieval, APerfectRankingHasMapOneAndScoreFour) {
    const Relevance relevance = fours(3);
    Matrix<std::int64_t> ranking(12, 12);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t rank = 0; rank < 12; ++rank)
            ranking[i][rank] = static_cast<std::int64_t>((i / 4 * 4 + rank) % 12);
    EXPECT_DOUBLE_EQ(holidays_map(answers(ranking), relevance), 1);
    EXPECT_DOUBLE_EQ(ukbench_score(answers(ranking), relevance), 4);
}

TEST(Retrieval, AnEarlierHitNeverLowersTheMap) {
    const Relevance relevance{{0}, ids(1, {1, 2, 3})};
    std::vector<std::int64_t> row = {9, 8, 7, 1, 2, 3};
    double before = 0;
    for (std::size_t hit = 3; hit < 6; ++hit)
        for (std::size_t at = hit; at > hit - 3; --at) {
            std::swap(row[at], row[at - 1]);
            const double now = holidays_map(answers(ids(1, row)), relevance);
            EXPECT_GT(now, before);
            before = now;
        }
    EXPECT_DOUBLE_EQ(before, 1);
}

TEST(Retrieval, UkbenchScoreEqualsAHandComputedValue) {
    const Relevance relevance{{0, 4}, ids(2, {1, 2, 3, 5, 6, 7})};
    // Three of the first four, and one, the query itself: beyond the fourth nothing counts.
    EXPECT_DOUBLE_EQ(ukbench_score(answers(ids(2, {0, 1, 9, 2, 3, 4, 0, 1, 2, 5})), relevance), (3.0 + 1) / 2);
}

TEST(Retrieval, AnswersMustBelongToTheQueries) {
    const Relevance relevance = fours(1);
    expect_error(
        [&] {
            holidays_map(answers(ids(1, {0, 1, 2, 3})), relevance);
        },
        {"holidays: expected answers for each of the 4 queries, got those of 1"});
    expect_error([&] { ukbench_score(answers(ids(1, {0, 1, 2, 3})), relevance); }, {"ukbench: expected answers"});
    expect_error([&] { ukbench_score(answers(Matrix<std::int64_t>(4, 3)), relevance); }, {"got 4"});
}

}  // namespace summand::test
