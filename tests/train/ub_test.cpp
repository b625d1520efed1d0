#include <gtest/gtest.h>

#include <cmath>

#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;

// The weight of the cross term rises during the first 60 % of the iterations; from then on the bound does not.
TEST(Ub, AnotherIterationNeverRaisesTheBound) {
    for (const char* start : {"pq", "opq"}) {
        const std::string spec = std::string("UB3x4(iterations=10,start=") + start + ")";
        const std::vector<double> objective = train(clustered(600, 8).view(), parse_spec(spec)).training.objective;
        ASSERT_EQ(objective.size(), 10u);
        for (std::size_t i = 6; i < objective.size(); ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-6));
    }
}

TEST(Ub, OffsetsAreSquaredNormsWithoutEpsilon) {
    const Quantizer model = train(clustered(600, 8).view(), parse_spec("UB3x4(iterations=3)"));
    EXPECT_EQ(model.encoder.penalty, 0);
    EXPECT_EQ(model.encoder.absolute_penalty, 1);
    EXPECT_EQ(model.bias, Bias::none);
    for (std::size_t w = 0; w < model.word_offsets.size(); ++w)
        EXPECT_NEAR(model.word_offsets[w], test::dot(model.dictionaries.rows.row(w), model.dictionaries.rows.row(w), 8),
                    1e-4);
}

// |x - x̄|² + |δ| of the codes, which the last entry of the objective is for the training vectors.
double bound(const Quantizer& model, const Matrix<float>& vectors) {
    const Codes codes = encode(model, vectors.view());
    const Matrix<float> decoded = decode(model, codes);
    double sum = 0;
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        sum += test::squared_distance(vectors.row(i), decoded.row(i), vectors.columns()) +
               std::abs(test::cross_term(model.dictionaries, codes.rows.row(i)));
    return sum / static_cast<double>(vectors.rows());
}

TEST(Ub, HasALowerBoundThanTheMethodsThatMinimiseSomethingElse) {
    const Matrix<float> vectors = clustered(800, 8);
    const double ub = bound(train(vectors.view(), parse_spec("UB3x4")), vectors);
    for (const char* spec : {"PQ3x4", "CQd3x4", "NOCQ3x4(epsilon=0)"})
        EXPECT_LT(ub, bound(train(vectors.view(), parse_spec(spec)), vectors)) << spec;
}

TEST(Ub, FindsMoreThanPqAndThanCqWithoutItsThirdTerm) {
    const Matrix<float> base = clustered(2000, 16), queries = clustered(300, 16, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const auto found = [&](const char* spec) {
        const Quantizer model = train(base.view(), parse_spec(spec));
        const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
        return recall(index.search(queries.view(), {.k = 10}), truth.ids.view(), 10);
    };
    const double ub = found("UB4x4");
    EXPECT_GT(ub, found("PQ4x4"));
    EXPECT_GT(ub, found("CQd4x4"));
}

}  // namespace
}  // namespace summand
