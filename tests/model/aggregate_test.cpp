#include "summand/aggregate.h"

#include "support/data.h"

namespace summand::test {
namespace {

// Two words on a line, (-1, 0) and (1, 0), of which the second is four times as frequent.
Vocabulary small_vocabulary(Aggregation kind) {
    Vocabulary vocabulary{.kind = kind, .mean = {0, 0}, .centres = Matrix<float>(2, 2, {-1, 0, 1, 0})};
    if (kind == Aggregation::fisher) {
        vocabulary.variances = Matrix<float>(2, 2, {0.01f, 4, 0.01f, 1});
        vocabulary.weights = {0.2f, 0.8f};
    }
    return vocabulary;
}

double length(const std::vector<float>& vector) { return std::sqrt(dot(vector.data(), vector.data(), vector.size())); }

}  // namespace

// Residuals of the first word (-1, 2) and (0.75, -2), of the second (0, 9): sums (-1/4, 0) and (0, 9), roots -1/2
// and 3.
TEST(Aggregate, VladEqualsAHandComputedValue) {
    const Matrix<float> descriptors(3, 2, {-2, 2, -0.25f, -2, 1, 9});
    const std::vector<float> found = aggregate(small_vocabulary(Aggregation::vlad), descriptors.view());
    const double scale = std::sqrt(0.25 + 9);
    const double expected[] = {-0.5 / scale, 0, 0, 3 / scale};
    ASSERT_EQ(found.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

// The Gaussians hardly overlap, so each descriptor belongs to the nearer one: x - μ is (0, 2) of the first and (0, 3)
// of the second; divided by σ√w: 2/(2√0.2) and 3/(1·√0.8).
TEST(Aggregate, FisherEqualsAHandComputedValue) {
    const Matrix<float> descriptors(2, 2, {-1, 2, 1, 3});
    const std::vector<float> found = aggregate(small_vocabulary(Aggregation::fisher), descriptors.view());
    const double first = 2 / (2 * std::sqrt(0.2)), second = 3 / std::sqrt(0.8), scale = std::sqrt(first + second);
    const double expected[] = {0, std::sqrt(first) / scale, 0, std::sqrt(second) / scale};
    ASSERT_EQ(found.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-3) << i;
}

TEST(Aggregate, VectorsHaveLengthOneAndDoNotDependOnTheOrderOfDescriptors) {
    const Matrix<float> descriptors = random_matrix(40, 2, 1);
    Matrix<float> reversed(40, 2);
    for (std::size_t i = 0; i < 40; ++i) std::copy_n(descriptors.row(39 - i), 2, reversed.row(i));
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher}) {
        const std::vector<float> found = aggregate(small_vocabulary(kind), descriptors.view());
        const std::vector<float> other = aggregate(small_vocabulary(kind), reversed.view());
        EXPECT_NEAR(length(found), 1, 1e-6);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], other[i], 1e-3);
    }
}

TEST(Aggregate, AnImageWithoutDescriptorsIsZero) {
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher})
        EXPECT_EQ(aggregate(small_vocabulary(kind), Matrix<float>().view()), std::vector<float>(4));
}

TEST(Aggregate, SaysWhatIsWrong) {
    const Vocabulary vocabulary = small_vocabulary(Aggregation::vlad);
    expect_error([&] { aggregate(vocabulary, Matrix<float>(1, 3).view()); },
                 {"aggregate: expected descriptors of 2 dimensions, got 3"});
    expect_error([&] { aggregate(vocabulary, Matrix<float>(1, 2, NAN).view()); }, {"aggregate: row 0", "not finite"});
    expect_error([] { parse_aggregation("bag"); }, {"aggregate: expected vlad or fisher, got 'bag'"});
}

TEST(Aggregate, KindsAreNamed) {
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher})
        EXPECT_EQ(parse_aggregation(name(kind)), kind);
}

}  // namespace summand::test
