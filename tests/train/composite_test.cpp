#include "train/composite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "model/composite_encoder.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "support/data.h"
#include "train/additive_fit.h"
#include "train/dictionary_step.h"
#include "train/warm_start.h"

namespace summand {
namespace {

using test::clustered;
using test::expect_error;

CompositeOptions small(Constraint constraint, WarmStart start = WarmStart::pq) {
    return {.constraint = constraint, .dictionaries = 3, .words = 8, .iterations = 4, .start = start};
}

TEST(Problem, HoldsOutATwentiethWhereThereIsEnough) {
    const Matrix<float> vectors = clustered(600, 8);
    const CompositeOptions options = small(Constraint::near_orthogonal);
    const Problem problem = pose(vectors.view(), options);
    EXPECT_EQ(problem.held_out->vectors.rows(), 30u);
    EXPECT_EQ(problem.vectors->vectors.rows(), 570u);
    const Problem tiny = pose(vectors.view().slice(0, 16), options);
    EXPECT_EQ(tiny.held_out->vectors.rows(), 0u);
}

// One turn by hand, at several penalties: offsets, dictionaries, codes.
TEST(Alternation, EachStepWeaklyDecreasesTheObjectiveAtItsPenalty) {
    const Matrix<float> vectors = clustered(500, 8);
    for (const Constraint constraint :
         {Constraint::near_orthogonal, Constraint::learnt_offsets, Constraint::upper_bound}) {
        const CompositeOptions options = small(constraint);
        const Problem problem = pose(vectors.view(), options);
        const BlockStart start = pq_start(problem.vectors->vectors.view(), {3, 8, 1, {}});
        for (const double mu : {0.001, 0.1, 3.0}) {
            CompositePenalty penalty = begin(problem, start.dictionaries, start.codes).penalty;
            (constraint == Constraint::upper_bound ? penalty.absolute : penalty.penalty) = mu;
            Matrix<std::uint8_t> codes = start.codes;
            CompositeModel model{.dictionaries = start.dictionaries};
            tie_offsets(model);
            const CompositeData data{problem.vectors->view(), codes};
            double before = evaluate(data, model, penalty, {}).objective(penalty);
            const auto expect_no_rise = [&] {
                const double after = evaluate(data, model, penalty, {}).objective(penalty);
                EXPECT_LE(after, before * (1 + 1e-6));
                before = after;
            };
            for (std::uint64_t turn = 0; turn < 3; ++turn) {
                if (penalty.offsets == Offsets::free) {
                    fit_additive(codes, offset_targets(data, model.dictionaries, penalty, {}), 8, {},
                                 model.word_offsets);
                } else if (constraint == Constraint::near_orthogonal) {
                    model.epsilon += evaluate(data, model, penalty, {}).excess;
                    tie_offsets(model);
                }
                expect_no_rise();
                descend(data, penalty, {.iterations = 8}, {}, model);
                expect_no_rise();
                CompositeEncoder(model.dictionaries, model.word_offsets, code_penalty(penalty), {})
                    .improve(problem.vectors->view(), {.sweeps = 1, .seed = turn}, {}, codes);
                expect_no_rise();
            }
        }
    }
}

// The penalty rises during the first 60 % of the iterations, then the rule of the offsets is chosen; from then on the
// objective does not rise.
TEST(Alternation, TheObjectiveNeverRisesOnceThePenaltyIsFull) {
    const Matrix<float> vectors = clustered(600, 8);
    for (const Constraint constraint : {Constraint::near_orthogonal, Constraint::learnt_offsets})
        for (const Translation translation : {Translation::mean, Translation::none, Translation::learnt}) {
            CompositeOptions options = small(constraint);
            options.iterations = 10;
            options.translation = translation;
            const std::vector<double> objective = train(vectors.view(), options).training.objective;
            ASSERT_EQ(objective.size(), 10u);
            for (std::size_t i = 7; i < 10; ++i) EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-5));
        }
}

