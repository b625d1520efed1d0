#include "summand/tune.h"
#include "io/support.h"

#include <algorithm>

#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kSize = 600, kDimensions = 8;

struct Setting {
    Matrix<float> base = clustered(kSize, kDimensions), queries = clustered(40, kDimensions, 2);
    Matrix<std::int64_t> truth = exact_neighbors(base.view(), queries.view(), 10, Metric::euclidean).ids;

    Index inverted(const char* spec) const {
        InvertedBuilder builder(train(base.view(), parse_index_spec(spec)));
        builder.add(base.view());
        return Index(std::move(builder).finish());
    }
    Index flat() const {
        const Quantizer model = train(base.view(), parse_spec("PQ2x4"));
        return Index(FlatIndex(model, encode(model, base.view()), Metric::euclidean));
    }
    void refine(Index& index) const {
        RefineFile file{.path = "rows", .rows = kSize, .columns = kDimensions};
        file.read = [this](std::span<const std::int64_t> ids) {
            Matrix<float> rows(ids.size(), kDimensions);
            for (std::size_t i = 0; i < ids.size(); ++i)
                std::copy_n(base.row(static_cast<std::size_t>(ids[i])), kDimensions, rows.row(i));
            return rows;
        };
        index.set_refinement(std::move(file));
    }
    double recall_with(const Index& index, const SearchParameters& parameters, const TuneTarget& target) const {
        return recall(index.search(queries.view(), SearchOptions{.k = target.answers}.with(parameters)), truth.view(),
                      target.answers, target.truths);
    }
    Tuning tuned(const Index& index, const TuneTarget& target, unsigned threads = 0) const {
        return tune(index, queries.view(), truth.view(), target, {.threads = threads});
    }
};

}  // namespace

TEST(Tune, ChoosesTheCheapestTrialThatReachesTheTarget) {
    const Setting s;
    for (const char* spec : {"IVF32,PQ4x4", "IVF32(coding=plain),PQ4x4", "IMI2x3,PQ4x4"})
        for (const double wanted : {0.3, 0.6, 0.9}) {
            Index index = s.inverted(spec);
            s.refine(index);
            const TuneTarget target{.answers = 10, .truths = 10, .recall = wanted};
            const Tuning tuning = s.tuned(index, target);
            ASSERT_TRUE(tuning.chosen.has_value());
            EXPECT_GE(s.recall_with(index, tuning.chosen->parameters, target), wanted);
            for (const Trial& trial : tuning.trials) {
                EXPECT_EQ(trial.recall, s.recall_with(index, trial.parameters, target));
                EXPECT_TRUE(trial.recall < wanted || trial.cost >= tuning.chosen->cost);
            }
        }
}

TEST(Tune, FindsTheFewestCellsByThemselves) {
    const Setting s;
    const Index index = s.inverted("IVF64,PQ8x8");
    const TuneTarget target{.answers = 50, .truths = 10, .recall = 0.95};
    const Tuning tuning = s.tuned(index, target);
    ASSERT_TRUE(tuning.chosen.has_value());
    SearchParameters fewer = tuning.chosen->parameters;
    EXPECT_FALSE(fewer.refine.has_value());
    if (fewer.probes > 0)
        --fewer.probes;
    else
        fewer.reach = 1 + 0.8f * (fewer.reach - 1);
    EXPECT_LT(s.recall_with(index, fewer, target), 0.95);
    std::size_t enough = 1;
    while (s.recall_with(index, {.probes = enough}, target) < 0.95) enough *= 2;
    EXPECT_LE(tuning.chosen->cells, static_cast<double>(enough));
}

// Codes that are too coarse find nothing more in more cells; the second layer does.
TEST(Tune, StopsWhereMoreCellsFindNoMore) {
    const Setting s;
    Index index = s.inverted("IVF256,PQ2x4");
    s.refine(index);
    const Tuning tuning = s.tuned(index, {.answers = 10, .truths = 10, .recall = 1});
    ASSERT_TRUE(tuning.chosen.has_value());
    for (std::size_t i = 3; i < tuning.trials.size(); ++i) {
        const Trial* last = &tuning.trials[i - 3];
        const bool one_climb = last[0].parameters.refine == last[3].parameters.refine &&
                               last[1].parameters.probes == 2 * last[0].parameters.probes &&
                               last[2].parameters.probes == 2 * last[1].parameters.probes &&
                               last[3].parameters.probes == 2 * last[2].parameters.probes;
        EXPECT_FALSE(one_climb && last[0].recall == last[1].recall && last[1].recall == last[2].recall)
            << last[3].parameters.probes << " cells were tried";
    }
}

