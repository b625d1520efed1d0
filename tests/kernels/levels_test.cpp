#include "kernels/levels.h"

#include <gtest/gtest.h>

namespace summand::test {
namespace {

TEST(Levels, EveryKernelHasTheSameBitsForRandomShapesAndNumbers) {
    constexpr std::uint64_t kTrials = 1000;
    for (const KernelTrial& trial : kKernelTrials)
        for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
            Random random(seed);
            ASSERT_EQ(trial.differing(random), "") << trial.name << ", seed " << seed;
        }
}

}  // namespace
}  // namespace summand::test
