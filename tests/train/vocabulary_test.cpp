#include "summand/aggregate.h"
#include "support/data.h"

namespace summand::test {

TEST(Vocabulary, HasTheShapeThatWasAskedFor) {
    const Matrix<float> descriptors = clustered(500, 10);
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher})
        for (const std::size_t directions : {0, 4}) {
            const Vocabulary found =
                train(descriptors.view(),
                      VocabularyOptions{.kind = kind, .words = 6, .directions = directions, .iterations = 3});
            const std::size_t columns = directions > 0 ? directions : 10;
            EXPECT_EQ(found.kind, kind);
            EXPECT_EQ(found.descriptor_dimensions(), 10u);
            EXPECT_EQ(found.dimensions(), 6 * columns);
            EXPECT_EQ(found.projection.rows(), directions);
            EXPECT_EQ(found.variances.size(), kind == Aggregation::fisher ? 6 * columns : 0);
            EXPECT_EQ(aggregate(found, descriptors.view().slice(0, 20)).size(), 6 * columns);
        }
}

TEST(Vocabulary, DirectionsAreOrthonormalAndKeepMostOfTheVariance) {
    Matrix<float> descriptors = random_matrix(2000, 6, 1);
    for (std::size_t i = 0; i < descriptors.rows(); ++i)
        for (std::size_t d = 0; d < 6; ++d) descriptors[i][d] *= d == 2 || d == 5 ? 10.0f : 0.1f;
    const Matrix<float> found =
        train(descriptors.view(), VocabularyOptions{.words = 2, .directions = 2, .iterations = 1}).projection;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(dot(found.row(i), found.row(j), 6), i == j, 1e-5);
    for (const std::size_t d : {0, 1, 3, 4}) EXPECT_LT(std::abs(found[0][d]) + std::abs(found[1][d]), 0.02);
}

TEST(Vocabulary, AShiftOfAllDescriptorsChangesNoImage) {
    const Matrix<float> descriptors = clustered(400, 5);
    Matrix<float> shifted = descriptors;
    for (std::size_t i = 0; i < shifted.size(); ++i) shifted.data()[i] += 16;
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher}) {
        const VocabularyOptions options{.kind = kind, .words = 4, .iterations = 5};
        const auto plain = aggregate(train(descriptors.view(), options), descriptors.view().slice(0, 30));
        const auto moved = aggregate(train(shifted.view(), options), shifted.view().slice(0, 30));
        for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(plain[i], moved[i], 0.02) << name(kind);
    }
}

TEST(Vocabulary, IsTheSameForEveryNumberOfThreads) {
    const Matrix<float> descriptors = clustered(2000, 8);
    for (const Aggregation kind : {Aggregation::vlad, Aggregation::fisher}) {
        VocabularyOptions options{.kind = kind, .words = 5, .directions = 4, .iterations = 3};
        options.execution.threads = 1;
        const Vocabulary one = train(descriptors.view(), options);
        options.execution.threads = 3;
        EXPECT_EQ(train(descriptors.view(), options), one);
        options.seed = 2;
        EXPECT_NE(train(descriptors.view(), options), one);
    }
}

TEST(Vocabulary, SaysWhatIsWrong) {
    const auto expect_refused = [](const VocabularyOptions& options, std::string_view part) {
        expect_error([&] { train(Matrix<float>(10, 3).view(), options); }, {"vocabulary: ", part});
    };
    expect_refused({.words = 0}, "expected 1 to 65536 words, got 0");
    expect_refused({.words = 65537}, "expected 1 to 65536 words, got 65537");
    expect_refused({.words = 11}, "expected at least as many descriptors as the 11 words, got 10");
    expect_refused({.words = 2, .directions = 4}, "expected at most the 3 dimensions of the descriptors");
    expect_refused({.words = 2, .iterations = -1}, "expected at least 0 iterations, got -1");
    expect_error([] { train(Matrix<float>(10, 3, NAN).view(), VocabularyOptions{.words = 2}); },
                 {"vocabulary: row 0", "not finite"});
}

}  // namespace summand::test
