#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

using Ids = std::vector<std::vector<std::int64_t>>;

Matrix<std::int64_t> matrix(const Ids& rows) {
    std::vector<std::int64_t> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    return {rows.size(), rows.front().size(), std::move(values)};
}

Neighbors found(const Ids& rows) { return {matrix(rows), {rows.size(), rows.front().size()}}; }

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Recall, IsTheShareOfTruthsAmongTheFirstAnswers) {
    const auto answers = found({{3, 1, 2}, {7, 8, 9}});
    const auto truth = matrix({{1, 3}, {9, 5}});
    EXPECT_DOUBLE_EQ(recall(answers, truth.view(), 1), 0.0);
    EXPECT_DOUBLE_EQ(recall(answers, truth.view(), 2), 0.5);
    EXPECT_DOUBLE_EQ(recall(answers, truth.view(), 3), 1.0);
    EXPECT_DOUBLE_EQ(recall(answers, truth.view(), 3, 2), 0.75);
}

// Summed up query by query, 900 of 1000 hits are 0.8999999999999937.
TEST(Recall, IsTheSharesNearestNumber) {
    for (const std::size_t truths : {1, 3, 10})
        for (const std::size_t queries : {3, 10, 1000}) {
            Neighbors answers{Matrix<std::int64_t>(queries, truths, 0), Matrix<float>(queries, truths)};
            Matrix<std::int64_t> truth(queries, truths);
            const std::size_t wanted = queries * truths * 9 / 10;
            for (std::size_t i = 0; i < truth.size(); ++i) {
                truth.data()[i] = static_cast<std::int64_t>(i + 1);
                answers.ids.data()[i] = i % truths * queries + i / truths < wanted ? truth.data()[i] : 0;
            }
            EXPECT_EQ(recall(answers, truth.view(), truths, truths),
                      static_cast<double>(wanted) / static_cast<double>(queries * truths));
        }
}

TEST(Recall, NeverFallsWithMoreAnswers) {
    const auto answers = found({{5, 3, 8, 1, 0, 2}, {9, 4, 6, 2, 7, 3}});
    const auto truth = matrix({{1, 2, 3}, {3, 4, 5}});
    double last = 0;
    for (std::size_t count = 1; count <= 6; ++count) {
        const double now = recall(answers, truth.view(), count, 3);
        EXPECT_GE(now, last);
        last = now;
    }
}

TEST(Recall, TakesTruthOfMoreQueriesThanWereSearched) {
    EXPECT_DOUBLE_EQ(recall(found({{4}}), matrix({{4}, {5}, {6}}).view(), 1), 1.0);
}

TEST(Recall, DoesNotCountFillersOfTheTruthOrTheAnswers) {
    EXPECT_DOUBLE_EQ(recall(found({{4, -1, -1}}), matrix({{4, -1, -1}}).view(), 3, 3), 1.0);
    EXPECT_DOUBLE_EQ(recall(found({{-1, -1, -1}}), matrix({{4, -1, -1}}).view(), 3, 3), 0.0);
}

TEST(Recall, SaysWhatDoesNotFit) {
    const auto answers = found({{1, 2}, {3, 4}});
    const auto truth = matrix({{1, 2, 3}, {4, 5, 6}});
    EXPECT_EQ(message_of([&] { recall(answers, truth.view(), 1, 4); }),
              "recall: expected at most the 3 true neighbours the truth has per query, got 4");
    EXPECT_EQ(message_of([&] { recall(answers, truth.view().slice(0, 1), 1); }),
              "recall: expected a truth row for each of 2 queries, got 1");
    EXPECT_EQ(message_of([&] { recall(answers, truth.view(), 3); }),
              "recall: expected from 1 to the 2 answers that were searched for, got 3");
    EXPECT_EQ(message_of([&] { recall(answers, truth.view(), 0); }),
              "recall: expected from 1 to the 2 answers that were searched for, got 0");
    EXPECT_EQ(message_of([&] { recall(answers, truth.view(), 1, 0); }),
              "recall: expected at least one true neighbour, got 0");
    EXPECT_EQ(message_of([&] { recall(Neighbors{}, truth.view(), 1); }),
              "recall: expected at least one query, got none");
    EXPECT_EQ(message_of([&] { recall(found({{1}}), matrix({{-1}}).view(), 1); }),
              "recall: expected true neighbours of query 0, got a row without any");
}

TEST(MeanAveragePrecision, IsOneForThePerfectRanking) {
    std::vector<std::int64_t> ids(100);
    std::iota(ids.begin(), ids.end(), 0);
    EXPECT_DOUBLE_EQ(mean_average_precision(found({ids}), matrix({ids}).view()), 1.0);
}

TEST(MeanAveragePrecision, AveragesThePrecisionAtEachHit) {
    // Hits at ranks 1 and 3 of 2 relevant: (1/1 + 2/3) / 2. No hit in the second query.
    const auto answers = found({{5, 9, 6}, {7, 8, 9}});
    const auto truth = matrix({{5, 6}, {1, 2}});
    EXPECT_DOUBLE_EQ(mean_average_precision(answers, truth.view(), 2), (1.0 + 2.0 / 3.0) / 2 / 2);
}

TEST(MeanAveragePrecision, CountsWhatLiesBeyondTheLastAnswerAsNeverFound) {
    EXPECT_DOUBLE_EQ(mean_average_precision(found({{1}}), matrix({{1, 2, 3, 4}}).view(), 4), 0.25);
}

TEST(MeanAveragePrecision, NeedsAsManyTruthsAsAreRelevant) {
    EXPECT_EQ(message_of([&] {
                  mean_average_precision(found({{1}}), matrix({{1, 2}}).view());
              }),
              "mean average precision: expected at most the 2 true neighbours the truth has per query, got 100");
}

}  // namespace
}  // namespace summand
