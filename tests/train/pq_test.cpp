#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/clusters.h"
#include "summand/compared_methods.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"
#include "train/blocks.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

TEST(EvenBlocks, CoverAllDimensionsInSizesThatDifferByOneAtMost) {
    for (std::size_t dimensions = 1; dimensions < 20; ++dimensions)
        for (std::size_t count = 1; count <= dimensions; ++count) {
            const std::vector<std::size_t> begin = even_blocks(dimensions, count);
            ASSERT_EQ(begin.size(), count + 1);
            EXPECT_EQ(begin.front(), 0u);
            EXPECT_EQ(begin.back(), dimensions);
            for (std::size_t m = 0; m < count; ++m) {
                EXPECT_GE(begin[m + 1] - begin[m], dimensions / count);
                EXPECT_LE(begin[m + 1] - begin[m], (dimensions + count - 1) / count);
            }
        }
}

TEST(Pq, WithOneDictionaryIsKMeans) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), PqOptions{.dictionaries = 1, .words = 16, .seed = 3});
    Matrix<float> centred = vectors;
    for (std::size_t i = 0; i < centred.rows(); ++i)
        for (std::size_t d = 0; d < 8; ++d) centred[i][d] -= model.centre[d];
    const KMeans expected = kmeans(centred.view(), {.clusters = 16, .iterations = 25, .seed = 3});
    EXPECT_EQ(model.dictionaries.rows, expected.centres);
    EXPECT_EQ(model.training.distortion, expected.objective.back());
}

TEST(Pq, SubtractsTheMean) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), PqOptions{.dictionaries = 2, .words = 4});
    for (std::size_t d = 0; d < 8; ++d) {
        double sum = 0;
        for (std::size_t i = 0; i < vectors.rows(); ++i) sum += double{vectors[i][d]};
        EXPECT_NEAR(model.centre[d], sum / 600, 1e-4);
    }
}

TEST(Pq, WordsAreZeroOutsideTheirBlockAndOffsetsAreTheirSquaredNorms) {
    for (const std::size_t dimensions : {8, 10, 13})
        for (const BlockOrder order : {BlockOrder::natural, BlockOrder::structured}) {
            const Quantizer model =
                train(clustered(300, dimensions).view(), PqOptions{.dictionaries = 4, .words = 8, .order = order});
            const Dictionaries& words = model.dictionaries;
            ASSERT_EQ(words.block_begin.size(), 5u);
            EXPECT_EQ(words.block_begin.back(), dimensions);
            for (std::size_t m = 0; m < 4; ++m)
                for (std::size_t k = 0; k < 8; ++k) {
                    const float* word = words.word(m, k);
                    for (std::size_t d = 0; d < dimensions; ++d)
                        EXPECT_TRUE(word[d] == 0 || (d >= words.block_begin[m] && d < words.block_begin[m + 1]));
                    EXPECT_NEAR(model.word_offsets[m * 8 + k], test::dot(word, word, dimensions), 1e-4);
                }
        }
}

TEST(Pq, TheErrorOfItsCodesIsTheOneItReports) {
    for (const std::size_t dimensions : {8, 11})
        for (const BlockOrder order : {BlockOrder::natural, BlockOrder::structured}) {
            const Matrix<float> vectors = clustered(500, dimensions);
            const Quantizer model =
                train(vectors.view(), PqOptions{.dictionaries = 4, .words = 8, .order = order, .iterations = 5});
            EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), model.training.distortion,
                        1e-3 * model.training.distortion);
        }
}

