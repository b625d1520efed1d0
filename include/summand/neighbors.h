// Answers: the k best (score, id) of each query, best first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "summand/matrix.h"

namespace summand {

inline constexpr std::int64_t kNoId = -1;

struct Neighbor {
    float score;
    std::int64_t id;

    /// Smaller scores first; equal scores by smaller id, so that results do not depend on threads.
    friend bool operator<(const Neighbor& a, const Neighbor& b) {
        return a.score < b.score || (a.score == b.score && a.id < b.id);
    }
    friend bool operator==(const Neighbor&, const Neighbor&) = default;
};

/// nq × k; where fewer than k exist, a row ends with id -1 and score +infinity.
struct Neighbors {
    Matrix<std::int64_t> ids = {};
    Matrix<float> scores = {};

    friend bool operator==(const Neighbors&, const Neighbors&) = default;
};

/// Collects the k best of a stream in amortised constant time per accepted entry.
class TopK {
public:
    explicit TopK(std::size_t k);
    TopK(std::size_t k, Neighbor limit);  ///< accepts entries smaller than `limit` only

    /// An entry that is not smaller need not be offered.
    const Neighbor& limit() const { return limit_; }

    /// Accepts entries smaller than `limit` only, from now on.
    void set_limit(Neighbor limit) { limit_ = limit; }

    void offer(Neighbor entry) {
        if (!(entry < limit_)) return;
        entries_.push_back(entry);
        if (entries_.size() >= room_) shrink();
    }

    /// How many entries are held: up to a few times k, until the worst are dropped.
    std::size_t size() const { return entries_.size(); }

    /// Lowers the limit to the score of the count-th best entry held, and drops what is larger.
    void tighten(std::size_t count);

    /// How many of the entries held are not larger than `entry`.
    std::size_t count_up_to(const Neighbor& entry) const;

    /// Best first; the collector is empty afterwards.
    std::vector<Neighbor> take();

    /// The same in any order.
    std::vector<Neighbor> take_unordered();

private:
    void shrink();
    float score_of_rank(std::size_t rank);
    void drop_larger(float score);

    std::size_t k_, room_;
    std::vector<Neighbor> entries_;  // fewer than the room, unordered; cut to the k best when there are as many
    Neighbor limit_{std::numeric_limits<float>::infinity(), std::numeric_limits<std::int64_t>::max()};
};

}  // namespace summand
