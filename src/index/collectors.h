// What a scan keeps of the entries it is offered: the k best, or all within a radius. `index/batch_scan.h` draws when a
// scan calls which function.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "summand/flat_index.h"
#include "summand/neighbors.h"

namespace summand {

/// Fewer scores than that, or than twice the answers, tell too little about a limit.
inline constexpr std::size_t kManyScores = 128;

/// The k best of a query.
class Nearest {
public:
    explicit Nearest(std::size_t k) : k_(k), top_(k) {}
    Nearest(std::size_t k, Neighbor limit) : k_(k), top_(k, limit) {}

    /// Entries that are not smaller are not wanted.
    const Neighbor& limit() const { return top_.limit(); }
    void offer(Neighbor entry) { top_.offer(entry); }

    /// Call before offering `scores`. Sets the limit to the k-th smallest of them if there are many and no limit is
    /// known yet, so that most offers fail fast.
    void ensure_limit(const float* scores, std::size_t count) {
        if (count < std::max(2 * k_, kManyScores) || top_.limit().score < std::numeric_limits<float>::max()) return;
        top_.set_limit({kernels().scan.ranked(scores, count, k_, k_), kLastId});
    }

    /// Estimates the k-th smallest score of all vectors from `sample`, the scores of a fraction of them, and sets the
    /// limit to it. Nothing may have been offered before.
    void estimate_limit(std::vector<float> sample, double fraction);

    /// Estimates again, from the entries held: they are all that a fraction of the vectors has up to the limit.
    void tighten_limit(double fraction) {
        const std::size_t rank = likely_rank(fraction);
        if (rank >= std::min(k_, top_.size())) return;
        top_.tighten(rank);
        estimate_ = top_.limit();
    }

    /// Whether k entries lie below every limit that was estimated, so that no estimate has cost an answer.
    bool complete() const { return top_.count_up_to(estimate_) >= k_; }

    /// An empty collector with the same limit, for another range of the vectors.
    Nearest fork() const { return {k_, top_.limit()}; }

    /// Takes the entries of a fork, and its estimate if that is lower.
    void merge(Nearest& other) {
        estimate_ = std::min(estimate_, other.estimate_);
        for (const Neighbor& entry : other.take()) top_.offer(entry);
    }
    std::vector<Neighbor> take() { return top_.take(); }

private:
    static constexpr std::int64_t kLastId = std::numeric_limits<std::int64_t>::max();

    // A fraction of the vectors holds k·fraction of the k best, give or take a few. It holds more than this many for
    // one query in several hundred.
    std::size_t likely_rank(double fraction) const {
        const double expected = static_cast<double>(k_) * fraction;
        return static_cast<std::size_t>(expected + 2.5 * std::sqrt(expected) + 3);
    }

    std::size_t k_;
    TopK top_;
    Neighbor estimate_{std::numeric_limits<float>::infinity(), kLastId};
};

/// All entries of a query with a score below a radius, which is the limit from the start.
class Within {
public:
    explicit Within(float radius) : limit_{radius, std::numeric_limits<std::int64_t>::min()} {}

    const Neighbor& limit() const { return limit_; }
    void offer(Neighbor entry) {
        if (entry < limit_) entries_.push_back(entry);
    }
    void ensure_limit(const float*, std::size_t) {}
    void estimate_limit(const std::vector<float>&, double) {}
    void tighten_limit(double) {}
    bool complete() const { return true; }

    Within fork() const { return Within(limit_.score); }
    void merge(Within& other) { entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end()); }
    std::vector<Neighbor> take() {
        std::sort(entries_.begin(), entries_.end());
        return std::move(entries_);
    }

private:
    Neighbor limit_;
    std::vector<Neighbor> entries_;
};

/// The answers of many queries, each put into its row by `add`; threads may add to different rows at the same time.
class NearestAnswers {
public:
    /// A collector with fewer than `columns` entries leaves id -1 and score +infinity in the rest of its row.
    NearestAnswers(std::size_t rows, std::size_t columns);

    void add(std::size_t row, Nearest& collector);
    Neighbors finish() { return std::move(found_); }

private:
    Neighbors found_;
};

class RangeAnswers {
public:
    explicit RangeAnswers(std::size_t rows) : rows_(rows) {}

    void add(std::size_t row, Within& collector) { rows_[row] = collector.take(); }
    RangeNeighbors finish() const;

private:
    std::vector<std::vector<Neighbor>> rows_;
};

/// The answers of all collectors.
template <class Collector, class Answers>
auto finished(std::vector<Collector> collectors, Answers answers) {
    for (std::size_t i = 0; i < collectors.size(); ++i) answers.add(i, collectors[i]);
    return answers.finish();
}

}  // namespace summand
