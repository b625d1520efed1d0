#include "store/reservoir.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "model/transform.h"
#include "summand/half.h"

namespace summand {
namespace {

constexpr std::size_t kOneIn = 1000, kSmallestReservoir = 1000;

std::uint64_t hash_of(std::int64_t id) { return mix(static_cast<std::uint64_t>(id)); }

// The `count` numbers below `size` whose ids have the smallest hashes, in any order.
std::vector<std::size_t> smallest(std::span<const std::int64_t> ids, std::size_t count) {
    std::vector<std::size_t> kept(ids.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    if (count >= kept.size()) return kept;
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count), kept.end(),
                     [&](std::size_t a, std::size_t b) { return hash_of(ids[a]) < hash_of(ids[b]); });
    kept.resize(count);
    return kept;
}

}  // namespace

Reservoir reservoir_of(MatrixView<float> vectors, std::span<const std::int64_t> ids, Metric metric) {
    Reservoir result(vectors.columns());
    std::vector<std::uint16_t> halves(vectors.columns());
    for (const std::size_t i : smallest(ids, kLargestReservoir)) {
        std::vector<float> own(vectors.row(i), vectors.row(i + 1));
        if (metric == Metric::cosine && !scale_to_unit_length(own)) continue;
        std::transform(own.begin(), own.end(), halves.begin(), half_of);
        if (std::all_of(halves.begin(), halves.end(), is_finite_half)) result.add(ids[i], halves.data());
    }
    return result;
}

std::size_t reservoir_size(std::size_t vectors) {
    return std::min(vectors, std::clamp(vectors / kOneIn, kSmallestReservoir, kLargestReservoir));
}

void Reservoir::add(std::int64_t id, const std::uint16_t* halves) {
    ids_.push_back(id);
    halves_.insert(halves_.end(), halves, halves + dimensions_);
}

void Reservoir::add(const Reservoir& other, const std::function<bool(std::int64_t)>& wanted) {
    if (other.size() > 0) dimensions_ = other.dimensions_;
    for (std::size_t i = 0; i < other.size(); ++i)
        if (wanted(other.ids_[i])) add(other.ids_[i], other.row(i));
}

void Reservoir::shrink(std::size_t count) {
    std::vector<std::size_t> kept = smallest(ids_, count);
    std::sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return ids_[a] < ids_[b]; });
    Reservoir smaller(dimensions_);
    for (const std::size_t i : kept) smaller.add(ids_[i], row(i));
    *this = std::move(smaller);
}

}  // namespace summand
