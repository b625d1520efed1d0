#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/random.h"
#include "math/clusters.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"
#include "train/offset_rule.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

constexpr const char* kSpecs[] = {"PQ3x3(iterations=3)",
                                  "OPQ3x3(iterations=3)",
                                  "OCQ3x3(iterations=2)",
                                  "CQ3x3(iterations=2)",
                                  "CQ3x3(iterations=2,bias=byte)",
                                  "CQ3x3(iterations=2,anisotropy=4)",
                                  "NOCQ3x3(iterations=2)",
                                  "LOCQ3x3(iterations=2)",
                                  "LOCQ3x3(iterations=2,start=pq)",
                                  "LOCQ3x3(iterations=2,start=opq)",
                                  "NOCQ3x3(iterations=2,preset=paper)",
                                  "CQ3x3(iterations=2,preset=paper)",
                                  "QAV3x3(iterations=2)",
                                  "RQ3x3(iterations=2)",
                                  "AQ3x3(iterations=2)",
                                  "AQe3x3(iterations=2)",
                                  "UB3x3(iterations=2)",
                                  "SNOCQ3x3(iterations=3)",
                                  "OTQ3x3(iterations=2)",
                                  "ITQ8(iterations=2)"};

TEST(Train, IsTheSameForEveryThreadCountAndKernelLevel) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        const auto run = [&](unsigned threads) {
            return train(vectors.view(), parse_spec(spec), {.execution = {.threads = threads}});
        };
        const Quantizer one = run(1);
        EXPECT_EQ(run(2), one);
        test::with_each_level([&] { EXPECT_EQ(run(2), one); });
    }
}

TEST(Train, TheSeedDecides) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        EXPECT_NE(train(vectors.view(), parse_spec(spec), {.seed = 2}), train(vectors.view(), parse_spec(spec)));
    }
}

TEST(Train, AStopAskedForInTheProgressCallbackCancels) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        std::stop_source source;
        const Execution execution{.stop = source.get_token(),
                                  .progress = [&](const Progress&) { source.request_stop(); }};
        EXPECT_THROW(train(vectors.view(), parse_spec(spec), {.execution = execution}), Cancelled);
    }
}

TEST(Train, ReportsEveryIterationOfThePenalisedMethods) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const std::string method : {"NOCQ", "LOCQ"}) {
        std::vector<double> objective;
        const auto note = [&](const Progress& progress) {
            if (progress.stage != method) return;
            EXPECT_EQ(progress.steps, 3u);
            EXPECT_EQ(progress.step, objective.size() + 1);
            EXPECT_GT(progress.distortion, 0);
            EXPECT_GE(progress.cross_term_spread, 0);
            objective.push_back(progress.objective);
        };
        const Quantizer model =
            train(vectors.view(), parse_spec(method + "3x3(iterations=3,start=pq)"), {.execution = {.progress = note}});
        EXPECT_EQ(objective, model.training.objective);
    }
}

// |q - x̄|² = offset(q) + Σ table + cross term - ε, with the ε that all offsets share.
TEST(Nocq, TiedOffsetsReproduceTheDistancesOfThePaper) {
    const Matrix<float> vectors = clustered(600, 8), queries = clustered(6, 8, 2);
    for (const char* spec : {"NOCQ3x3(iterations=4,start=pq)", "NOCQ3x3(iterations=4,start=pq,epsilon=0)",
                             "NOCQ3x3(iterations=4,start=pq,translation=learnt)"}) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        const Dictionaries& words = model.dictionaries;
        const auto share = [&](std::size_t w) {
            return double{model.word_offsets[w]} - test::dot(words.rows.row(w), words.rows.row(w), 8);
        };
        for (std::size_t w = 0; w < words.rows.rows(); ++w) EXPECT_NEAR(share(w), share(0), 1e-3);
        const double epsilon = 3 * share(0);
        EXPECT_TRUE(std::string(spec).find("epsilon=0") == std::string::npos || std::abs(epsilon) < 1e-3);

        const Codes codes = encode(model, vectors.view());
        const Matrix<float> decoded = decode(model, codes);
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
            for (std::size_t i = 0; i < codes.size(); i += 7) {
                const double distance = test::squared_distance(queries.row(q), decoded.row(i), 8);
                const std::uint8_t* code = codes.rows.row(i);
                EXPECT_NEAR(table.offset + table.sum(code) + test::cross_term(words, code) - epsilon, distance,
                            1e-3 * (1 + distance));
            }
        }
    }
}

