#include "model/beam_encoder.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/data.h"

namespace summand {
namespace {

constexpr std::size_t M = 3, K = 5, D = 6;
constexpr CodeSearch kSearches[] = {CodeSearch::beam, CodeSearch::residual};

struct Problem {
    explicit Problem(std::uint64_t seed, std::size_t rows = 40)
        : dictionaries(test::random_dictionaries(M, K, D, seed)), vectors(test::random_matrix(rows, D, seed + 100)) {
        for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] *= 2;
    }

    double error(std::size_t i, const std::uint8_t* code) const {
        return test::squared_distance(vectors.row(i), test::sum_of_words(dictionaries, code).data(), D);
    }
    double total_error(const Matrix<std::uint8_t>& codes) const {
        double sum = 0;
        for (std::size_t i = 0; i < codes.rows(); ++i) sum += error(i, codes.row(i));
        return sum;
    }

    Dictionaries dictionaries;
    Matrix<float> vectors;
};

TEST(BeamEncoder, AWideEnoughBeamFindsTheTrueMinimum) {
    for (const CodeSearch search : kSearches)
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Problem problem(seed);
            const Matrix<std::uint8_t> codes =
                BeamEncoder(problem.dictionaries, search, {}).encode(problem.vectors.view(), M * K * K, {});
            for (std::size_t i = 0; i < codes.rows(); ++i) {
                double smallest = std::numeric_limits<double>::infinity();
                for (std::size_t c = 0; c < K * K * K; ++c) {
                    const std::uint8_t code[] = {static_cast<std::uint8_t>(c % K), static_cast<std::uint8_t>(c / K % K),
                                                 static_cast<std::uint8_t>(c / K / K)};
                    smallest = std::min(smallest, problem.error(i, code));
                }
                EXPECT_NEAR(problem.error(i, codes.row(i)), smallest, 1e-4);
            }
        }
}

// One dictionary after the other, the word nearest to what is left.
TEST(BeamEncoder, ABeamOfOneResidualIsGreedy) {
    const Problem problem(4);
    const Matrix<std::uint8_t> codes =
        BeamEncoder(problem.dictionaries, CodeSearch::residual, {}).encode(problem.vectors.view(), 1, {});
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        std::vector<float> rest(problem.vectors.row(i), problem.vectors.row(i) + D);
        for (std::size_t m = 0; m < M; ++m) {
            const float* chosen = problem.dictionaries.word(m, codes[i][m]);
            for (std::size_t k = 0; k < K; ++k)
                EXPECT_LE(test::squared_distance(rest.data(), chosen, D),
                          test::squared_distance(rest.data(), problem.dictionaries.word(m, k), D) + 1e-4);
            for (std::size_t d = 0; d < D; ++d) rest[d] -= chosen[d];
        }
    }
}

// The first word chosen is the one that leaves least, of all dictionaries: here always of the last one.
TEST(BeamEncoder, ABeamOfOneTakesTheDictionaryThatHelpsMostFirst) {
    Dictionaries words{.count = 2, .words = 2, .rows = Matrix<float>(4, 1, {0.9f, 5, 1, 100})};
    Matrix<float> vectors(1, 1, 101.0f);
    EXPECT_EQ(BeamEncoder(words, CodeSearch::beam, {}).encode(vectors.view(), 1, {}),
              Matrix<std::uint8_t>(1, 2, {0, 1}));
    EXPECT_EQ(BeamEncoder(words, CodeSearch::residual, {}).encode(vectors.view(), 1, {}),
              Matrix<std::uint8_t>(1, 2, {1, 1}));
}

TEST(BeamEncoder, AWiderBeamHasASmallerErrorOnTheWhole) {
    for (const CodeSearch search : kSearches) {
        const Problem problem(5, 300);
        const BeamEncoder encoder(problem.dictionaries, search, {});
        double before = std::numeric_limits<double>::infinity();
        for (const std::size_t width : {1, 3, 9, 75}) {
            const double error = problem.total_error(encoder.encode(problem.vectors.view(), width, {}));
            EXPECT_LT(error, before);
            before = error;
        }
    }
}

TEST(BeamEncoder, ImprovingNeverRaisesAnError) {
    for (const CodeSearch search : kSearches) {
        const Problem problem(6, 300);
        const BeamEncoder encoder(problem.dictionaries, search, {});
        const Matrix<std::uint8_t> best = encoder.encode(problem.vectors.view(), M * K * K, {});
        const Matrix<std::uint8_t> start = test::random_code_rows(300, M, K, 7);
        for (const Matrix<std::uint8_t>& codes : {start, best}) {
            Matrix<std::uint8_t> improved = codes;
            encoder.improve(problem.vectors.view(), 1, {}, improved);
            for (std::size_t i = 0; i < 300; ++i)
                EXPECT_LE(problem.error(i, improved.row(i)), problem.error(i, codes.row(i)) + 1e-5);
        }
    }
}

TEST(BeamEncoder, SumsThatOverflowGiveCodesInRange) {
    Dictionaries words = test::random_dictionaries(M, K, D, 8);
    for (std::size_t i = 0; i < words.rows.size(); ++i) words.rows.data()[i] *= 3e38f;
    Matrix<float> vectors = test::random_matrix(20, D, 9);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] *= 3e38f;
    for (const CodeSearch search : kSearches) {
        const Matrix<std::uint8_t> codes = BeamEncoder(words, search, {}).encode(vectors.view(), 4, {});
        for (const std::uint8_t code : codes.values()) EXPECT_LT(code, K);
    }
}

TEST(BeamEncoder, RefusesABeamOfNothing) {
    const Problem problem(1);
    test::expect_error(
        [&] { BeamEncoder(problem.dictionaries, CodeSearch::beam, {}).encode(problem.vectors.view(), 0, {}); },
        {"encode: expected a beam of at least 1 code, got 0"});
}

}  // namespace
}  // namespace summand
