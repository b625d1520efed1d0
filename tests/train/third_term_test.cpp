#include <gtest/gtest.h>

#include "summand/evaluate.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

Quantizer trained(const char* spec, const Matrix<float>& vectors) { return train(vectors.view(), parse_spec(spec)); }

// All but the name.
void expect_same_model(Quantizer a, const Quantizer& b) {
    a.method = b.method;
    EXPECT_EQ(a, b);
}

double recall_at_5(const Quantizer& model, const Matrix<float>& base, const Matrix<float>& queries) {
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
    return recall(index.search(queries.view(), {.k = 5}), truth.ids.view(), 5);
}

TEST(ThirdTerm, CqeIsCqWithOneDictionaryLessAndAByte) {
    const Matrix<float> vectors = clustered(400, 8);
    const Quantizer model = trained("CQe4x4(iterations=2)", vectors);
    expect_same_model(model, trained("CQ3x4(iterations=2,bias=byte)", vectors));
    EXPECT_EQ(model.code_bytes(), 2u);
}

TEST(ThirdTerm, CqdIsCqWithNoBias) {
    const Matrix<float> vectors = clustered(400, 8);
    const Quantizer model = trained("CQd4x5(iterations=2)", vectors);
    Quantizer cq = trained("CQ4x5(iterations=2)", vectors);
    cq.bias = Bias::none;
    expect_same_model(model, cq);
    EXPECT_EQ(model.code_bytes(), 4u);
    EXPECT_TRUE(encode(model, vectors.view()).bias.empty());
    expect_same_model(model, trained("CQ4x5(iterations=2,bias=dropped)", vectors));
}

TEST(ThirdTerm, CqcCountsTheFourBytesOfItsBias) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const auto& [counted, plain, bytes] : {std::tuple{"CQc7x5(iterations=2)", "CQ3x5(iterations=2)", 7u},
                                                std::tuple{"CQc12x4(iterations=2)", "CQ4x4(iterations=2)", 6u}}) {
        const Quantizer model = trained(counted, vectors);
        expect_same_model(model, trained(plain, vectors));
        EXPECT_EQ(model.code_bytes(), bytes);
    }
}

TEST(ThirdTerm, ReportsNameTheSpecThatWasTrained) {
    const Matrix<float> vectors = clustered(400, 8);
    const Neighbors truth = exact_neighbors(vectors.view(), vectors.view().slice(0, 5), 1, Metric::euclidean);
    for (const std::string spec : {"CQe4x4", "CQd4x4", "CQc12x4", "CQc6x5"}) {
        const Quantizer model = train(vectors.view(), parse_spec(spec + "(iterations=1)"));
        const FlatIndex index(model, encode(model, vectors.view()), Metric::euclidean);
        EXPECT_EQ(evaluate(index, vectors.view().slice(0, 5), truth.ids.view(), {.k = 1}).method, spec);
    }
}

TEST(ThirdTerm, RefusesSpecsThatLeaveNoDictionary) {
    const Matrix<float> vectors = clustered(100, 8);
    expect_error([&] { trained("CQe1x4", vectors); },
                 {"spec 'CQe1x4': expected more than 1 dictionaries, which is what the third term takes, got 1"});
    expect_error([&] { trained("CQc4x5", vectors); }, {"spec 'CQc4x5': expected more than 4 dictionaries", "got 4"});
    expect_error([&] { trained("CQc8x4", vectors); }, {"spec 'CQc8x4': expected more than 8 dictionaries", "got 8"});
    expect_error([&] { trained("CQe3x4(bias=byte)", vectors); }, {"unknown option 'bias' of CQe"});
}

// The table of the paper: the whole term is best, a byte of it is next, and without it search collapses.
TEST(ThirdTerm, WithoutTheTermFarFewerNeighboursAreFound) {
    const Matrix<float> base = clustered(2000, 16), queries = clustered(300, 16, 2);
    const double whole = recall_at_5(trained("CQ4x4(iterations=4)", base), base, queries);
    const double byte = recall_at_5(trained("CQe4x4(iterations=4)", base), base, queries);
    const double dropped = recall_at_5(trained("CQd4x4(iterations=4)", base), base, queries);
    EXPECT_GT(whole, byte);
    EXPECT_GT(byte, dropped);
    EXPECT_LT(dropped, 0.7 * whole);
}

}  // namespace
}  // namespace summand