TEST(Pq, StructuredOrderTakesEveryMthDimension) {
    // Dimensions d and d + 3 are equal: blocks of every third dimension see each value twice, and nothing else.
    const Matrix<float> half = clustered(400, 3);
    Matrix<float> vectors(400, 6);
    for (std::size_t i = 0; i < 400; ++i)
        for (std::size_t d = 0; d < 6; ++d) vectors[i][d] = half[i][d % 3];
    const Quantizer structured =
        train(vectors.view(), PqOptions{.dictionaries = 3, .words = 16, .order = BlockOrder::structured});
    const Quantizer natural = train(vectors.view(), PqOptions{.dictionaries = 3, .words = 16});
    EXPECT_LT(structured.training.distortion, 0.5 * natural.training.distortion);
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t d = 0; d < 6; ++d) EXPECT_EQ(structured.rotation[i][d], d == i / 2 + 3 * (i % 2) ? 1 : 0);
}

TEST(Pq, AnotherIterationNeverRaisesTheError) {
    const Matrix<float> vectors = clustered(500, 8);
    double before = std::numeric_limits<double>::infinity();
    for (const int iterations : {0, 1, 2, 5, 20}) {
        const double error = train(vectors.view(), PqOptions{.dictionaries = 2, .words = 8, .iterations = iterations})
                                 .training.distortion;
        EXPECT_LE(error, before * (1 + 1e-6));
        before = error;
    }
}

TEST(Pq, SurvivesConstantDataAndKOfTwo) {
    const Matrix<float> vectors(50, 4, 3.0f);
    const Quantizer model = train(vectors.view(), PqOptions{.dictionaries = 2, .words = 2});
    EXPECT_NEAR(distortion(model, vectors.view(), encode(model, vectors.view())), 0, 1e-9);
}

template <class Options>
void expect_block_refusal() {
    expect_error([&] { train(clustered(40, 4).view(), Options{.dictionaries = 5, .words = 4}); },
                 {"train: expected at most one dictionary per dimension (4), got 5 dictionaries"});
}

template <class Options>
void expect_refusals() {
    const Matrix<float> vectors = clustered(40, 4);
    expect_error([&] { train(vectors.view(), Options{.dictionaries = 0, .words = 4}); },
                 {"train: expected 1 to 64 dictionaries, got 0"});
    expect_error([&] { train(vectors.view(), Options{.dictionaries = 65, .words = 4}); },
                 {"train: expected 1 to 64 dictionaries, got 65"});
    for (const std::size_t words : {0, 1, 257, 512})
        expect_error([&] { train(vectors.view(), Options{.dictionaries = 2, .words = words}); },
                     {"train: expected 2 to 256 words per dictionary, got ", std::to_string(words)});
    expect_error([&] { train(vectors.view(), Options{.dictionaries = 2, .words = 41}); },
                 {"train: expected at least as many vectors as words (41), got 40", "give more vectors"});
    expect_error([&] { train(Matrix<float>(40, 0).view(), Options{.dictionaries = 2, .words = 4}); },
                 {"train: vectors have no dimensions"});
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Matrix<float> damaged = vectors;
        damaged[17][3] = bad;
        expect_error([&] { train(damaged.view(), Options{.dictionaries = 2, .words = 4}); },
                     {"train: row 17 holds a value that is not finite (NaN or infinity)"});
    }
    Matrix<float> huge = vectors;
    huge[7][2] = 1e30f;
    expect_error([&] { train(huge.view(), Options{.dictionaries = 2, .words = 4}); },
                 {"train: row 7 has the squared length 1e+60, expected at most 1e+36", "scale the vectors down"});
    Matrix<float> zero = vectors;
    std::fill_n(zero.row(5), 4, 0.0f);
    expect_error([&] { train(zero.view(), Options{.dictionaries = 2, .words = 4, .unit_length = true}); },
                 {"train: row 5 is all zeros", "cosine needs non-zero vectors"});
}

TEST(Train, EveryMethodRefusesWhatItCannotLearnFrom) {
    expect_refusals<PqOptions>();
    expect_refusals<OpqOptions>();
    expect_refusals<CompositeOptions>();
    expect_refusals<RqOptions>();
    expect_refusals<AqOptions>();
    expect_block_refusal<PqOptions>();
    expect_block_refusal<OpqOptions>();
    expect_block_refusal<CompositeOptions>();
}

}  // namespace
}  // namespace summand
