#include "model/tree_encoder.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/data.h"

namespace summand {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

Matrix<std::uint8_t> neighbours(std::size_t count, const Edges& edges) {
    Matrix<std::uint8_t> result(count, count);
    for (const auto& [a, b] : edges) result[a][b] = result[b][a] = 1;
    return result;
}

// Two dimensions for each edge, random words in them and zeros elsewhere.
Dictionaries words_on(std::size_t count, std::size_t words, const Edges& edges, std::uint64_t seed) {
    const Matrix<float> values = test::random_matrix(count * words, 2 * edges.size(), seed);
    Dictionaries result{.count = count, .words = words, .rows = Matrix<float>(count * words, 2 * edges.size())};
    for (std::size_t e = 0; e < edges.size(); ++e)
        for (const std::size_t m : {edges[e].first, edges[e].second})
            for (std::size_t k = 0; k < words; ++k)
                for (const std::size_t d : {2 * e, 2 * e + 1}) result.word(m, k)[d] = values[m * words + k][d];
    return result;
}

const Edges kPath = {{0, 1}, {1, 2}, {2, 3}}, kStar = {{2, 0}, {2, 1}, {2, 3}}, kForest = {{0, 3}, {1, 2}};

TEST(Tree, EveryChildComesAfterItsOwnChildren) {
    for (const Edges& edges : {kPath, kStar, kForest, Edges{}}) {
        const std::vector<TreeEdge> tree = tree_of(neighbours(4, edges), "test");
        EXPECT_EQ(tree.size(), edges.size());
        for (std::size_t e = 0; e < tree.size(); ++e) {
            EXPECT_TRUE(neighbours(4, edges)[tree[e].child][tree[e].parent]);
            for (std::size_t later = e + 1; later < tree.size(); ++later) {
                EXPECT_NE(tree[later].parent, tree[e].child);
                EXPECT_NE(tree[later].child, tree[e].child);
            }
        }
    }
    EXPECT_EQ(tree_of(neighbours(3, {{0, 1}, {1, 2}}), "test"), (std::vector<TreeEdge>{{2, 1}, {1, 0}}));
}

TEST(Tree, RefusesCycles) {
    test::expect_error(
        [] {
            tree_of(neighbours(4, {{0, 1}, {1, 2}, {2, 0}}), "encode");
        },
        {"encode: expected words that overlap along a tree of dictionaries, dictionary ", " is on a cycle"});
    const Dictionaries dense = test::random_dictionaries(3, 4, 5, 1);
    test::expect_error([&] { TreeEncoder(dense, {}); }, {"encode: expected words that overlap along a tree"});
}

TEST(WordOverlaps, AreTheEdgesOfTheTree) {
    for (const Edges& edges : {kPath, kStar, kForest})
        EXPECT_EQ(word_overlaps(words_on(4, 3, edges, 1)), neighbours(4, edges));
    EXPECT_EQ(word_overlaps(test::random_dictionaries(3, 2, 2, 1)), neighbours(3, {{0, 1}, {0, 2}, {1, 2}}));
}

TEST(TreeEncoder, FindsTheTrueMinimum) {
    constexpr std::size_t K = 5;
    std::uint64_t seed = 0;
    for (const Edges& edges : {kPath, kStar, kForest}) {
        const Dictionaries words = words_on(4, K, edges, ++seed);
        const Matrix<float> vectors = test::random_matrix(60, words.dimensions(), seed + 50);
        const Matrix<std::uint8_t> codes = TreeEncoder(words, {}).encode(vectors.view(), {});
        for (std::size_t i = 0; i < codes.rows(); ++i) {
            const auto error = [&](const std::uint8_t* code) {
                return test::squared_distance(vectors.row(i), test::sum_of_words(words, code).data(),
                                              words.dimensions());
            };
            double smallest = std::numeric_limits<double>::infinity();
            for (std::size_t c = 0; c < K * K * K * K; ++c) {
                const std::uint8_t code[] = {static_cast<std::uint8_t>(c % K), static_cast<std::uint8_t>(c / K % K),
                                             static_cast<std::uint8_t>(c / K / K % K),
                                             static_cast<std::uint8_t>(c / K / K / K)};
                smallest = std::min(smallest, error(code));
            }
            EXPECT_NEAR(error(codes.row(i)), smallest, 1e-4);
        }
    }
}

TEST(TreeEncoder, ImprovingKeepsCodesThatAreAsGood) {
    const Dictionaries words = words_on(4, 6, kStar, 7);
    const Matrix<float> vectors = test::random_matrix(300, words.dimensions(), 8);
    const TreeEncoder encoder(words, {});
    const Matrix<std::uint8_t> best = encoder.encode(vectors.view(), {});
    Matrix<std::uint8_t> codes = best;
    encoder.improve(vectors.view(), {}, codes);
    EXPECT_EQ(codes, best);
    codes = test::random_code_rows(300, 4, 6, 9);
    encoder.improve(vectors.view(), {}, codes);
    EXPECT_EQ(codes, best);
}

}  // namespace
}  // namespace summand
