#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "summand/neighbors.h"

namespace summand {
namespace {

TEST(TopK, KeepsTheSmallestInOrderWhateverTheOrderOfOffers) {
    Random random(1);
    for (const std::size_t k : {1, 2, 15, 16, 17, 100, 1000})
        for (const std::size_t size : {0, 1, 99, 100, 101, 5000}) {
            std::vector<Neighbor> entries;
            for (std::size_t i = 0; i < size; ++i)
                entries.push_back({static_cast<float>(random.below(300)), static_cast<std::int64_t>(size - i)});
            TopK top(k), unordered(k);
            for (const Neighbor& entry : entries) top.offer(entry);
            for (const Neighbor& entry : entries) unordered.offer(entry);
            std::sort(entries.begin(), entries.end());
            entries.resize(std::min(k, size));
            EXPECT_EQ(top.take(), entries) << "k " << k << " of " << size;
            std::vector<Neighbor> same = unordered.take_unordered();
            std::sort(same.begin(), same.end());
            EXPECT_EQ(same, entries) << "k " << k << " of " << size;
        }
}

TEST(TopK, TighteningDropsLargerScores) {
    TopK top(6);
    for (const std::int64_t id : {4, 2, 0, 3, 1}) top.offer({static_cast<float>(id / 2), id});
    EXPECT_EQ(top.count_up_to({1.0f, 2}), 3u);
    top.tighten(3);
    top.offer({1.5f, 0});
    top.offer({1.0f, 9});
    EXPECT_EQ(top.take(), (std::vector<Neighbor>{{0.0f, 0}, {0.0f, 1}, {1.0f, 2}, {1.0f, 3}, {1.0f, 9}}));
}

TEST(TopK, TakesNothingFromALimitOn) {
    TopK top(3, {2.0f, 5});
    top.offer({2.0f, 5});
    top.offer({2.0f, 4});
    top.offer({3.0f, 1});
    EXPECT_EQ(top.size(), 1u);
    EXPECT_EQ(top.take(), (std::vector<Neighbor>{{2.0f, 4}}));
}

}  // namespace
}  // namespace summand