// |d~(q, x̄) - d^(q, x)| <= |x - x̄| + |δ|^(1/2), where d~² = Σ_m |q - c_m|², d^² = |q - x|² + (M-1)|q|² and δ is the
// cross term.
TEST(Nocq, TheGeneralisedTriangleInequalityHolds) {
    const std::size_t D = 6;
    for (const std::size_t dictionaries : {1, 2, 4}) {
        Quantizer model{.method = "NOCQ", .centre = std::vector<float>(D)};
        model.dictionaries = test::random_dictionaries(dictionaries, 5, D, dictionaries);
        for (std::size_t w = 0; w < 5 * dictionaries; ++w)
            model.word_offsets.push_back(
                static_cast<float>(test::dot(model.dictionaries.rows.row(w), model.dictionaries.rows.row(w), D)));
        const Matrix<float> queries = test::random_matrix(20, D, 11), vectors = test::random_matrix(50, D, 12);
        const Codes codes{test::random_code_rows(50, dictionaries, 5, 13), {}, identity(model)};
        const Matrix<float> decoded = decode(model, codes);
        for (std::size_t q = 0; q < 20; ++q) {
            const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
            const double rest = static_cast<double>(dictionaries - 1) * test::dot(queries.row(q), queries.row(q), D);
            for (std::size_t i = 0; i < 50; ++i) {
                const double searched = table.offset + double{table.sum(codes.rows.row(i))} + rest;
                double words = 0;  // Σ_m |q - c_m|²
                for (std::size_t m = 0; m < dictionaries; ++m)
                    words += test::squared_distance(queries.row(q), model.dictionaries.word(m, codes.rows[i][m]), D);
                ASSERT_NEAR(searched, words, 1e-4);
                const double truth = test::squared_distance(queries.row(q), vectors.row(i), D) + rest;
                const double bound = std::sqrt(test::squared_distance(vectors.row(i), decoded.row(i), D)) +
                                     std::sqrt(std::abs(test::cross_term(model.dictionaries, codes.rows.row(i))));
                EXPECT_LE(std::abs(std::sqrt(searched) - std::sqrt(truth)), bound + 1e-4);
            }
        }
    }
}

// The same through a trained model and its look-up tables: d~² = score - ε + (M-1)|q|².
TEST(Nocq, TheGeneralisedTriangleInequalityHoldsForItsTables) {
    const Matrix<float> vectors = clustered(600, 8), queries = clustered(6, 8, 2);
    const Quantizer model = train(vectors.view(), parse_spec("NOCQ3x3(iterations=3,start=pq)"));
    const Dictionaries& words = model.dictionaries;
    const double epsilon = 3 * (double{model.word_offsets[0]} - test::dot(words.rows.row(0), words.rows.row(0), 8));
    const Codes codes = encode(model, vectors.view());
    const Matrix<float> decoded = decode(model, codes);
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
        const double rest = 2 * test::squared_distance(queries.row(q), model.centre.data(), 8);
        for (std::size_t i = 0; i < codes.size(); i += 5) {
            const double searched = table.offset + double{table.sum(codes.rows.row(i))} - epsilon + rest;
            const double truth = test::squared_distance(queries.row(q), vectors.row(i), 8) + rest;
            const double bound = std::sqrt(test::squared_distance(vectors.row(i), decoded.row(i), 8)) +
                                 std::sqrt(std::abs(test::cross_term(words, codes.rows.row(i))));
            EXPECT_LE(std::abs(std::sqrt(searched) - std::sqrt(truth)), bound + 1e-3);
        }
    }
}

TEST(Nocq, WithOneDictionaryIsKMeans) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), parse_spec("NOCQ1x4(iterations=15,start=pq)"));
    const Quantizer pq = train(vectors.view(), PqOptions{.dictionaries = 1, .words = 16});
    EXPECT_LT(model.training.distortion, 1.1 * pq.training.distortion);
    Matrix<float> moved = vectors;
    for (std::size_t i = 0; i < moved.rows(); ++i)
        for (std::size_t d = 0; d < 8; ++d) moved[i][d] -= model.centre[d];
    const Assignment nearest = nearest_centres(moved.view(), model.dictionaries.rows.view(), {});
    const Codes codes = encode(model, vectors.view());
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes.rows[i][0], nearest.centre[i]);
}

