#include "base/random.h"

namespace summand {

// Selection sampling: keeps each number with probability (still wanted) / (still to come).
std::vector<std::size_t> sample_without_replacement(std::size_t n, std::size_t count, Random& random) {
    std::vector<std::size_t> chosen;
    chosen.reserve(count < n ? count : n);
    for (std::size_t i = 0; i < n && chosen.size() < count; ++i)
        if (random.below(n - i) < count - chosen.size()) chosen.push_back(i);
    return chosen;
}

std::vector<std::size_t> permutation(std::size_t n, Random& random) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

}  // namespace summand