// A quantizer that PQ finds, and its objective: its dictionaries are orthogonal, so the penalty adds nothing.
TEST(Nocq, StartedFromPqNeverEndsWithAHigherObjective) {
    for (const std::uint64_t seed : {1, 2, 3})
        for (const bool learn_epsilon : {true, false})
            for (const int iterations : {1, 2, 5}) {
                const Matrix<float> vectors = clustered(600, 8, seed);
                CompositeOptions options = small(Constraint::near_orthogonal);
                options.learn_epsilon = learn_epsilon;
                options.iterations = iterations;
                options.rule = PenaltyRule::fixed;
                options.penalty = 0.05;
                const Problem problem = pose(vectors.view(), options);
                const BlockStart start = pq_start(problem.vectors->vectors.view(), {3, 8, options.seed, {}});
                CompositeModel model{.dictionaries = start.dictionaries};
                tie_offsets(model);
                const double pq =
                    evaluate({problem.vectors->view(), start.codes}, model, {.penalty = options.penalty}, {})
                        .objective(options.penalty);
                EXPECT_LE(train(vectors.view(), options).training.objective.back(), pq * (1 + 1e-6));
            }
}

// LOCQ codes later vectors with another μ than words are learnt with.
TEST(Locq, HeldOutFiguresAreThoseOfTheModelThatShips) {
    const Matrix<float> vectors = clustered(3000, 8);
    for (const std::size_t dictionaries : {3, 8}) {
        CompositeOptions options = small(Constraint::learnt_offsets);
        options.dictionaries = dictionaries;
        const Problem problem = pose(vectors.view(), options);
        const Quantizer model = train(vectors.view(), options);
        Matrix<float> held_out = problem.held_out->vectors;
        for (std::size_t n = 0; n < held_out.rows(); ++n)
            for (std::size_t d = 0; d < 8; ++d) held_out[n][d] += problem.centre[d];
        const double error = distortion(model, held_out.view(), encode(model, held_out.view()));
        EXPECT_NEAR(model.training.held_out_distortion.value(), error, 1e-3 * error);
    }
}

struct Stop {};

// Training until the callback throws after `step` iterations.
Checkpoint interrupted(MatrixView<float> vectors, CompositeOptions options, int step) {
    std::optional<Checkpoint> saved;
    options.checkpoint = [&](const Checkpoint& checkpoint) {
        saved = checkpoint;
        if (checkpoint.step == step) throw Stop{};
    };
    EXPECT_THROW(train(vectors, options), Stop);
    return saved.value();
}

TEST(Checkpoint, ResumingAfterAnyIterationGivesTheIdenticalModel) {
    const Matrix<float> vectors = clustered(500, 8);
    std::vector<CompositeOptions> cases;
    cases.push_back(small(Constraint::near_orthogonal));
    cases.push_back(small(Constraint::learnt_offsets));
    cases.push_back(small(Constraint::learnt_offsets, WarmStart::automatic));
    cases.push_back(small(Constraint::near_orthogonal));
    cases.back().recipe = paper_recipe(Constraint::near_orthogonal, 3);
    cases.push_back(small(Constraint::none));
    cases.back().recipe = paper_recipe(Constraint::none, 3);
    cases.push_back(small(Constraint::near_orthogonal));
    cases.back().translation = Translation::learnt;
    cases.push_back(small(Constraint::near_orthogonal));
    cases.back().unit_length = true;
    cases.push_back(small(Constraint::upper_bound));
    cases.push_back(small(Constraint::near_orthogonal));
    cases.back().nonzeros = 100;
    cases.push_back(small(Constraint::none));
    cases.push_back(small(Constraint::none));
    cases.back().bias = BiasStorage::byte;
    cases.push_back(small(Constraint::none));
    cases.back().anisotropy = 3;
    cases.back().translation = Translation::none;
    cases.push_back(small(Constraint::orthogonal));
    for (CompositeOptions& options : cases) {
        const Quantizer whole = train(vectors.view(), options);
        const int iterations = static_cast<int>(whole.training.objective.size());
        EXPECT_EQ(iterations, *options.iterations * (options.anisotropy == 1 ? 1 : 2));
        for (int step = 1; step <= iterations; ++step) {
            const Checkpoint checkpoint = interrupted(vectors.view(), options, step);
            EXPECT_EQ(checkpoint.step, step);
            CompositeOptions resumed = options;
            resumed.resume = &checkpoint;
            EXPECT_EQ(train(vectors.view(), resumed), whole);
        }
    }
}

