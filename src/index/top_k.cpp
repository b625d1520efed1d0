#include <algorithm>

#include "base/aligned.h"
#include "index/sorted.h"
#include "kernels/kernels.h"
#include "summand/neighbors.h"

namespace summand {
namespace {

constexpr std::size_t kMostReserved = 1 << 15;
constexpr std::size_t kMany = 128;
constexpr std::size_t kSpare = 16;  // so that small k are not cut after every few entries
constexpr std::size_t kRooms = 3;   // times k entries are held; more would keep the limit too high for too long

std::size_t room(std::size_t k) { return k < kSpare ? k + kSpare : kRooms * std::min(k, SIZE_MAX / kRooms); }

}  // namespace

TopK::TopK(std::size_t k) : k_(k), room_(room(k)) { entries_.reserve(std::min(room_, kMostReserved)); }

TopK::TopK(std::size_t k, Neighbor limit) : TopK(k) { set_limit(limit); }

// Selecting among many entries costs mostly mispredicted branches, so a kernel ranks their scores without any.
// Selecting among few costs less than the kernel's passes over them.
float TopK::score_of_rank(std::size_t rank) {
    if (entries_.size() < kMany) {
        std::nth_element(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(rank - 1), entries_.end());
        return entries_[rank - 1].score;
    }
    thread_local Scratch<float> scratch;
    float* scores = scratch.at_least(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) scores[i] = entries_[i].score;
    return kernels().scan.ranked(scores, entries_.size(), rank, rank);
}

void TopK::drop_larger(float score) {
    std::size_t kept = 0;
    for (const Neighbor& held : entries_) {
        entries_[kept] = held;
        kept += held.score <= score;
    }
    entries_.resize(kept);
}

void TopK::shrink() {
    if (k_ == 0 || entries_.size() < k_) return;
    drop_larger(score_of_rank(k_));
    if (entries_.size() > k_) {  // several entries share the k-th score
        std::nth_element(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), entries_.end());
        entries_.resize(k_);
    }
    limit_ = *std::max_element(entries_.begin(), entries_.end());
}

void TopK::tighten(std::size_t count) {
    limit_ = {score_of_rank(count), std::numeric_limits<std::int64_t>::max()};
    drop_larger(limit_.score);
}

std::size_t TopK::count_up_to(const Neighbor& entry) const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [&](const Neighbor& held) { return !(entry < held); }));
}

std::vector<Neighbor> TopK::take_unordered() {
    if (entries_.size() > k_) shrink();
    if (k_ == 0) entries_.clear();
    return std::exchange(entries_, {});
}

std::vector<Neighbor> TopK::take() { return sorted(take_unordered()); }

}  // namespace summand
