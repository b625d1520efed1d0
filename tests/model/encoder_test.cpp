#include <gtest/gtest.h>
#include <thread>

#include <cmath>
#include <string>

#include "summand/evaluate.h"
#include "summand/quantizer.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

constexpr const char* kSpecs[] = {"PQ3x4",
                                  "OPQ3x4(iterations=4)",
                                  "OCQ3x4(iterations=2)",
                                  "CQ3x4(iterations=2)",
                                  "NOCQ3x4(iterations=2,start=pq)",
                                  "LOCQ3x4(iterations=2,start=opq)",
                                  "CQe3x4(iterations=2)",
                                  "QAV3x4(iterations=2)",
                                  "RQ3x4(iterations=3)",
                                  "AQ3x4(iterations=2)",
                                  "AQe3x4(iterations=2)",
                                  "UB3x4(iterations=2)",
                                  "SNOCQ3x4(iterations=3)",
                                  "OTQ3x4(iterations=3)",
                                  "ITQ8(iterations=3)",
                                  "ITQ8(iterations=3,distance=symmetric)"};

Quantizer trained(const std::string& spec, std::size_t dimensions = 10) {
    return train(clustered(400, dimensions).view(), parse_spec(spec));
}

template <class Body>
void for_each_method(const Body& body) {
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        body(trained(spec));
    }
}

TEST(Encode, PqPicksTheNearestWordOfEachBlock) {
    const Quantizer model = trained("PQ3x4");
    const Matrix<float> vectors = clustered(100, 10, 2);
    const Codes codes = encode(model, vectors.view());
    const Dictionaries& words = model.dictionaries;
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        for (std::size_t m = 0; m < 3; ++m) {
            const auto distance = [&](std::size_t k) {
                double sum = 0;
                for (std::size_t d = words.block_begin[m]; d < words.block_begin[m + 1]; ++d) {
                    const double difference =
                        double{vectors[i][d]} - double{model.centre[d]} - double{words.word(m, k)[d]};
                    sum += difference * difference;
                }
                return sum;
            };
            double smallest = distance(0);
            for (std::size_t k = 1; k < words.words; ++k) smallest = std::min(smallest, distance(k));
            EXPECT_NEAR(distance(codes.rows[i][m]), smallest, 1e-4);
        }
}

TEST(Encoder, MadeOnceGivesTheCodesOfSingleCallsFromSeveralThreads) {
    const Matrix<float> vectors = clustered(200, 10, 3);
    for_each_method([&](const Quantizer& model) {
        const Codes expected = encode(model, vectors.view());
        const Encoder encoder(model);
        std::vector<Codes> found(4);
        std::vector<std::thread> threads;
        for (Codes& codes : found) threads.emplace_back([&] { codes = encoder.encode(vectors.view()); });
        for (std::thread& thread : threads) thread.join();
        for (const Codes& codes : found) EXPECT_EQ(codes, expected);
    });
}

TEST(Encode, OneByOneEqualsAllTogether) {
    const Matrix<float> vectors = clustered(300, 10, 3);
    for_each_method([&](const Quantizer& model) {
        const Codes together = encode(model, vectors.view());
        for (std::size_t i = 0; i < vectors.rows(); i += 7) {
            const Codes alone = encode(model, vectors.view().slice(i, 1));
            for (std::size_t m = 0; m < together.rows.columns(); ++m) EXPECT_EQ(alone.rows[0][m], together.rows[i][m]);
            EXPECT_TRUE(model.bias != Bias::stored || alone.bias[0] == together.bias[i]);
        }
    });
}

TEST(Encode, PermutingTheVectorsPermutesTheCodes) {
    const Matrix<float> vectors = clustered(300, 10, 4);
    Matrix<float> reversed(300, 10);
    for (std::size_t i = 0; i < 300; ++i) std::copy_n(vectors.row(i), 10, reversed.row(299 - i));
    for_each_method([&](const Quantizer& model) {
        const Codes codes = encode(model, vectors.view()), other = encode(model, reversed.view());
        for (std::size_t i = 0; i < 300; ++i)
            for (std::size_t m = 0; m < codes.rows.columns(); ++m) ASSERT_EQ(codes.rows[i][m], other.rows[299 - i][m]);
    });
}

