// What a scan keeps of the entries it is offered: the k best, or all within a radius.
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

/// The k best of a query.
class Nearest {
public:
    explicit Nearest(std::size_t k) : k_(k), top_(k) {}
    Nearest(std::size_t k, Neighbor limit) : k_(k), top_(k, limit) {}

    const Neighbor& limit() const { return top_.limit(); }
    void offer(Neighbor entry) { top_.offer(entry); }

    /// These scores are going to be offered: where they are many and there is no limit yet, the k-th of them is one.
    void expect(const float* scores, std::size_t count) {
        if (count < std::max(2 * k_, kManyScores) || top_.limit().score < std::numeric_limits<float>::max()) return;
        top_.set_limit({kernels().scan.ranked(scores, count, k_), kLastId});
    }

    /// `sample`: scores of a fraction of all vectors, none of which was offered.
    void guess(std::vector<float> sample, double fraction);

    /// The same from what was offered: all up to the limit of a fraction of the vectors.
    void guess_again(double fraction) {
        const std::size_t rank = likely_rank(fraction);
        if (rank >= std::min(k_, top_.size())) return;
        top_.cut(rank);
        guessed_ = top_.limit();
    }

    /// Nothing is missing up to the smallest limit that was guessed.
    bool complete() const { return top_.count_up_to(guessed_) >= k_; }

    Nearest heir() const { return {k_, top_.limit()}; }
    void absorb(Nearest& other) {
        guessed_ = std::min(guessed_, other.guessed_);
        for (const Neighbor& entry : other.take()) top_.offer(entry);
    }
    std::vector<Neighbor> take() { return top_.take(); }
    std::vector<Neighbor> take_unordered() { return top_.take_unordered(); }

private:
    static constexpr std::size_t kManyScores = 128;
    static constexpr std::int64_t kLastId = std::numeric_limits<std::int64_t>::max();

    // Of a fraction of the vectors, k·fraction are among the k best, give or take a few: this many are for one query in
    // several hundred.
    std::size_t likely_rank(double fraction) const {
        const double expected = static_cast<double>(k_) * fraction;
        return static_cast<std::size_t>(expected + 2.5 * std::sqrt(expected) + 3);
    }

    std::size_t k_;
    TopK top_;
    Neighbor guessed_{std::numeric_limits<float>::infinity(), kLastId};
};

/// All entries of a query with a score below a radius.
class Within {
public:
    explicit Within(float radius) : limit_{radius, std::numeric_limits<std::int64_t>::min()} {}

    const Neighbor& limit() const { return limit_; }
    void offer(Neighbor entry) {
        if (entry < limit_) entries_.push_back(entry);
    }
    void expect(const float*, std::size_t) {}
    void guess(const std::vector<float>&, double) {}
    void guess_again(double) {}
    bool complete() const { return true; }

    Within heir() const { return Within(limit_.score); }
    void absorb(Within& other) { entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end()); }
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
    enum class Order : std::uint8_t { best_first, any };

    /// What a collector lacks of `columns` answers stays id -1 and score +infinity.
    NearestAnswers(std::size_t rows, std::size_t columns, Order order = Order::best_first);

    void add(std::size_t row, Nearest& collector);
    Neighbors finish() { return std::move(found_); }

private:
    Neighbors found_;
    Order order_;
};

class RangeAnswers {
public:
    explicit RangeAnswers(std::size_t rows) : rows_(rows) {}

    void add(std::size_t row, Within& collector) { rows_[row] = collector.take(); }
    RangeNeighbors finish() const;

private:
    std::vector<std::vector<Neighbor>> rows_;
};

/// Those of all collectors.
template <class Collector, class Answers>
auto finished(std::vector<Collector> collectors, Answers answers) {
    for (std::size_t i = 0; i < collectors.size(); ++i) answers.add(i, collectors[i]);
    return answers.finish();
}

}  // namespace summand
