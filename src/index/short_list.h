// Candidates for a second layer: the k best places by the scores of the first, in any order. A collector as those of
// index/collectors.h that takes scored vectors many at a time: what a kernel left below the limit is appended, and cut
// to the k best by kernels again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/aligned.h"
#include "index/list_parts.h"
#include "summand/neighbors.h"

namespace summand {

class ShortList {
public:
    /// `lists`: where the places are; borrowed. Null: the smaller place comes first.
    explicit ShortList(std::size_t k, const ListParts* lists = nullptr);

    /// Entries with a larger score are not wanted. Equal scores are told apart by the place that one index would have
    /// first.
    Neighbor limit() const { return {limit_, std::numeric_limits<std::int64_t>::max()}; }

    void offer(Neighbor entry) {
        const std::uint32_t none = 0;
        offer(static_cast<std::size_t>(entry.id), &none, &entry.score, 1);
    }

    /// Vectors at `first` + vectors[i].
    void offer(std::size_t first, const std::uint32_t* vectors, const float* scores, std::size_t count);

    /// As of `Nearest`.
    void ensure_limit(const float* scores, std::size_t count);

    ShortList fork() const { return ShortList(k_, lists_); }

    /// Leaves the k best, or fewer where fewer came.
    void finish() { cut(k_); }
    std::span<const std::uint32_t> places() const { return {places_.data(), size_}; }
    std::span<const float> scores() const { return {scores_.data(), size_}; }

private:
    void cut(std::size_t last);
    void drop_ties();

    std::size_t k_, size_ = 0;
    const ListParts* lists_;
    AlignedBuffer<float> scores_;
    AlignedBuffer<std::uint32_t> places_;
    float limit_ = std::numeric_limits<float>::infinity();
};

}  // namespace summand
