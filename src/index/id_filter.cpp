#include <bit>

#include "summand/error.h"
#include "summand/flat_index.h"

namespace summand {
namespace {

constexpr std::int64_t kWordIds = 64;

void require_id(std::int64_t id) { require(id >= 0, "filter: expected ids from 0 on, got ", id); }

}  // namespace

void IdFilter::keep(std::int64_t id) {
    require_id(id);
    const auto word = static_cast<std::size_t>(id / kWordIds);
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (id % kWordIds);
}

IdFilter IdFilter::range(std::int64_t first, std::int64_t last) {
    require_id(first);
    require(first <= last, "filter: expected a range with first <= last, got ", first, " and ", last);
    IdFilter filter;
    filter.words_.resize(static_cast<std::size_t>((last + kWordIds - 1) / kWordIds));
    for (std::int64_t id = first; id < last; ++id) filter.keep(id);
    return filter;
}

IdFilter IdFilter::list(std::span<const std::int64_t> ids) {
    IdFilter filter;
    for (const std::int64_t id : ids) filter.keep(id);
    return filter;
}

IdFilter IdFilter::bitmap(std::span<const std::uint8_t> bits) {
    IdFilter filter;
    filter.words_.resize((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) filter.words_[i / 8] |= std::uint64_t{bits[i]} << (i % 8 * 8);
    return filter;
}

IdFilter IdFilter::where(std::size_t size, const std::function<bool(std::int64_t)>& keeps) {
    IdFilter filter;
    filter.words_.resize((size + kWordIds - 1) / kWordIds);
    for (std::int64_t id = 0; id < static_cast<std::int64_t>(size); ++id)
        if (keeps(id)) filter.keep(id);
    return filter;
}

bool IdFilter::keeps(std::int64_t id) const {
    return id >= 0 && (word(static_cast<std::size_t>(id / kWordIds)) >> (id % kWordIds) & 1) != 0;
}

}  // namespace summand