TEST(Nocq, HasASmallerErrorThanPqAtAPenaltyThatLetsIt) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer pq = train(vectors.view(), parse_spec("PQ3x3"));
    EXPECT_LT(train(vectors.view(), parse_spec("NOCQ3x3")).training.distortion, pq.training.distortion);
}

TEST(Nocq, AHigherPenaltyNarrowsTheCrossTerm) {
    const Matrix<float> vectors = clustered(600, 8);
    const auto deviation = [&](const char* mu) {
        return train(vectors.view(), parse_spec(std::string("NOCQ3x3(start=pq,mu=") + mu + ")"))
            .training.cross_term_deviation;
    };
    EXPECT_LT(deviation("10"), deviation("0.001"));
}

TEST(Nocq, FourBitCodesWithManyDictionariesWork) {
    const Matrix<float> vectors = clustered(800, 16);
    const Quantizer model = train(vectors.view(), parse_spec("NOCQ8x4(iterations=3)"));
    EXPECT_EQ(model.code_bytes(), 4u);
    const Codes codes = encode(model, vectors.view());
    for (const std::uint8_t code : codes.rows.values()) EXPECT_LT(code, 16);
    const Quantizer pq = train(vectors.view(), parse_spec("PQ8x4"));
    EXPECT_LT(distortion(model, vectors.view(), codes), distortion(pq, vectors.view(), encode(pq, vectors.view())));
}

TEST(Nocq, ValidationTriesItsCandidatesAndReportsEach) {
    const Matrix<float> vectors = clustered(300, 6);
    std::size_t candidates = 0;
    const auto note = [&](const Progress& progress) { candidates += progress.stage.starts_with("validate mu="); };
    const Quantizer model = train(vectors.view(), parse_spec("NOCQ2x3(iterations=2,mu=validate,start=pq)"),
                                  {.execution = {.progress = note}});
    EXPECT_EQ(candidates, 5u);
    EXPECT_GT(model.encoder.penalty, 0);
}

// With so many vectors a sample of the usual size would leave a single one outside.
TEST(Nocq, ValidationLeavesVectorsToBeJudgedBy) {
    const Matrix<float> vectors = clustered(17247, 4);
    std::vector<double> found;
    const auto note = [&](const Progress& progress) {
        const std::string stage(progress.stage), key = "cost ";
        const std::size_t at = stage.find(key);
        if (at != std::string::npos) found.push_back(std::stod(stage.substr(at + key.size())));
    };
    train(vectors.view(), parse_spec("NOCQ2x2(iterations=1,mu=validate,start=pq)"), {.execution = {.progress = note}});
    ASSERT_EQ(found.size(), 5u);
    for (const double cost : found) EXPECT_GT(cost, 0);
}

TEST(Cq, StoresABiasThatMakesScoresExactDistances) {
    const Matrix<float> vectors = clustered(600, 8), queries = clustered(5, 8, 2);
    for (const char* spec : {"CQ3x3(iterations=4)", "CQ3x3(iterations=4,anisotropy=3)"}) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        EXPECT_EQ(model.bias, Bias::stored);
        EXPECT_EQ(model.code_bytes(), 6u);  // 3 codes of 4 bits in 2 bytes, and a float
        const Codes codes = encode(model, vectors.view());
        ASSERT_EQ(codes.bias.size(), codes.size());
        const Matrix<float> decoded = decode(model, codes);
        for (std::size_t q = 0; q < queries.rows(); ++q) {
            const LookupTable table = lookup_table(model, queries[q], Metric::euclidean);
            for (std::size_t i = 0; i < codes.size(); i += 7) {
                const double distance = test::squared_distance(queries.row(q), decoded.row(i), 8);
                EXPECT_NEAR(table.offset + table.sum(codes.rows.row(i), codes.bias[i]), distance,
                            1e-3 * (1 + distance));
            }
        }
    }
}

