// Kernels of all levels of this CPU against each other: the bytes are a seed.
#include <cstring>

#include "fuzz/support.h"
#include "kernels/levels.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint64_t seed = size;
    for (std::size_t i = 0; i < size; ++i) seed = summand::mix(seed ^ data[i]);
    summand::Random random(seed);
    const auto& trials = summand::test::kKernelTrials;
    summand::fuzz::must(trials[seed % std::size(trials)].differing(random).empty());
    return 0;
}
