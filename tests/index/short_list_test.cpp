#include "index/short_list.h"

#include <algorithm>

#include "base/random.h"
#include "support/data.h"

namespace summand::test {
namespace {

std::vector<Neighbor> kept_by(ShortList& list) {
    list.finish();
    std::vector<Neighbor> kept;
    for (std::size_t i = 0; i < list.places().size(); ++i)
        kept.push_back({list.scores()[i], static_cast<std::int64_t>(list.places()[i])});
    std::sort(kept.begin(), kept.end());
    return kept;
}

TEST(ShortList, KeepsTheBestWhateverTheOrderAndTheTies) {
    Random random(3);
    for (const std::size_t k : {1, 7, 200, 1000})
        for (const std::size_t different : {1, 30, 1000000})
            for (const std::size_t count : {0, 5, 200, 5000}) {
                std::vector<Neighbor> all;
                for (std::size_t i = 0; i < count; ++i)
                    all.push_back({static_cast<float>(random.below(different)), static_cast<std::int64_t>(i)});
                for (std::size_t i = count; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
                with_each_level([&] {
                    ShortList list(k);
                    for (std::size_t begin = 0; begin < count;) {
                        const std::size_t some = std::min<std::size_t>(count - begin, 1 + begin % 700);
                        std::vector<float> scores;
                        std::vector<std::uint32_t> vectors;
                        for (std::size_t i = begin; i < begin + some; ++i) {
                            scores.push_back(all[i].score);
                            vectors.push_back(static_cast<std::uint32_t>(all[i].id));
                        }
                        list.ensure_limit(scores.data(), some);
                        list.offer(0, vectors.data(), scores.data(), some);
                        begin += some;
                    }
                    std::vector<Neighbor> expected = all;
                    std::sort(expected.begin(), expected.end());
                    expected.resize(std::min(k, count));
                    EXPECT_EQ(kept_by(list), expected);
                });
            }
}

TEST(ShortList, TheLimitFallsAndLosesNothing) {
    ShortList list(10);
    std::vector<Neighbor> expected;
    float limit = list.limit().score;
    for (int i = 0; i < 100000; ++i) {
        const Neighbor entry{1e6f - static_cast<float>(i), i};
        EXPECT_LE(list.limit().score, limit);
        limit = list.limit().score;
        list.offer(entry);
        if (i >= 99990) expected.push_back(entry);
    }
    EXPECT_LT(limit, 1e6f);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(kept_by(list), expected);
}

}  // namespace
}  // namespace summand::test