TEST(Encode, IsTheSameForEveryThreadCountAndKernelLevel) {
    const Matrix<float> vectors = clustered(600, 10, 5);
    for_each_method([&](const Quantizer& model) {
        const Codes codes = encode(model, vectors.view(), {.execution = {.threads = 1}});
        EXPECT_EQ(codes, encode(model, vectors.view(), {.execution = {.threads = 2}}));
        test::with_each_level([&] { EXPECT_EQ(codes, encode(model, vectors.view(), {.execution = {.threads = 2}})); });
    });
}

TEST(Encode, TheErrorOfTheDecodedVectorsIsTheDistortion) {
    const Matrix<float> vectors = clustered(300, 10, 6);
    for_each_method([&](const Quantizer& model) {
        const Codes codes = encode(model, vectors.view());
        const Matrix<float> decoded = decode(model, codes);
        double error = 0;
        for (std::size_t i = 0; i < 300; ++i) error += test::squared_distance(vectors.row(i), decoded.row(i), 10);
        EXPECT_NEAR(error / 300, distortion(model, vectors.view(), codes), 1e-4 * error / 300);
    });
}

TEST(Encode, CodesCarryTheIdentityOfTheirModel) {
    const Quantizer model = trained("PQ3x4");
    EXPECT_EQ(encode(model, clustered(5, 10).view()).model, identity(model));
}

TEST(Encode, MoreEffortNeverRaisesTheObjectiveOfTheWhole) {
    const Matrix<float> vectors = clustered(300, 10, 7);
    const Quantizer model = trained("CQ8x4(iterations=3)");
    const auto error = [&](Effort effort) {
        return distortion(model, vectors.view(), encode(model, vectors.view(), {.effort = effort}));
    };
    EXPECT_LE(error(Effort::standard), error(Effort::fast));
    EXPECT_LE(error(Effort::best), error(Effort::standard) * (1 + 1e-6));
}

TEST(Encode, TheEffortOfTheModelIsUsedUnlessAnotherIsGiven) {
    const Matrix<float> vectors = clustered(300, 10, 8);
    Quantizer model = trained("CQ4x4(iterations=3,effort=fast)");
    EXPECT_EQ(encode(model, vectors.view()), encode(model, vectors.view(), {.effort = Effort::fast}));
    model.encoder.effort = Effort::best;
    EXPECT_EQ(encode(model, vectors.view()), encode(model, vectors.view(), {.effort = Effort::best}));
}

TEST(Encode, ScalesVectorsToLengthOneForCosine) {
    const Matrix<float> vectors = clustered(400, 10);
    const Quantizer model = train(vectors.view(), parse_spec("PQ2x4"), {.metric = Metric::cosine});
    Matrix<float> longer = vectors;
    for (std::size_t i = 0; i < longer.rows(); ++i)
        for (float& x : longer[i]) x *= 4;
    EXPECT_EQ(encode(model, vectors.view()), encode(model, longer.view()));
}

TEST(Encode, RefusesVectorsItCannotEncode) {
    const Quantizer model = trained("PQ3x4");
    expect_error([&] { encode(model, Matrix<float>(2, 9).view()); },
                 {"encode: expected vectors of 10 dimensions, got 9"});
    Matrix<float> bad(3, 10);
    bad[2][4] = std::nanf("");
    expect_error([&] { encode(model, bad.view()); }, {"encode: row 2 holds a value that is not finite"});
    Quantizer cosine = model;
    cosine.unit_length = true;
    expect_error([&] { encode(cosine, Matrix<float>(2, 10).view()); }, {"encode: row 0 is all zeros"});
}

TEST(Encode, NothingEncodesToNothing) {
    for_each_method([](const Quantizer& model) { EXPECT_EQ(encode(model, Matrix<float>(0, 10).view()).size(), 0u); });
}

TEST(Encode, StopsWhenAsked) {
    std::stop_source source;
    source.request_stop();
    const Matrix<float> vectors = clustered(300, 10);
    for_each_method([&](const Quantizer& model) {
        EXPECT_THROW(encode(model, vectors.view(), {.execution = {.stop = source.get_token()}}), Cancelled);
    });
}

}  // namespace
}  // namespace summand
