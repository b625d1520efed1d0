#include "train/anchor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"
#include "train/gauss_newton.h"
#include "train/least_squares.h"

namespace summand {
namespace {

constexpr std::size_t kWords = 6, kDimensions = 8;

// Random vectors, codes, words, and an anchor elsewhere.
struct Problem {
    explicit Problem(double weight)
        : codes(test::random_code_rows(200, 3, kWords, 1)),
          input(composite_input(test::random_matrix(200, kDimensions, 2))),
          model{.dictionaries = test::random_dictionaries(3, kWords, kDimensions, 3), .epsilon = 0.3},
          start{.dictionaries = test::random_dictionaries(3, kWords, kDimensions, 4)} {
        for (CompositeModel* tied : {&model, &start}) {
            tie_offsets(*tied);
            for (std::size_t w = 0; w < tied->word_offsets.size(); ++w)
                tied->word_offsets[w] += 0.1f * static_cast<float>(w % 5);
        }
        anchor = anchor_at(start, weight);
    }

    CompositeData data() const { return {input.view(), codes, &anchor}; }
    double objective(const CompositePenalty& penalty) const {
        return evaluate(data(), model, penalty, {}).objective(penalty);
    }

    Matrix<std::uint8_t> codes;
    CompositeInput input;
    CompositeModel model, start;
    Anchor anchor;
};

const CompositePenalty kPenalties[] = {
    {0, 0, 1, Offsets::free}, {0.1, 0.4, 0.8, Offsets::free}, {0.5, 1, 1, Offsets::none, 0, 0}};

// weight/N · Σ |c - c⁰|² + penalty·(o - |c|² - beyond - ε/M)², in double.
double plain_cost(const Problem& problem, const CompositeModel& model, const CompositePenalty& penalty) {
    double sum = 0;
    for (std::size_t w = 0; w < 3 * kWords; ++w) {
        const float *word = model.dictionaries.rows.row(w), *start = problem.start.dictionaries.rows.row(w);
        sum += test::squared_distance(word, start, kDimensions);
        if (penalty.offsets != Offsets::free) continue;
        const double beyond = double{problem.start.word_offsets[w]} - test::dot(start, start, kDimensions);
        const double excess =
            double{model.word_offsets[w]} - test::dot(word, word, kDimensions) - beyond - model.epsilon / 3;
        sum += penalty.penalty * excess * excess;
    }
    return problem.anchor.weight / 200 * sum;
}

TEST(Anchor, CostsWhatTheFormulaSaysAndItsGradientIsThatOfFiniteDifferences) {
    constexpr double kStep = 1.0 / 64;
    const Problem problem(5);
    for (const CompositePenalty& penalty : kPenalties) {
        CompositeData without = problem.data();
        without.anchor = nullptr;
        CompositeGradient all, rest;
        const CompositeTerms terms = evaluate(problem.data(), problem.model, penalty, {}, &all);
        evaluate(without, problem.model, penalty, {}, &rest);
        EXPECT_NEAR(terms.pull, plain_cost(problem, problem.model, penalty), 1e-5 * terms.pull);
        const auto slope = [&](const auto& variable) {
            CompositeModel up = problem.model, down = problem.model;
            variable(up) += static_cast<float>(kStep);
            variable(down) -= static_cast<float>(kStep);
            return (plain_cost(problem, up, penalty) - plain_cost(problem, down, penalty)) /
                   (double{variable(up)} - double{variable(down)});
        };
        for (std::size_t i = 0; i < all.words.size(); ++i)
            EXPECT_NEAR(all.words[i] - rest.words[i],
                        slope([i](CompositeModel& m) -> float& { return m.dictionaries.rows.data()[i]; }), 1e-3);
        for (std::size_t w = 0; w < all.offsets.size(); ++w)
            EXPECT_NEAR(all.offsets[w] - rest.offsets[w],
                        slope([w](CompositeModel& m) -> float& { return m.word_offsets[w]; }), 1e-4);
    }
}

TEST(Anchor, OfWeightZeroChangesNothing) {
    const Problem problem(0);
    CompositeData without = problem.data();
    without.anchor = nullptr;
    for (const CompositePenalty& penalty : kPenalties) {
        EXPECT_EQ(problem.objective(penalty), evaluate(without, problem.model, penalty, {}).objective(penalty));
        CompositeModel one = problem.model, other = problem.model;
        newton_step(problem.data(), penalty, {.iterations = 3}, {}, one);
        newton_step(without, penalty, {.iterations = 3}, {}, other);
        EXPECT_EQ(one.dictionaries.rows, other.dictionaries.rows);
        EXPECT_EQ(one.word_offsets, other.word_offsets);
    }
}

TEST(Anchor, ANewtonStepNeverRaisesTheObjectiveAndEndsAtTheAnchorWhereThatIsHeavy) {
    for (const CompositePenalty& penalty : kPenalties)
        for (const double weight : {1.0, 10.0, 1e7}) {
            Problem problem(weight);
            double before = problem.objective(penalty);
            for (int i = 0; i < 12; ++i) {
                const double after = newton_step(problem.data(), penalty, {.iterations = 8}, {}, problem.model);
                EXPECT_LE(after, before);
                EXPECT_NEAR(after, problem.objective(penalty), 1e-9 * after);
                before = after;
            }
            if (weight < 1e7) continue;
            for (std::size_t i = 0; i < problem.anchor.words.size(); ++i)
                EXPECT_NEAR(problem.model.dictionaries.rows.data()[i], problem.anchor.words.data()[i], 1e-2);
        }
}

TEST(Anchor, LeastSquaresEndWhereTheGradientVanishes) {
    Problem problem(20);
    for (int i = 0; i < 30; ++i)  // each has a ridge towards the one before as well
        solve_dictionaries(problem.data(), 1, {}, problem.model.dictionaries);
    CompositeGradient gradient;
    evaluate(problem.data(), problem.model, {.offsets = Offsets::none, .norm = 0}, {}, &gradient);
    for (const double slope : gradient.words) EXPECT_NEAR(slope, 0, 1e-5);
}

TEST(Anchor, OffsetsOfAHeavyOneAreItsOwnWithTheMeanOfTheTargets) {
    Problem problem(1e9);
    std::vector<double> targets;
    double mean = 0;
    for (std::size_t n = 0; n < 200; ++n) {
        targets.push_back(static_cast<double>(n));
        double sum = 0;
        for (std::size_t m = 0; m < 3; ++m) {
            const std::size_t w = m * kWords + problem.codes[n][m];
            const float* word = problem.model.dictionaries.rows.row(w);
            sum += test::dot(word, word, kDimensions) + problem.anchor.beyond[w];
        }
        mean += (targets.back() - sum) / 200;
    }
    fit_offsets(problem.data(), targets, {}, {}, problem.model);
    EXPECT_NEAR(problem.model.epsilon, mean, 1e-3);
    for (std::size_t w = 0; w < 3 * kWords; ++w) {
        const float* word = problem.model.dictionaries.rows.row(w);
        EXPECT_NEAR(problem.model.word_offsets[w],
                    test::dot(word, word, kDimensions) + problem.anchor.beyond[w] + mean / 3, 1e-3);
    }
}

// A curved surface of a few dimensions in many, and noise.
Matrix<float> curved(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    constexpr std::size_t kInner = 5, kWaves = 40;
    const Matrix<float> bends = test::random_matrix(kWaves, kInner, 77),
                        axes = test::random_matrix(kWaves, columns, 78);
    Random random(seed);
    Matrix<float> result(rows, columns);
    for (std::size_t n = 0; n < rows; ++n) {
        double inner[kInner];
        for (double& value : inner) value = random.gaussian();
        for (std::size_t d = 0; d < columns; ++d) result[n][d] = static_cast<float>(0.3 * random.gaussian());
        for (std::size_t a = 0; a < kWaves; ++a) {
            double phase = 0;
            for (std::size_t j = 0; j < kInner; ++j) phase += static_cast<double>(bends[a][j]) * inner[j];
            for (std::size_t d = 0; d < columns; ++d)
                result[n][d] += static_cast<float>(std::tanh(3 * phase) * static_cast<double>(axes[a][d]));
        }
    }
    return result;
}

double error_on(const Matrix<float>& others, const Matrix<float>& learn, const std::string& spec) {
    const Quantizer model = train(learn.view(), parse_spec(spec));
    return distortion(model, others.view(), encode(model, others.view()));
}

// With eight vectors for each word, and with four times as many, dense words must not end above the blocks they start
// from.
TEST(FewVectors, NoCompositeMethodEndsAboveItsBlockStart) {
    const Matrix<float> others = curved(500, 96, 2);
    for (const std::size_t rows : {256, 1024}) {
        const Matrix<float> learn = curved(rows, 96, 1);
        const double pq = error_on(others, learn, "PQ4x5"), opq = error_on(others, learn, "OPQ4x5");
        for (const std::string method : {"CQ4x5", "NOCQ4x5", "LOCQ4x5"}) {
            SCOPED_TRACE(method + " from " + std::to_string(rows));
            EXPECT_LE(error_on(others, learn, method + "(start=pq)"), pq);
            EXPECT_LE(error_on(others, learn, method + "(start=opq)"), opq);
        }
    }
}

// Without an anchor they do end above them: this is what the anchor is for.
TEST(FewVectors, AnAnchorIsWhatKeepsDenseWordsBelow) {
    const Matrix<float> others = curved(500, 96, 2), learn = curved(256, 96, 1);
    const double opq = error_on(others, learn, "OPQ4x5");
    EXPECT_GT(error_on(others, learn, "NOCQ4x5(start=opq,anchor=0)"), opq);
    EXPECT_LT(error_on(others, learn, "NOCQ4x5(start=opq,anchor=8)"), opq);
}

TEST(FewVectors, ArePulledByTheWeightOfTheRecipe) {
    const Matrix<float> learn = curved(256, 96, 1);
    const auto words = [&](const std::string& spec) { return train(learn.view(), parse_spec(spec)).dictionaries.rows; };
    for (const std::string method : {"CQ4x5", "NOCQ4x5", "LOCQ4x5", "UB4x5", "QAV4x5"})
        EXPECT_EQ(words(method + "(start=opq)"), words(method + "(start=opq,anchor=8)")) << method;
}

// CQ has neither a penalty nor offsets whose noise it would bear.
TEST(FewVectors, AreFewerForCq) {
    const Matrix<float> learn = curved(600, 96, 1);
    const auto model = [&](const char* spec) { return train(learn.view(), parse_spec(spec)); };
    EXPECT_EQ(model("CQ4x5"), model("CQ4x5(anchor=0)"));
    EXPECT_FALSE(model("NOCQ4x5") == model("NOCQ4x5(anchor=0)"));
}

// Where there are many vectors nothing is pulled, and nothing is tried.
TEST(FewVectors, ManyVectorsLearnAsWithoutAnAnchor) {
    const Matrix<float> learn = curved(1024, 16, 1);
    for (const char* method : {"CQ4x4", "NOCQ4x4", "LOCQ4x4", "QAV4x4"}) {
        const Quantizer without = train(learn.view(), parse_spec(std::string(method) + "(anchor=0)"));
        EXPECT_EQ(train(learn.view(), parse_spec(method)), without) << method;
    }
}

TEST(FewVectors, ARecipeAndThePapersAlgorithmCanDoWithoutAnAnchor) {
    const Matrix<float> learn = curved(256, 96, 1);
    const auto words = [&](const char* spec) { return train(learn.view(), parse_spec(spec)).dictionaries.rows; };
    EXPECT_EQ(words("NOCQ4x5(start=opq,few=0)"), words("NOCQ4x5(start=opq,anchor=0)"));
    EXPECT_EQ(words("NOCQ4x5(preset=paper,mu=1)"), words("NOCQ4x5(preset=paper,mu=1,anchor=0)"));
    EXPECT_NE(words("NOCQ4x5(preset=paper,mu=1)"), words("NOCQ4x5(preset=paper,mu=1,anchor=8)"));
}

}  // namespace
}  // namespace summand
