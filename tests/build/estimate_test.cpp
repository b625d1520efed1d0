#include <algorithm>
#include <cmath>

#include "summand/build.h"
#include "support/data.h"

namespace summand::test {
namespace {

// Times are compared with the clock in bench/estimate; here are sizes, which are the same everywhere.
void expect_sizes(const char* spec, Metric metric = Metric::euclidean) {
    SCOPED_TRACE(concatenate(spec, " ", name(metric)));
    const Matrix<float> vectors = clustered(6000, 32);
    const BuildSettings settings{.metric = metric};
    const Index index = build(vectors, spec, settings);
    const Estimate estimate = estimate_build(vectors, spec, settings);
    const auto file = static_cast<double>(index.to_bytes().size());
    EXPECT_NEAR(estimate.output_bytes, file, 0.2 * file);
    EXPECT_GE(estimate.memory_bytes, estimate.search_bytes);
    EXPECT_GT(estimate.train_seconds + estimate.work_seconds, 0);
}

}  // namespace

TEST(Estimate, FilesOfEveryMethodHaveAboutTheEstimatedSize) {
    for (const MethodInfo& method : methods()) {
        const std::string number = method.name == "ITQ" ? "16" : method.name == "CQc" ? "10x4" : "4x4";
        expect_sizes(concatenate(method.name, number).c_str());
    }
}

TEST(Estimate, FilesOfInvertedAndRefinedIndexesHaveAboutTheEstimatedSize) {
    for (const char* spec : {"IVF64,PQ4x4", "IVF64(groups=8),OPQ4x4", "IMI2x5,PQ4x4", "IMI2x6(coding=plain),PQ4x4",
                             "PQ4x4,Refine(PQ8)", "IVF64,PQ4x4,Refine(PQ8)"})
        expect_sizes(spec);
    expect_sizes("IVF64,PQ4x4", Metric::inner_product);
}

TEST(Estimate, VectorsHeldInAnIndexAreCountedExactly) {
    Matrix<float> vectors = clustered(6000, 32);
    for (std::size_t i = 0; i < vectors.size(); ++i)
        vectors.data()[i] = std::clamp(std::nearbyint(100 + 10 * vectors.data()[i]), 0.0f, 255.0f);
    for (const std::string first : {"PQ4x4", "IVF64,PQ4x4"})
        for (const RowFormat format : kRowFormats) {
            const std::string spec = concatenate(first, ",Refine(", name(format), ")");
            SCOPED_TRACE(spec);
            const Index plain = build(vectors, first), index = build(vectors, spec);
            const Estimate before = estimate_build(vectors, first), after = estimate_build(vectors, spec);
            const auto held = static_cast<double>(index.memory_bytes() - plain.memory_bytes());
            EXPECT_EQ(after.search_bytes - before.search_bytes, held);
            EXPECT_EQ(after.output_bytes - before.output_bytes, held);
            EXPECT_NEAR(static_cast<double>(index.to_bytes().size() - plain.to_bytes().size()), held, 500);
        }
}

TEST(Estimate, AnIndexThatIsSearchedHoldsAboutTheEstimatedMemory) {
    const Matrix<float> vectors = clustered(20'000, 16);
    for (const char* spec : {"PQ8", "IVF64,PQ4x4", "IMI2x7,PQ8x4"}) {
        SCOPED_TRACE(spec);
        const Index index = build(vectors, spec);
        const double model = 4.0 * static_cast<double>(index.quantizer().dictionaries.rows.size());
        const double held = static_cast<double>(index.memory_bytes()) + model;
        EXPECT_NEAR(estimate_build(vectors, spec).search_bytes, held, 0.2 * held);
    }
}

TEST(Estimate, MoreVectorsAreNeverLearntFromThanThereAre) {
    for (const MethodInfo& method : methods()) {
        const std::string spec = concatenate(method.name, method.name == "ITQ" ? "64" : "16");
        EXPECT_EQ(usual_learn_size(spec, 500, 100), 500u) << spec;
        const std::size_t many = usual_learn_size(spec, 100'000'000, 784);
        EXPECT_GE(many, 16'384u) << spec;
        EXPECT_LT(many, 1'000'000u) << spec;
        EXPECT_LE(usual_learn_size(spec, 100'000'000, 1024), many) << spec;
    }
}

}  // namespace summand::test
