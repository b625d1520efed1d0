#include "train/dictionary_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "model/word_sum.h"
#include "support/data.h"

namespace summand {
namespace {

// Vectors that are sums of words of a known tree, 0 - 1 - 2, with three dimensions for each edge; and a little noise.
struct Known {
    Known() : words{.count = 3, .words = 6, .rows = test::random_matrix(18, 6, 1)} {
        for (std::size_t k = 0; k < 6; ++k)
            for (std::size_t d = 0; d < 3; ++d) words.word(0, k)[3 + d] = words.word(2, k)[d] = 0;
        codes = test::random_code_rows(800, 3, 6, 2);
        vectors = word_sums(words, codes, {});
        const Matrix<float> noise = test::random_matrix(800, 6, 3);
        for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] += 0.01f * noise.data()[i];
    }
    Dictionaries words;
    Matrix<std::uint8_t> codes;
    Matrix<float> vectors;
};

TEST(ChooseTree, FindsTheTreeThatTheVectorsWereMadeWith) {
    const Known known;
    const DictionaryTree tree = choose_tree(known.vectors.view(), known.codes, 6, {});
    ASSERT_EQ(tree.edges.size(), 2u);
    std::set<std::vector<std::size_t>> found;
    for (const auto& [first, second, dimensions] : tree.edges) {
        std::vector<std::size_t> row{first, second};
        row.insert(row.end(), dimensions.begin(), dimensions.end());
        found.insert(row);
    }
    EXPECT_EQ(found, (std::set<std::vector<std::size_t>>{{0, 1, 0, 1, 2}, {1, 2, 3, 4, 5}}));
}

TEST(ChooseTree, GivesEveryDimensionOneEdgeOfATree) {
    const Matrix<float> vectors = test::clustered(300, 9);
    const Matrix<std::uint8_t> codes = test::random_code_rows(300, 5, 4, 1);
    const DictionaryTree tree = choose_tree(vectors.view(), codes, 4, {});
    ASSERT_EQ(tree.edges.size(), 4u);
    std::vector<std::size_t> component(5), met;
    std::iota(component.begin(), component.end(), std::size_t{0});
    for (const auto& [first, second, dimensions] : tree.edges) {
        EXPECT_NE(component[first], component[second]);
        const std::size_t old = component[second];
        for (std::size_t& c : component)
            if (c == old) c = component[first];
        met.insert(met.end(), dimensions.begin(), dimensions.end());
    }
    std::sort(met.begin(), met.end());
    std::vector<std::size_t> all(9);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(met, all);
}

TEST(SolveTree, RecoversTheSumsAndKeepsToTheTree) {
    const Known known;
    const DictionaryTree tree{{{0, 1, {0, 1, 2}}, {1, 2, {3, 4, 5}}}};
    Dictionaries words{.count = 3, .words = 6, .rows = Matrix<float>(18, 6)};
    solve_tree(known.vectors.view(), known.codes, tree, {}, words);
    const double noise = mean_squared_error(known.words, known.vectors.view(), known.codes, {});
    EXPECT_LT(mean_squared_error(words, known.vectors.view(), known.codes, {}), 3 * noise);
    for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t d = 0; d < 3; ++d) {
            EXPECT_EQ(words.word(0, k)[3 + d], 0);
            EXPECT_EQ(words.word(2, k)[d], 0);
        }
}

TEST(SolveTree, NeverRaisesTheError) {
    const Matrix<float> vectors = test::clustered(300, 6);
    const Matrix<std::uint8_t> codes = test::random_code_rows(300, 3, 8, 4);
    const DictionaryTree tree{{{0, 2, {0, 4, 5}}, {1, 2, {1, 2, 3}}}};
    Dictionaries words{.count = 3, .words = 8, .rows = Matrix<float>(24, 6)};
    double before = mean_squared_error(words, vectors.view(), codes, {});
    for (int turn = 0; turn < 3; ++turn) {
        solve_tree(vectors.view(), codes, tree, {}, words);
        const double after = mean_squared_error(words, vectors.view(), codes, {});
        EXPECT_LE(after, before * (1 + 1e-6));
        before = after;
    }
}

}  // namespace
}  // namespace summand
