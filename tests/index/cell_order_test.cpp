#include "index/cell_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "index/random_index.h"

namespace summand {
namespace {

constexpr std::size_t kWords = 133, kStride = 144;

std::vector<float> random_scores(std::size_t different, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> scores(2 * kStride, -1e30f);  // what lies between the dictionaries is never looked at
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < kWords; ++k)
            scores[i * kStride + k] = static_cast<float>(random.below(different)) / 8;
    return scores;
}

std::vector<Probe> sorted_cells(const std::vector<float>& scores, std::size_t count) {
    std::vector<Probe> cells;
    for (std::uint32_t i = 0; i < kWords; ++i) {
        if (count == 1) cells.push_back({i, scores[i]});
        for (std::uint32_t j = 0; count == 2 && j < kWords; ++j)
            cells.push_back({static_cast<std::uint32_t>(i * kWords + j), scores[i] + scores[kStride + j]});
    }
    std::sort(cells.begin(), cells.end());
    return cells;
}

TEST(CellOrder, EqualsBruteForceOrderForOneAndTwoDictionaries) {
    for (const std::size_t count : {1, 2})
        for (const std::size_t different : {1, 3, 40, 1000000})  // few: many ties
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                const std::vector<float> scores = random_scores(different, seed);
                const std::vector<Probe> expected = sorted_cells(scores, count);
                const Lists lists(expected.size());
                const WordScores words{scores.data(), count, kWords, kStride};
                for (const std::size_t probes :
                     {std::size_t{1}, std::size_t{2}, std::size_t{20}, expected.size(), std::size_t{50000}}) {
                    const std::vector<Probe> found = nearest_cells(words, ListParts(*lists.lists), {.probes = probes});
                    ASSERT_EQ(found.size(), std::min(probes, expected.size()));
                    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
                }
            }
}

TEST(CellOrder, StopsOnceTheListsHoldEnoughVectors) {
    for (const std::size_t count : {1, 2}) {
        const std::vector<float> scores = random_scores(1000, 7);
        const std::vector<Probe> expected = sorted_cells(scores, count);
        const Lists lists(expected.size());
        const WordScores words{scores.data(), count, kWords, kStride};
        for (const std::size_t wanted : {1, 10, 50, 1000000}) {
            const std::vector<Probe> found = nearest_cells(words, ListParts(*lists.lists), {.candidates = wanted});
            std::size_t vectors = 0, cells = 0;
            while (cells < expected.size() && vectors < wanted) vectors += lists.lists->length(expected[cells++].cell);
            ASSERT_EQ(found.size(), cells);
            EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
        }
    }
}

TEST(CellOrder, CellsWithinReachAreThoseUpToAMultipleOfTheEighthDistance) {
    for (const std::size_t different : {1, 40, 1000000})
        for (const float square : {0.0f, 3.0f, 1000.0f}) {
            const std::vector<float> scores = random_scores(different, 11);
            const std::vector<Probe> expected = sorted_cells(scores, 1);
            const Lists lists(expected.size());
            const WordScores words{scores.data(), 1, kWords, kStride};
            for (const float reach : {1.0f, 1.01f, 1.5f, 1e3f}) {
                const double limit = double{reach} * reach * (expected[kReachCell - 1].score + square);
                std::size_t cells = 0;
                while (cells < expected.size() && expected[cells].score + square <= limit * (1 + 1e-6)) ++cells;
                const std::vector<Probe> found =
                    nearest_cells(words, ListParts(*lists.lists), {.reach = reach}, square);
                ASSERT_EQ(found.size(), cells);
                EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
                const ProbeLimit both{.probes = 12, .reach = reach};
                EXPECT_EQ(nearest_cells(words, ListParts(*lists.lists), both, square).size(),
                          std::min<std::size_t>(12, cells));
            }
        }
}

}  // namespace
}  // namespace summand
