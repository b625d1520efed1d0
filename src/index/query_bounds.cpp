#include "index/query_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr double kMostLimit = 254;                           // sums saturate at 255
constexpr double kLeastLimit = 208;                          // below it, tables are quantised anew for a finer step
constexpr double kMostOfQuartets = 0.5, kMostOfTwins = 0.7;  // candidates, of all words of 64 vectors: else a first
                                                             // look costs more than it saves
constexpr unsigned kTrialInterval = 16;
constexpr double kLargestScale = 1e30;
constexpr double kRoundedUp = 1 + 0x1p-20;  // an excess and its product with the scale round a few times by 2⁻²⁴

std::size_t bounds_per_plane(BoundForm form) { return form == BoundForm::bytes ? kByteSlots : kNibbleBounds; }

}  // namespace

QueryBounds::QueryBounds(const PackedCodes& codes)
    : codes_(&codes),
      form_(kernels().scan.form),
      nibble_excess_(form_ == BoundForm::nibbles ? codes.planes() * kNibbleBounds : 0),
      bounds_(codes.planes() * bounds_per_plane(form_)),
      tables_{bounds_.data(), codes.pair_planes(), 0, FirstLook::quartets},
      rounding_(static_cast<double>(codes.dictionaries() + 2) * 0x1p-24) {}

QueryBounds::QueryBounds(const PackedCodes& codes, const float* entries, float offset) : QueryBounds(codes) {
    reset(entries, offset);
}

void QueryBounds::reset(const float* entries, float offset) {
    entries_ = entries;
    tables_added_ = 0;
    offset_ = offset;
    all_ = {};
    for (std::size_t m = 0; m < codes_->dictionaries(); ++m)
        add_table(entries + m * codes_->slot_count(), codes_->slot_count());
    words_ = all_;
    add_levels();
    if (form_ == BoundForm::nibbles) write_nibble_excess();
}

void QueryBounds::change_levels(const PackedCodes& codes) {
    codes_ = &codes;
    if (!codes.has_bias()) return;
    tables_added_ = codes.dictionaries();
    all_ = words_;
    add_levels();
    if (form_ == BoundForm::nibbles) write_nibble_excess(codes.code_planes());
}

void QueryBounds::add_levels() {
    scale_ = -1;
    if (codes_->has_bias()) add_table(codes_->parts().bias_levels.data(), kByteSlots);
}

void QueryBounds::add_table(const float* values, std::size_t slots) {
    const ValueRange range = kernels().scan.range(values, slots);
    smallest_[tables_added_++] = range.smallest;
    all_.base += range.smallest;
    all_.magnitude += std::abs(range.smallest);
    all_.largest += std::max(std::abs(range.smallest), std::abs(range.largest));
}

QueryBounds::ByteTable QueryBounds::byte_table(std::size_t plane) const {
    if (plane < codes_->code_planes()) return {entries_ + plane * kByteSlots, smallest_[plane]};
    return {codes_->parts().bias_levels.data(), smallest_[codes_->dictionaries()]};
}

void QueryBounds::write_nibble_excess() {
    std::fill_n(nibble_excess_.data(), bounds_.size(), 0.0f);
    for (std::size_t m = 0; m < (codes_->pairs() ? codes_->dictionaries() : 0); ++m)
        for (std::size_t s = 0; s < kNibbleSlots; ++s)
            nibble_excess_[m * kNibbleSlots + s] = entries_[m * kNibbleSlots + s] - smallest_[m];
    for (std::size_t p = codes_->pair_planes(); p < codes_->planes(); ++p) write_nibble_excess(p);
}

void QueryBounds::write_nibble_excess(std::size_t plane) {
    const ByteTable table = byte_table(plane);
    for (std::size_t g = 0; g < kNibbleSlots; ++g) {
        float smallest = table.values[g];
        for (std::size_t s = g; s < kByteSlots; s += kNibbleSlots) smallest = std::min(smallest, table.values[s]);
        nibble_excess_[plane * kNibbleBounds + g] = smallest - table.smallest;
    }
}

void QueryBounds::quantise_bytes(float scale) {
    for (std::size_t p = 0; p < codes_->pair_planes(); ++p) {
        alignas(kCacheLine) float sums[kByteSlots];
        const bool single = 2 * p + 1 == codes_->dictionaries();
        const float* low = entries_ + 2 * p * kNibbleSlots;
        for (std::size_t h = 0; h < kNibbleSlots; ++h) {
            const float high = single ? 0.0f : low[kNibbleSlots + h] - smallest_[2 * p + 1];
            for (std::size_t l = 0; l < kNibbleSlots; ++l)
                sums[h * kNibbleSlots + l] = (low[l] - smallest_[2 * p]) + high;
        }
        kernels().scan.quantise(sums, kByteSlots, 0.0f, scale, bounds_.data() + p * kByteSlots);
    }
    for (std::size_t p = codes_->pair_planes(); p < codes_->planes(); ++p) {
        const ByteTable table = byte_table(p);
        kernels().scan.quantise(table.values, kByteSlots, table.smallest, scale, bounds_.data() + p * kByteSlots);
    }
}

void QueryBounds::quantise(double reach) {
    const auto scale = static_cast<float>(std::min(kMostLimit / kRoundedUp / reach, kLargestScale));
    if (form_ == BoundForm::bytes)
        quantise_bytes(scale);
    else
        kernels().scan.quantise(nibble_excess_.data(), bounds_.size(), 0.0f, scale, bounds_.data());
    scale_ = scale;
}

void QueryBounds::keep_all() {
    std::fill_n(bounds_.data(), bounds_.size(), std::uint8_t{0});
    tables_.limit = 0;
    scale_ = 0;
}

// Replaces a look that leaves too many candidates by a closer one, for a while.
void QueryBounds::choose_first_look(const SurvivorCount& count, std::size_t blocks) {
    FirstLook& look = tables_.look;
    const double most =
        (look == FirstLook::quartets ? kMostOfQuartets : kMostOfTwins) * static_cast<double>(blocks * kBlockWords);
    if (look != FirstLook::own && static_cast<double>(count.candidates) > most) {
        look = look == FirstLook::quartets ? FirstLook::twins : FirstLook::own;
        until_trial_ = kTrialInterval;
    } else if (until_trial_ > 0 && --until_trial_ == 0) {
        look = look == FirstLook::own ? FirstLook::twins : FirstLook::quartets;
        until_trial_ = look == FirstLook::quartets ? 0 : kTrialInterval;
    }
}

bool QueryBounds::set_limit(float score) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    const double offset = offset_, size = std::abs(offset);
    if (score >= kLargest || size + all_.largest >= kLargest / 2) {  // no limit, or sums that may overflow
        if (scale_ != 0) keep_all();
        return true;
    }
    const double reach = (score - (offset + all_.base) + rounding_ * (size + all_.magnitude)) / (1 - rounding_);
    if (reach < 0) return false;
    const double limit = reach * scale_ * kRoundedUp;
    if (limit < kLeastLimit || limit >= kMostLimit + 1) quantise(reach);
    tables_.limit = static_cast<std::uint8_t>(reach * scale_ * kRoundedUp);
    return true;
}

}  // namespace summand