// Of vectors of length one: mean |x - x̄|², and mean (x·(x - x̄))², which anisotropy weighs.
struct DirectedErrors {
    double all = 0, along = 0;
};
DirectedErrors directed_errors(const Matrix<float>& vectors, const char* spec) {
    const Quantizer model = train(vectors.view(), parse_spec(spec), {.metric = Metric::inner_product});
    const Matrix<float> decoded = decode(model, encode(model, vectors.view()));
    const std::size_t D = vectors.columns();
    DirectedErrors errors;
    for (std::size_t n = 0; n < vectors.rows(); ++n) {
        const double along =
            test::dot(vectors.row(n), vectors.row(n), D) - test::dot(vectors.row(n), decoded.row(n), D);
        errors.all += test::squared_distance(vectors.row(n), decoded.row(n), D);
        errors.along += along * along;
    }
    return errors;
}

TEST(Cq, AnisotropyTradesErrorAcrossTheVectorsForErrorAlongThem) {
    Matrix<float> vectors = clustered(800, 8);
    for (std::size_t n = 0; n < vectors.rows(); ++n) {
        const double length = std::sqrt(test::dot(vectors.row(n), vectors.row(n), 8));
        for (std::size_t d = 0; d < 8; ++d) vectors[n][d] /= static_cast<float>(length);
    }
    const DirectedErrors plain = directed_errors(vectors, "CQ2x4"),
                         some = directed_errors(vectors, "CQ2x4(anisotropy=3)"),
                         more = directed_errors(vectors, "CQ2x4(anisotropy=30)");
    EXPECT_LT(some.along, 0.9 * plain.along);
    EXPECT_LT(more.along, 0.9 * some.along);
    EXPECT_GT(more.all, plain.all);
    // What each was trained for, it is best at.
    const auto objective = [](const DirectedErrors& errors, double anisotropy) {
        return errors.all + (anisotropy - 1) * errors.along;
    };
    EXPECT_LT(objective(some, 3), objective(plain, 3));
    EXPECT_LT(objective(more, 30), objective(some, 30));
}

TEST(Cq, HasTheSmallestErrorOfAll) {
    const Matrix<float> vectors = clustered(600, 8);
    const auto error = [&](const char* spec) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        return distortion(model, vectors.view(), encode(model, vectors.view()));
    };
    const double cq = std::min(error("CQ3x3"), error("CQ3x3(start=opq)"));  // the others compare starts themselves
    for (const char* spec : {"PQ3x3", "OPQ3x3", "OCQ3x3", "NOCQ3x3", "LOCQ3x3"}) EXPECT_LT(cq, error(spec)) << spec;
}

TEST(Cq, StartsFromPq) {
    const Matrix<float> vectors = clustered(600, 8);
    const auto words = [&](const char* spec) { return train(vectors.view(), parse_spec(spec)).dictionaries.rows; };
    EXPECT_EQ(words("CQ3x3(iterations=2)"), words("CQ3x3(iterations=2,start=pq)"));
    EXPECT_NE(words("CQ3x3(iterations=2)"), words("CQ3x3(iterations=2,start=opq)"));
}

TEST(Cq, AByteForTheBiasIsOneMoreDictionaryOfZeroWords) {
    const Matrix<float> vectors = clustered(600, 8);
    const Quantizer model = train(vectors.view(), parse_spec("CQ3x4(iterations=3,bias=byte)"));
    EXPECT_EQ(model.bias, Bias::none);
    EXPECT_EQ(model.dictionaries.count, 4u);
    EXPECT_TRUE(encode(model, vectors.view()).bias.empty());
    std::set<float> levels;
    for (std::size_t k = 0; k < 16; ++k) {
        for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(model.dictionaries.word(3, k)[d], 0);
        levels.insert(model.word_offsets[3 * 16 + k]);
    }
    EXPECT_EQ(levels.size(), 16u);
}

// Recall of the nearest neighbour among the first 10 answers.
double recall_at_10(const Quantizer& model, const Matrix<float>& base, const Matrix<float>& queries) {
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
    return recall(index.search(queries.view(), {.k = 10}), truth.ids.view(), 10);
}

