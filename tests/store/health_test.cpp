#include <cmath>

#include "store/reservoir.h"
#include "store/support.h"

namespace summand::test {
namespace {

Matrix<float> moved_away(Matrix<float> vectors, float factor) {
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = factor * vectors.data()[i] + 3 * factor;
    return vectors;
}

class HealthOf : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const std::string folder_ = scratch_ / "index";
    const Matrix<float> learn_ = clustered(600, kColumns, 7), base_ = clustered(2000, kColumns, 3);
};

}  // namespace

TEST(Reservoir, OfSeveralSegmentsIsThatOfOne) {
    const Matrix<float> vectors = clustered(3000, kColumns, 1);
    const std::vector<std::int64_t> ids = ids_between(100, 3100);
    Reservoir whole = reservoir_of(vectors.view(), ids, Metric::euclidean), parts;
    for (const std::size_t first : {2000, 0, 1000}) {
        Reservoir part =
            reservoir_of(vectors.view().slice(first, 1000), std::span(ids).subspan(first, 1000), Metric::euclidean);
        part.shrink(400);
        parts.add(part, [](std::int64_t) { return true; });
    }
    whole.shrink(400);
    parts.shrink(400);
    EXPECT_EQ(whole.ids(), parts.ids());
    EXPECT_EQ(whole.halves(), parts.halves());
}

TEST(Reservoir, LeavesOutWhatHalvesCannotHold) {
    Matrix<float> vectors = clustered(3, kColumns, 1);
    vectors[1][4] = 1e6f;
    EXPECT_EQ(reservoir_of(vectors.view(), ids_between(0, 3), Metric::euclidean).ids(),
              (std::vector<std::int64_t>{0, 2}));
}

TEST_F(HealthOf, AnIndexOfVectorsLikeThoseOfTrainingIsGood) {
    for (const char* spec : {"OPQ4x4", "IVF8,LOCQ4x4", "PQ4x4,Refine(fp16)"}) {
        SCOPED_TRACE(spec);
        const TemporaryDirectory scratch;
        LivingIndex index = LivingIndex::create(scratch / "index", learn_, spec);
        index.add(base_);
        const Health health = index.health();
        EXPECT_EQ(health.vectors, 2000u);
        EXPECT_EQ(health.sampled, 1000u);
        EXPECT_GT(health.recall, 0.2);
        EXPECT_LE(health.recall, 1);
        EXPECT_FALSE(health.retrain) << health.advice;
        EXPECT_NEAR(health.recent_distortion / health.training_distortion, 1, 0.4);
    }
}

TEST_F(HealthOf, ExactSecondLayersFindEverything) {
    LivingIndex index = LivingIndex::create(folder_, learn_, "PQ4x4,Refine(fp32)");
    index.add(base_);
    EXPECT_GT(index.health().recall, 0.9);
}

TEST_F(HealthOf, VectorsThatDriftAskForANewModel) {
    LivingIndex index = LivingIndex::create(folder_, learn_, "IVF8,PQ4x4");
    index.add(base_);
    EXPECT_FALSE(index.health().retrain);
    index.add(moved_away(clustered(1000, kColumns, 9), 3));
    const Health health = index.health();
    EXPECT_TRUE(health.retrain);
    EXPECT_NE(health.advice.find("train a new model"), std::string::npos) << health.advice;
    ASSERT_EQ(health.segments.size(), 2u);
    EXPECT_GT(health.segments[1].distortion, 2 * health.segments[0].distortion);
}

TEST_F(HealthOf, CompactionKeepsTheSampleOfTheLiving) {
    LivingIndex index = LivingIndex::create(folder_, learn_, "PQ4x4", {.metric = Metric::cosine});
    index.add(base_);
    index.add(clustered(500, kColumns, 11));
    index.remove(ids_between(0, 1500));
    index.compact();
    const Health health = LivingIndex::open(folder_).health();
    EXPECT_GT(health.sampled, 500u);
    EXPECT_LE(health.sampled, 1000u);
    EXPECT_EQ(health.vectors, 1000u);
    EXPECT_TRUE(std::isfinite(health.recall));
}

TEST_F(HealthOf, AnEmptyIndexHasNone) {
    const Health health = LivingIndex::create(folder_, learn_, "PQ4x4").health();
    EXPECT_TRUE(std::isnan(health.recall));
    EXPECT_FALSE(health.retrain);
}

}  // namespace summand::test