TEST(Checkpoint, IsGivenAfterEveryIterationAndDoesNotChangeTheResult) {
    const Matrix<float> vectors = clustered(500, 8);
    CompositeOptions options = small(Constraint::learnt_offsets);
    const Quantizer expected = train(vectors.view(), options);
    std::vector<int> steps;
    options.checkpoint = [&](const Checkpoint& checkpoint) { steps.push_back(checkpoint.step); };
    EXPECT_EQ(train(vectors.view(), options), expected);
    EXPECT_EQ(steps, (std::vector<int>{1, 2, 3, 4}));
}

TEST(Checkpoint, OfAnotherTaskIsRefused) {
    const Matrix<float> vectors = clustered(500, 8);
    const CompositeOptions options = small(Constraint::near_orthogonal);
    const Checkpoint checkpoint = interrupted(vectors.view(), options, 2);
    const auto expect_refused = [&](MatrixView<float> data, const auto& change) {
        CompositeOptions other = options;
        other.resume = &checkpoint;
        change(other);
        expect_error([&] { train(data, other); },
                     {"train: the checkpoint belongs to a training with other data or options"});
    };
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.seed = 2; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.iterations = 5; });
    expect_refused(vectors.view(), [](CompositeOptions& o) {
        o.recipe = default_recipe(o.constraint, o.dictionaries);
        o.recipe->penalty.ramp = 0.5;
    });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.words = 4; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.dictionaries = 2; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.constraint = Constraint::learnt_offsets; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.learn_epsilon = false; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.translation = Translation::none; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.start = WarmStart::opq; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.nonzeros = 50; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.anchor = 3; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.effort = Effort::best; });
    expect_refused(vectors.view(), [](CompositeOptions& o) { o.unit_length = true; });
    expect_refused(vectors.view(), [](CompositeOptions& o) {
        o.rule = PenaltyRule::fixed;
        o.penalty = 1;
    });
    expect_refused(vectors.view().slice(0, 499), [](CompositeOptions&) {});

    CompositeOptions large_seed = options;  // the next one has the same value as a double
    large_seed.seed = std::uint64_t{1} << 60;
    const Checkpoint of_large_seed = interrupted(vectors.view(), large_seed, 1);
    ++large_seed.seed;
    large_seed.resume = &of_large_seed;
    expect_error([&] { train(vectors.view(), large_seed); }, {"train: the checkpoint belongs to a training with"});
    Matrix<float> changed = vectors;
    changed[3][3] += 1;
    expect_refused(changed.view(), [](CompositeOptions&) {});
}

TEST(Checkpoint, OfAnotherAnisotropyOrOfOrthogonalDictionariesIsRefused) {
    const Matrix<float> vectors = clustered(500, 8);
    CompositeOptions weighed = small(Constraint::none);
    weighed.translation = Translation::none;
    weighed.anisotropy = 3;
    const Checkpoint checkpoint = interrupted(vectors.view(), weighed, 5);
    weighed.resume = &checkpoint;
    weighed.anisotropy = 2;
    expect_error([&] { train(vectors.view(), weighed); }, {"train: the checkpoint belongs to a training with other"});

    CompositeOptions orthogonal = small(Constraint::orthogonal);
    Checkpoint without = interrupted(vectors.view(), orthogonal, 2);
    without.rotation = {};
    orthogonal.resume = &without;
    expect_error([&] { train(vectors.view(), orthogonal); }, {"train: the checkpoint of OCQ has no rotation"});
    orthogonal.seed = 2;
    expect_error([&] { train(vectors.view(), orthogonal); }, {"train: the checkpoint belongs to a training with"});
}

}  // namespace
}  // namespace summand
