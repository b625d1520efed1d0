#include "index/collectors.h"

namespace summand {
namespace {

// The rank-th smallest value, counted from 1.
float smallest(std::vector<float>& values, std::size_t rank) {
    if (rank * 8 >= values.size()) return kernels().scan.ranked(values.data(), values.size(), rank, rank);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::partial_sort(values.begin(), last, values.end());  // one pass with a small heap
    return *(last - 1);
}

}  // namespace

void Nearest::estimate_limit(std::vector<float> sample, double fraction) {
    const std::size_t rank = likely_rank(fraction);
    if (rank >= sample.size()) return;
    estimate_ = {smallest(sample, std::min(rank, k_)), kLastId};
    top_ = TopK(k_, estimate_);
}

NearestAnswers::NearestAnswers(std::size_t rows, std::size_t columns)
    : found_{{rows, columns, kNoId}, {rows, columns, std::numeric_limits<float>::infinity()}} {}

void NearestAnswers::add(std::size_t row, Nearest& collector) {
    const std::vector<Neighbor> entries = collector.take();
    for (std::size_t j = 0; j < entries.size(); ++j) {
        found_.ids[row][j] = entries[j].id;
        found_.scores[row][j] = entries[j].score;
    }
}

RangeNeighbors RangeAnswers::finish() const {
    RangeNeighbors found{{0}, {}};
    for (const std::vector<Neighbor>& entries : rows_) {
        found.entries.insert(found.entries.end(), entries.begin(), entries.end());
        found.begin.push_back(found.entries.size());
    }
    return found;
}

}  // namespace summand
