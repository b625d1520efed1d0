#include "index/short_list.h"

#include <algorithm>
#include <vector>

#include "index/collectors.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

// A cut costs some passes of a kernel over the room, less than what a limit that is too high lets through.
std::size_t room(std::size_t k) { return k + std::max<std::size_t>(k / 2, 128); }

// A cut may leave a few more than k, which are found sooner.
std::size_t most(std::size_t k) { return k + k / 8; }

}  // namespace

ShortList::ShortList(std::size_t k, const ListParts* lists)
    : k_(k), lists_(lists), scores_(room(k)), places_(room(k)) {}

void ShortList::offer(std::size_t first, const std::uint32_t* vectors, const float* scores, std::size_t count) {
    for (std::size_t done = 0; done < count;) {
        if (size_ == scores_.size()) cut(most(k_));
        const std::size_t some = std::min(count - done, scores_.size() - size_);
        for (std::size_t i = 0; i < some; ++i) {
            scores_[size_ + i] = scores[done + i];
            places_[size_ + i] = static_cast<std::uint32_t>(first) + vectors[done + i];
        }
        size_ += some;
        done += some;
    }
}

void ShortList::ensure_limit(const float* scores, std::size_t count) {
    if (limit_ == std::numeric_limits<float>::infinity() && count >= std::max(2 * k_, kManyScores))
        limit_ = kernels().scan.ranked(scores, count, k_, most(k_));
}

void ShortList::cut(std::size_t last) {
    if (size_ <= k_) return;
    limit_ = std::min(limit_, kernels().scan.ranked(scores_.data(), size_, k_, last));
    size_ = kernels().scan.keep_up_to(limit_, scores_.data(), places_.data(), size_);
    if (size_ > last) drop_ties();
}

// Of the entries at the limit the ones with the first places stay.
void ShortList::drop_ties() {
    thread_local std::vector<std::uint32_t> ties;
    ties.clear();
    for (std::size_t i = 0; i < size_; ++i)
        if (scores_[i] == limit_) ties.push_back(places_[i]);
    const std::size_t wanted = k_ - (size_ - ties.size());
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) { return lists_ ? lists_->is_before(a, b) : a < b; };
    std::sort(ties.begin(), ties.end(), is_before);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        if (scores_[i] == limit_ && is_before(ties[wanted - 1], places_[i])) continue;
        scores_[kept] = scores_[i];
        places_[kept++] = places_[i];
    }
    size_ = kept;
}

}  // namespace summand
