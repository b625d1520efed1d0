#include "index/query_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr double kMostLimit = 254;   // sums saturate at 255
constexpr double kLeastLimit = 208;  // below it, tables are quantised anew for a finer step
constexpr double kLargestScale = 1e30;
constexpr double kRoundedUp = 1 + 0x1p-20;  // an excess and its product with the scale round a few times by 2⁻²⁴

std::size_t bounds_per_plane(BoundForm form) { return form == BoundForm::bytes ? kByteSlots : kNibbleBounds; }

// Bounds of a pair of dictionaries for each value of a byte.
void pair_up(const float* low, const float* high, float* out) {
    for (std::size_t h = 0; h < kNibbleSlots; ++h)
        for (std::size_t l = 0; l < kNibbleSlots; ++l) out[h * kNibbleSlots + l] = low[l] + high[h];
}

// The smallest excess of each group of 16, in the high half of the bounds of a plane.
void group_minima(const float* excess, float* out) {
    std::fill_n(out, kNibbleSlots, 0.0f);
    for (std::size_t g = 0; g < kNibbleSlots; ++g)
        out[kNibbleSlots + g] = *std::min_element(excess + g * kNibbleSlots, excess + (g + 1) * kNibbleSlots);
}

}  // namespace

QueryBounds::QueryBounds(const PackedCodes& codes, const float* entries, float offset)
    : form_(kernels().scan.form),
      bounds_(codes.planes() * bounds_per_plane(form_)),
      excess_(bounds_),
      bounds_table_(bounds_),
      tables_{bounds_table_.data(), codes.planes(), codes.pair_planes(), 0},
      base_(offset),
      magnitude_(std::abs(offset)),
      largest_(std::abs(offset)),
      rounding_(static_cast<double>(codes.dictionaries() + 2) * 0x1p-24) {
    add_entries(codes, entries);
}

void QueryBounds::add_minimum(ValueRange range) {
    base_ += range.smallest;
    magnitude_ += std::abs(range.smallest);
    largest_ += std::max(std::abs(range.smallest), std::abs(range.largest));
}

void QueryBounds::add_entries(const PackedCodes& codes, const float* entries) {
    const auto& scan = kernels().scan;
    const std::size_t per_plane = bounds_per_plane(form_);
    alignas(kCacheLine) float values[kByteSlots];
    for (std::size_t p = 0; p < codes.planes(); ++p) {
        float* out = excess_.data() + p * per_plane;
        if (p < codes.pair_planes()) {
            float* pair = form_ == BoundForm::bytes ? values : out;
            std::fill_n(pair + kNibbleSlots, kNibbleSlots, 0.0f);
            add_minimum(scan.excess(entries + 2 * p * kNibbleSlots, kNibbleSlots, pair));
            if (2 * p + 1 < codes.dictionaries())
                add_minimum(scan.excess(entries + (2 * p + 1) * kNibbleSlots, kNibbleSlots, pair + kNibbleSlots));
            if (form_ == BoundForm::bytes) pair_up(pair, pair + kNibbleSlots, out);
        } else {
            const float* own = p < codes.code_planes() ? entries + p * kByteSlots : codes.parts().bias_levels.data();
            add_minimum(scan.excess(own, kByteSlots, form_ == BoundForm::bytes ? out : values));
            if (form_ == BoundForm::nibbles) group_minima(values, out);
        }
    }
}

void QueryBounds::quantise(double reach) {
    scale_ = static_cast<float>(std::min(kMostLimit / kRoundedUp / reach, kLargestScale));
    kernels().scan.quantise(excess_.data(), bounds_, static_cast<float>(scale_), bounds_table_.data());
}

void QueryBounds::keep_all() {
    std::fill_n(bounds_table_.data(), bounds_, std::uint8_t{0});
    tables_.limit = 0;
    scale_ = 0;
}

bool QueryBounds::set_limit(float score) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    if (score >= kLargest || largest_ >= kLargest / 2) {  // no limit, or sums that may overflow
        if (scale_ != 0) keep_all();
        return true;
    }
    const double reach = (score - base_ + rounding_ * magnitude_) / (1 - rounding_);
    if (reach < 0) return false;
    const double limit = reach * scale_ * kRoundedUp;
    if (limit < kLeastLimit || limit > kMostLimit) quantise(reach);
    tables_.limit = static_cast<std::uint8_t>(reach * scale_ * kRoundedUp);
    return true;
}

}  // namespace summand
