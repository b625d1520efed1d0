#include <algorithm>

#include "summand/neighbors.h"

namespace summand {
namespace {

constexpr std::size_t kMostReserved = 1 << 15;
constexpr std::size_t kSpare = 16;  // so that small k are not cut after every few entries

std::size_t room(std::size_t k) { return k < kSpare ? k + kSpare : 2 * k; }

}  // namespace

TopK::TopK(std::size_t k) : k_(k) { entries_.reserve(std::min(room(k), kMostReserved)); }

TopK::TopK(std::size_t k, Neighbor limit) : TopK(k) { limit_ = limit; }

void TopK::insert(Neighbor entry) {
    entries_.push_back(entry);
    if (entries_.size() >= room(k_)) shrink();
}

void TopK::shrink() {
    if (k_ == 0 || entries_.size() < k_) return;
    const auto worst = entries_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(entries_.begin(), worst, entries_.end());
    limit_ = *worst;
    entries_.resize(k_);
}

void TopK::cut(std::size_t count) {
    const auto worst = entries_.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(entries_.begin(), worst, entries_.end());
    limit_ = {worst->score, std::numeric_limits<std::int64_t>::max()};
    std::erase_if(entries_, [&](const Neighbor& held) { return held.score > limit_.score; });
}

std::size_t TopK::count_up_to(const Neighbor& entry) const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [&](const Neighbor& held) { return !(entry < held); }));
}

std::vector<Neighbor> TopK::take() {
    const std::size_t count = std::min(k_, entries_.size());
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(entries_.begin(), last, entries_.end());
    std::sort(entries_.begin(), last);
    entries_.resize(count);
    return std::exchange(entries_, {});
}

}  // namespace summand
