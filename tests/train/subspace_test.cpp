#include "train/subspace.h"

#include <gtest/gtest.h>

#include "math/blas.h"
#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;

double squared_distance(const Matrix<float>& a, const Matrix<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (static_cast<double>(a.data()[i]) - b.data()[i]) * (static_cast<double>(a.data()[i]) - b.data()[i]);
    return sum;
}

// Vectors of `dimensions` that lie in a span of `rank`.
Matrix<float> flat_vectors(std::size_t rows, std::size_t rank, std::size_t dimensions) {
    const Matrix<float> inner = clustered(rows, rank, 1), axes = clustered(dimensions, rank, 2);
    return multiply_transposed(inner.view(), axes.view(), {});
}

TEST(Subspace, HoldsVectorsOfItsRank) {
    const Matrix<float> vectors = flat_vectors(200, 4, 12);
    const double size = squared_distance(vectors, Matrix<float>(200, 12));
    const auto lost = [&](std::size_t dimensions) {
        const Subspace subspace(vectors.view(), dimensions, {});
        return squared_distance(vectors, subspace.lift(subspace.project(vectors.view(), {}).view(), {})) / size;
    };
    EXPECT_LT(lost(4), 1e-9);
    EXPECT_GT(lost(2), lost(3));
    EXPECT_GT(lost(3), 1e-6);
}

TEST(Subspace, LiftingChangesNoDistance) {
    const Matrix<float> vectors = clustered(100, 12);
    const Subspace subspace(vectors.view(), 5, {});
    const Matrix<float> inside = subspace.project(vectors.view(), {});
    EXPECT_NEAR(squared_distance(subspace.project(subspace.lift(inside.view(), {}).view(), {}), inside), 0, 1e-6);
}

TEST(Subspace, MethodsOfManyDimensionsStartInOneAndEndBelowPq) {
    const Matrix<float> vectors = flat_vectors(600, 24, StartRecipe{}.dimensions + 44);
    const auto error = [&](const char* spec) {
        const Quantizer model = train(vectors.view(), parse_spec(spec));
        return distortion(model, vectors.view(), encode(model, vectors.view()));
    };
    const double pq = error("PQ4x4");
    for (const char* spec : {"NOCQ4x4(iterations=3)", "NOCQ4x4(iterations=3,start=opq)", "LOCQ4x4(iterations=3)"})
        EXPECT_LT(error(spec), pq) << spec;
}

}  // namespace
}  // namespace summand