// Two blocks of two values, four places in each: PQ, and OPQ from the identity, have a word for every place;
// OPQ from PCA is given up.
TEST(Nocq, StartsThatAreNotTakenLeaveNothingBehind) {
    Matrix<float> vectors = test::random_matrix(24000, 4, 1);
    Random random(2);
    const float places[2][4][2] = {{{0, 0}, {9, 1}, {2, 8}, {7, 7}}, {{0, 3}, {8, 0}, {1, 9}, {9, 6}}};
    for (std::size_t n = 0; n < vectors.rows(); ++n)
        for (std::size_t block = 0; block < 2; ++block) {
            const float* place = places[block][random.below(4)];
            for (std::size_t d = 0; d < 2; ++d) vectors[n][2 * block + d] = place[d] + 0.1f * vectors[n][2 * block + d];
        }
    const auto model = [&](const char* start) {
        return train(vectors.view(),
                     parse_spec(std::string("NOCQ2x2(iterations=3,translation=learnt,start=") + start + ")"));
    };
    const Quantizer chosen = model("auto");
    EXPECT_TRUE(chosen == model("pq") || chosen == model("opq"));
}

// With 16 words are learnt with a quarter of the natural penalty, codes found with half of it; a given one serves both.
TEST(Locq, CodesOfManyDictionariesMindTheOffsetsMoreThanWordsDo) {
    const Matrix<float> vectors = clustered(600, 16);
    const auto penalty = [&](const std::string& spec) {
        return static_cast<double>(train(vectors.view(), parse_spec(spec)).encoder.penalty);
    };
    for (const char* start : {"pq", "opq"}) {
        const std::string options = std::string("(iterations=1,start=") + start;
        const double nocq = penalty("NOCQ16x2" + options + ")");
        EXPECT_EQ(penalty("LOCQ16x2" + options + ",mu=0.3)"), static_cast<double>(0.3f));
        EXPECT_NEAR(penalty("LOCQ16x2" + options + ",theta=0,expectation=1)"), 2 * nocq, 1e-6 * nocq);
    }
}

TEST(Locq, FindsMoreNeighboursThanPqFromEveryStart) {
    const Matrix<float> base = clustered(2000, 16), queries = clustered(300, 16, 2);
    const double pq = recall_at_10(train(base.view(), parse_spec("PQ4x4")), base, queries);
    for (const char* start : {"pq", "opq", "auto"}) {
        const Quantizer model =
            train(base.view(), parse_spec(std::string("LOCQ4x4(iterations=8,start=") + start + ")"));
        EXPECT_EQ(model.dictionaries.count, 4u);
        EXPECT_EQ(model.bias, Bias::none);
        EXPECT_GT(recall_at_10(model, base, queries), pq) << start;
    }
}

TEST(Locq, KeepsAGivenRule) {
    const Matrix<float> vectors = clustered(2000, 8);
    const auto rule = [&](const char* options) {
        const EncoderSettings encoder =
            train(vectors.view(), parse_spec(std::string("LOCQ3x3(iterations=2,start=pq,") + options + ")")).encoder;
        return std::pair{encoder.theta, encoder.expectation};
    };
    EXPECT_EQ(rule("theta=0.25,expectation=0.75"), (std::pair{0.25f, 0.75f}));
    EXPECT_EQ(rule("theta=7"), (std::pair{7.0f, 0.9f}));
    EXPECT_EQ(rule("expectation=0.5"), (std::pair{0.0f, 0.5f}));
}

// Held-out figures come from fresh encodings, so they are close to the figures of vectors that training never saw.
TEST(Locq, HeldOutDistortionForetellsThatOfNewVectors) {
    const Matrix<float> vectors = clustered(2000, 8), fresh = clustered(1000, 8, 9);
    const Quantizer model = train(vectors.view(), parse_spec("LOCQ3x4(iterations=4,start=pq)"));
    const double error = distortion(model, fresh.view(), encode(model, fresh.view()));
    ASSERT_TRUE(model.training.held_out_distortion.has_value());
    EXPECT_NEAR(*model.training.held_out_distortion, error, 0.25 * error);
}

