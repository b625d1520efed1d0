// Chooses the instruction set at run time. Built for the baseline CPU.
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "kernels/kernels.h"
#include "summand/device.h"
#include "summand/error.h"

namespace summand {

extern const Kernels scalar_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels, avx512_kernels;
#elif defined(__aarch64__)
extern const Kernels neon_kernels;
#endif

namespace {

#if defined(__x86_64__)
// __builtin_cpu_supports of Clang 14 does not know it.
bool has_f16c() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

KernelLevels detect() {
    KernelLevels found{{&scalar_kernels}, 1};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && has_f16c())
        found.levels[found.count++] = &avx2_kernels;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi"))
        found.levels[found.count++] = &avx512_kernels;
#elif defined(__aarch64__)
    found.levels[found.count++] = &neon_kernels;
#endif
    return found;
}

const Kernels* choose() {
    const KernelLevels& found = available_kernels();
    const char* wanted = std::getenv("SUMMAND_KERNELS");
    if (!wanted || !*wanted) return found.levels[found.count - 1];
    std::string known;
    for (std::size_t i = 0; i < found.count; ++i) {
        if (std::string_view(wanted) == found.levels[i]->name) return found.levels[i];
        known += concatenate(i ? ", " : "", found.levels[i]->name);
    }
    throw Error(concatenate("SUMMAND_KERNELS: expected one of ", known, " on this CPU, got '", wanted, "'"));
}

std::atomic<const Kernels*>& current() {
    static std::atomic<const Kernels*> level{choose()};
    return level;
}

}  // namespace

const KernelLevels& available_kernels() {
    static const KernelLevels found = detect();
    return found;
}

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

ForcedKernels::ForcedKernels(const Kernels& level) : previous_(current().exchange(&level)) {}
ForcedKernels::~ForcedKernels() { current() = previous_; }

std::string_view kernel_level() { return kernels().name; }

std::vector<std::string_view> kernel_levels() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < available_kernels().count; ++i) names.push_back(available_kernels().levels[i]->name);
    return names;
}

std::string_view version() { return SUMMAND_VERSION; }

}  // namespace summand
