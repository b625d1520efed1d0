#include <gtest/gtest.h>

#include <random>

#include "summand/error.h"
#include "summand/evaluate.h"
#include "summand/train.h"

namespace summand {
namespace {

struct Setting {
    Matrix<float> base, queries;
    FlatIndex index;
    Neighbors truth;
};

Setting setting(std::size_t words) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    Matrix<float> base(1000, 8), queries(40, 8);
    for (Matrix<float>* vectors : {&base, &queries})
        for (std::size_t i = 0; i < vectors->size(); ++i) vectors->data()[i] = normal(random);
    const Quantizer model = train(base.view(), PqOptions{.dictionaries = 4, .words = words, .iterations = 5});
    FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
    Neighbors truth = exact_neighbors(base.view(), queries.view(), 100, Metric::euclidean);
    return {std::move(base), std::move(queries), std::move(index), std::move(truth)};
}

TEST(Evaluate, MeasuresWhatASearchFinds) {
    const Setting s = setting(256);
    const Report report = evaluate(s.index, s.queries.view(), s.truth.ids.view());
    const Neighbors found = s.index.search(s.queries.view(), {.k = 100});
    EXPECT_EQ(report.method, "PQ4");
    EXPECT_EQ(report.code_bytes, 4u);
    EXPECT_DOUBLE_EQ(report.compression, 8.0);
    for (const std::size_t truths : {1, 10, 50})
        for (const std::size_t answers : {1, 2, 5, 10, 20, 50, 100})
            EXPECT_DOUBLE_EQ(report.recall_at(answers, truths), recall(found, s.truth.ids.view(), answers, truths));
    EXPECT_DOUBLE_EQ(report.map, mean_average_precision(found, s.truth.ids.view()));
    EXPECT_GT(report.queries_per_second, 0);
    EXPECT_GE(report.table_seconds, 0);
    EXPECT_GE(report.scan_seconds, 0);
}

TEST(Evaluate, MeasuresOnlyWhatTheTruthAndKAllow) {
    const Setting s = setting(16);
    const Report few = evaluate(s.index, s.queries.view(), s.truth.ids.view(), {.k = 30});
    EXPECT_EQ(few.method, "PQ4x4");
    EXPECT_GE(few.recall_at(30), few.recall_at(20));
    EXPECT_EQ(few.recall_at(50), -1);
    EXPECT_EQ(few.map, -1);
}

TEST(Evaluate, RefusesTruthOfFewerQueries) {
    const Setting s = setting(16);
    try {
        evaluate(s.index, s.queries.view(), s.truth.ids.view().slice(0, 39));
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "evaluate: expected a truth row for each of 40 queries, got 39");
    }
}

}  // namespace
}  // namespace summand