TEST(Train, WithoutVectorsToSpareTheHeldOutDistortionIsNotMeasured) {
    const Matrix<float> few = clustered(32, 8), many = clustered(600, 8);
    for (const char* spec : {"CQ2x4(iterations=1)", "NOCQ2x4(iterations=1)", "LOCQ2x4(iterations=1)"}) {
        EXPECT_FALSE(train(few.view(), parse_spec(spec)).training.held_out_distortion.has_value()) << spec;
        EXPECT_TRUE(train(many.view(), parse_spec(spec)).training.held_out_distortion.has_value()) << spec;
    }
    for (const char* spec : {"PQ2x4", "OPQ2x4(iterations=1)", "OCQ2x4(iterations=1)"}) {
        const TrainingSummary training = train(many.view(), parse_spec(spec)).training;
        EXPECT_FALSE(training.held_out_distortion.has_value()) << spec;
        EXPECT_EQ(training.vectors, many.rows()) << spec;
    }
}

TEST(Ocq, HasNoTranslationButTheMean) {
    for (const Translation translation : {Translation::none, Translation::learnt})
        expect_error(
            [&] {
                train(clustered(100, 8).view(), CompositeOptions{.constraint = Constraint::orthogonal,
                                                                 .dictionaries = 2,
                                                                 .words = 4,
                                                                 .translation = translation});
            },
            {"train: OCQ subtracts the mean, it has no other translation"});
}

TEST(Composite, SurvivesConstantDataFewVectorsAndKOfTwo) {
    for (const char* method : {"CQ", "OCQ", "NOCQ", "LOCQ"})
        for (const Matrix<float>& vectors :
             {Matrix<float>(40, 4, 3.0f), clustered(4, 4), clustered(9, 4), clustered(60, 4)})
            for (const char* shape : {"1x1", "2x1", "2x2"}) {
                SCOPED_TRACE(std::string(method) + shape);
                const Quantizer model =
                    train(vectors.view(), parse_spec(std::string(method) + shape + "(iterations=2)"));
                const double error = distortion(model, vectors.view(), encode(model, vectors.view()));
                EXPECT_TRUE(std::isfinite(error));
                for (const float offset : model.word_offsets) EXPECT_TRUE(std::isfinite(offset));
            }
}

TEST(Composite, RefusesStartsAndNumbersThatMakeNoSense) {
    const Matrix<float> vectors = clustered(100, 4);
    const auto run = [&](const auto& change) {
        CompositeOptions options{.dictionaries = 2, .words = 4, .iterations = 1};
        change(options);
        return train(vectors.view(), options);
    };
    expect_error([&] { run([](CompositeOptions& o) { o.iterations = 0; }); },
                 {"train: expected at least 1 iteration, got 0"});
    expect_error(
        [&] {
            run([](CompositeOptions& o) {
                o.constraint = Constraint::none;
                o.bias = BiasStorage::byte;
                o.dictionaries = 64;
            });
        },
        {"train: CQ with bias=byte adds a dictionary; expected at most 63 dictionaries, got 64"});
    for (const double penalty : {-1.0, std::nan("")})
        expect_error(
            [&] {
                run([&](CompositeOptions& o) {
                    o.rule = PenaltyRule::fixed;
                    o.penalty = penalty;
                });
            },
            {"train: expected a penalty of at least 0, got "});
}

TEST(Composite, DataScaledByAPowerOfTwoGivesTheScaledModel) {
    const Matrix<float> vectors = clustered(400, 8);
    for (const char* spec : {"PQ3x4", "OPQ3x4(iterations=4)", "OCQ3x4(iterations=3)", "NOCQ3x4(iterations=5,start=pq)",
                             "LOCQ3x4(iterations=5,start=pq)"})
        for (const int power : {-40, -14, 10, 35}) {
            Matrix<float> scaled = vectors;
            for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] = std::ldexp(scaled.data()[i], power);
            const double expected = train(vectors.view(), parse_spec(spec)).training.distortion;
            EXPECT_NEAR(std::ldexp(train(scaled.view(), parse_spec(spec)).training.distortion, -2 * power), expected,
                        1e-6 * expected)
                << spec << " 2^" << power;
        }
}

TEST(Composite, HugeValuesGiveCodesInRange) {
    Matrix<float> vectors = clustered(400, 8);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] *= 1e16f;
    for (const char* spec : {"NOCQ3x4(iterations=2)", "LOCQ3x4(iterations=2)", "CQ3x4(iterations=2)"}) {
        const Codes codes = encode(train(vectors.view(), parse_spec(spec)), vectors.view());
        for (const std::uint8_t code : codes.rows.values()) EXPECT_LT(code, 16);
    }
}

}  // namespace
}  // namespace summand