TEST(Tune, CountsWhatASearchVisits) {
    const Setting s;
    const Index index = s.inverted("IVF16,PQ4x4");
    const Tuning tuning = s.tuned(index, {.answers = 10, .truths = 10, .recall = 0.2});
    EXPECT_DOUBLE_EQ(tuning.trials.front().cells, 16);  // the most expensive comes first
    EXPECT_NEAR(tuning.trials.front().vectors, kSize, 1e-9);
    EXPECT_DOUBLE_EQ(tuning.trials.front().cost, 4.0 * tuning.trials.front().vectors + 4.0 * 4 * 16 * 16);
    for (const Trial& trial : tuning.trials) {
        if (trial.parameters.reach > 0) continue;
        EXPECT_DOUBLE_EQ(trial.cells, static_cast<double>(trial.parameters.probes));
    }
}

// Queries among few cells visit fewer than others, so that a reach finds as much in fewer cells.
TEST(Tune, TriesReachesOfAsManyCellsOnAverage) {
    const Setting s;
    Index index = s.inverted("IVF256,PQ2x4");
    s.refine(index);
    std::size_t by_reach = 0;
    for (const Trial& trial : s.tuned(index, {.answers = 10, .truths = 10, .recall = 1}).trials) {
        if (trial.parameters.reach == 0) continue;
        ++by_reach;
        EXPECT_GT(trial.parameters.reach, 1);
        EXPECT_GE(trial.cells, 9);
    }
    EXPECT_GT(by_reach, 0u);
}

TEST(Tune, AFlatIndexHasItsSecondLayerTuned) {
    const Setting s;
    Index index = s.flat();
    const TuneTarget target{.answers = 10, .truths = 10, .recall = 0.95};
    EXPECT_FALSE(s.tuned(index, target).chosen.has_value());
    EXPECT_EQ(s.tuned(index, target).trials.size(), 1u);
    s.refine(index);
    const Tuning tuning = s.tuned(index, target);
    ASSERT_TRUE(tuning.chosen.has_value());
    EXPECT_LT(*tuning.chosen->parameters.refine, kSize);
    EXPECT_EQ(tuning.chosen->parameters.probes, 0u);
}

TEST(Tune, ATargetThatNothingReachesIsToldAfterTheDearestTrial) {
    const Setting s;
    const Tuning tuning = s.tuned(s.inverted("IVF16,PQ1x1"), {.answers = 1, .truths = 1, .recall = 1});
    EXPECT_FALSE(tuning.chosen.has_value());
    ASSERT_EQ(tuning.trials.size(), 1u);
    EXPECT_EQ(tuning.trials.front().parameters.probes, 16u);
}

TEST(Tune, TriesTheSameForEveryThreadCountAndKernel) {
    const Setting s;
    Index index = s.inverted("IVF16,PQ4x4");
    s.refine(index);
    const auto tried = [&](unsigned threads) {
        std::vector<SearchParameters> parameters;
        for (const Trial& trial : s.tuned(index, {.recall = 0.8}, threads).trials)
            parameters.push_back(trial.parameters);
        return parameters;
    };
    const std::vector<SearchParameters> expected = tried(1);
    with_each_level([&] { EXPECT_EQ(tried(3), expected); });
}

TEST(Tune, WrongTargetsAreRefused) {
    const Setting s;
    const Index index = s.flat();
    expect_error([&] { s.tuned(index, {.recall = 1.5}); }, {"tune: expected a recall above 0 and up to 1, got 1.5"});
    expect_error([&] { s.tuned(index, {.answers = 0}); }, {"tune: expected at least 1 answer, got 0"});
    expect_error([&] { s.tuned(index, {.answers = 20, .truths = 11}); },
                 {"expected the 11 nearest true neighbours", "got 10"});
    expect_error([&] { tune(index, s.queries.view().slice(0, 0), s.truth.view(), {}); },
                 {"at least one query, got none"});
    expect_error([&] { tune(index, s.queries.view(), s.truth.view().slice(0, 3), {}); },
                 {"expected a truth row for each of 40 queries, got 3"});
}

TEST(TuneTarget, IsReadAsItIsWritten) {
    for (const std::size_t answers : {1, 10, 100})
        for (const std::size_t truths : {std::size_t{1}, answers})
            for (const double recall : {0.125, 0.5, 1.0}) {
                const std::string of = truths == answers ? "" : "of" + std::to_string(truths);
                EXPECT_EQ(parse_target("recall@" + std::to_string(answers) + of + "=" + std::to_string(recall)),
                          (TuneTarget{answers, truths, recall}));
            }
    for (const char* text :
         {"", "recall", "recall@0=0.9", "recall@10", "recall@10=", "recall@10=0", "recall@10=1.5", "recall@10of=0.9",
          "recall@10of11=0.9", "recall@10=0.9 ", "Recall@10=0.9", "recall@-1=0.9"})
        expect_error([&] { parse_target(text); }, {"recall@R=VALUE", "got '" + std::string(text) + "'"});
}

}  // namespace summand::test
