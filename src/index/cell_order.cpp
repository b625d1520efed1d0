#include "index/cell_order.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "index/sorted.h"
#include "math/smallest.h"

namespace summand {
namespace {

// Counts what has been taken.
class Quota {
public:
    Quota(const ListParts& lists, const ProbeLimit& limit) : lists_(lists), limit_(limit) {}

    bool filled() const { return limit_.candidates > 0 ? vectors_ >= limit_.candidates : cells_ >= limit_.probes; }
    void take(std::uint32_t cell) {
        ++cells_;
        if (limit_.candidates > 0) vectors_ += lists_.length(cell);
    }

private:
    const ListParts& lists_;
    const ProbeLimit& limit_;
    std::size_t cells_ = 0, vectors_ = 0;
};

// The `count` best, sorted, of all from `sorted` on.
void sort_best(std::vector<Probe>& all, std::size_t sorted, std::size_t count) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), sorted + count));
    if (last != all.end()) std::nth_element(first, last, all.end());
    std::sort(first, last);
}

std::vector<Probe> words_of(const WordScores& words, std::size_t dictionary) {
    std::vector<Probe> all(words.words);
    const float* scores = words.scores + dictionary * words.stride;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = {static_cast<std::uint32_t>(k), scores[k]};
    return all;
}

// The largest score of a cell within reach.
float score_in_reach(const float* scores, std::size_t count, float reach, float square) {
    const float nearest =
        kernels().scan.ranked(scores, count, std::min(count, kReachCell), std::min(count, kReachCell));
    return std::max(nearest, reach * reach * std::max(0.0f, nearest + square) - square);
}

SomeValues some_cells(const float* scores, std::size_t count, const ProbeLimit& limit, float square) {
    if (limit.reach > 0) return values_up_to(score_in_reach(scores, count, limit.reach, square), scores, count);
    return some_smallest(scores, count, limit.candidates > 0 ? count : limit.probes);
}

// Cells of one dictionary that include all that are visited. number(i) is the cell of score i.
template <class Number>
std::vector<Probe> chosen(const float* scores, std::size_t count, const ProbeLimit& limit, float square,
                          Number number) {
    const SomeValues some = some_cells(scores, count, limit, square);
    std::vector<Probe> best(some.count);
    for (std::size_t i = 0; i < some.count; ++i) best[i] = {number(some.numbers[i]), some.values[i]};
    return best;
}

// Sorted from the front as far as it was asked for.
class SortedWords {
public:
    explicit SortedWords(std::vector<Probe> words) : all_(std::move(words)) {}

    std::size_t size() const { return all_.size(); }
    const Probe& operator[](std::size_t i) {
        while (i >= sorted_) {
            const std::size_t more = std::max<std::size_t>(kFirst, sorted_);
            sort_best(all_, sorted_, more);
            sorted_ = std::min(all_.size(), sorted_ + more);
        }
        return all_[i];
    }

private:
    static constexpr std::size_t kFirst = 32;
    std::vector<Probe> all_;
    std::size_t sorted_ = 0;
};

std::vector<Probe> nearest_of(std::vector<Probe> some, const ListParts& lists, const ProbeLimit& limit) {
    if (limit.candidates == 0) {
        std::vector<Probe> found = sorted(std::move(some));
        if (limit.probes > 0) found.resize(std::min(found.size(), limit.probes));
        return found;
    }
    SortedWords words(std::move(some));
    std::vector<Probe> found;
    Quota quota(lists, limit);
    for (std::size_t i = 0; i < words.size() && !quota.filled(); ++i) {
        found.push_back(words[i]);
        quota.take(words[i].cell);
    }
    return found;
}

// A pair of places in the two sorted lists; the heap has the smallest sum on top.
struct Place {
    float score;
    std::uint32_t first, second;

    friend bool operator<(const Place& a, const Place& b) { return a.score > b.score; }
};

// Yields pairs in the order of their sums. A pair may come next once both its predecessors have come. As the pairs of a
// row come in order, the number of them that have come says so.
class MultiSequence {
public:
    explicit MultiSequence(const WordScores& words)
        : first_(words_of(words, 0)), second_(words_of(words, 1)), words_(words.words), taken_(words.words) {
        push(0, 0);
    }

    bool done() const { return heap_.empty(); }

    // Takes all pairs with the smallest remaining sum, in the order of cells.
    std::vector<Probe> next() {
        std::vector<Probe> equal;
        const float score = heap_.top().score;
        while (!heap_.empty() && heap_.top().score == score) {
            const Place place = heap_.top();
            heap_.pop();
            equal.push_back({cell_of(place), score});
            ++taken_[place.first];
            if (place.first + 1 < words_ && taken_[place.first + 1] == place.second)
                push(place.first + 1, place.second);
            if (place.second + 1 < words_ && (place.first == 0 || taken_[place.first - 1] > place.second + 1))
                push(place.first, place.second + 1);
        }
        std::sort(equal.begin(), equal.end());
        return equal;
    }

private:
    void push(std::uint32_t i, std::uint32_t j) { heap_.push({first_[i].score + second_[j].score, i, j}); }
    std::uint32_t cell_of(const Place& place) {
        return first_[place.first].cell * static_cast<std::uint32_t>(words_) + second_[place.second].cell;
    }

    SortedWords first_, second_;
    std::size_t words_;
    std::vector<std::uint32_t> taken_;  // of each row, from its first pair on
    std::priority_queue<Place> heap_;
};

std::vector<Probe> nearest_pairs(const WordScores& words, const ListParts& lists, const ProbeLimit& limit) {
    MultiSequence sequence(words);
    std::vector<Probe> found;
    Quota quota(lists, limit);
    while (!sequence.done() && !quota.filled())
        for (const Probe& probe : sequence.next()) {
            if (quota.filled()) break;
            found.push_back(probe);
            quota.take(probe.cell);
        }
    return found;
}

}  // namespace

std::vector<Probe> nearest_cells(const WordScores& words, const ListParts& lists, const ProbeLimit& limit,
                                 float square) {
    if (words.count == 2) return nearest_pairs(words, lists, limit);
    const auto same = [](std::size_t k) { return static_cast<std::uint32_t>(k); };
    return nearest_of(chosen(words.scores, words.words, limit, square, same), lists, limit);
}

std::vector<Probe> nearest_cells(const ScoredCells& some, const ListParts& lists, const ProbeLimit& limit) {
    const auto cell = [&](std::size_t i) { return some.cells[i]; };
    return nearest_of(chosen(some.scores.data(), some.scores.size(), limit, 0, cell), lists, limit);
}

}  // namespace summand
