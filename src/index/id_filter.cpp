#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "summand/error.h"
#include "summand/search.h"

namespace summand {
namespace {

constexpr std::size_t kWordIds = 64;

// A bitmap answers faster than a list; it may be so many times as large. Ids below kSmallBitmap take 128 KiB at most.
constexpr std::size_t kBitmapSize = 16;
constexpr std::size_t kSmallBitmap = std::size_t{1} << 20;

using Words = std::vector<std::uint64_t>;

std::size_t words_for(std::size_t ids) { return ids / kWordIds + (ids % kWordIds != 0); }

void require_id(std::int64_t id) { require(id >= 0, "filter: expected ids from 0 on, got ", id); }

void keep(std::size_t id, Words& words) { words[id / kWordIds] |= std::uint64_t{1} << id % kWordIds; }

void keep_range(std::size_t first, std::size_t last, Words& words) {
    if (first >= last) return;
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    const std::size_t begin = first / kWordIds, end = (last - 1) / kWordIds;
    const std::uint64_t from = kAll << first % kWordIds, until = kAll >> (kWordIds - 1 - (last - 1) % kWordIds);
    if (begin == end) {
        words[begin] |= from & until;
        return;
    }
    words[begin] |= from;
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(begin) + 1, words.begin() + static_cast<std::ptrdiff_t>(end),
              kAll);
    words[end] |= until;
}

bool is_dense(const std::vector<std::int64_t>& sorted) {
    const std::size_t words = words_for(static_cast<std::size_t>(sorted.empty() ? 0 : sorted.back()) + 1);
    return words <= kSmallBitmap / kWordIds || words / kBitmapSize <= sorted.size();
}

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

[[noreturn]] void refuse(const std::string& what, std::string_view part, const char* reason = "") {
    throw Error(concatenate(what, ": expected ids such as 7, 0-999 or 3000-, got '", part, "'", reason));
}

// Parses a number at the beginning of `text` and removes it.
bool take_number(std::string_view& text, std::int64_t& value) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

IdRange parse_range(const std::string& what, std::string_view part) {
    IdRange range;
    std::string_view rest = part;
    if (!take_number(rest, range.first)) refuse(what, part);
    range.last = range.first;
    if (rest.empty()) return range;
    if (!rest.starts_with('-')) refuse(what, part);
    rest.remove_prefix(1);
    range.last = std::numeric_limits<std::int64_t>::max();
    if (!rest.empty() && (!take_number(rest, range.last) || !rest.empty())) refuse(what, part);
    if (range.last < range.first) refuse(what, part, ", which ends before it begins");
    return range;
}

}  // namespace

// None of the parts may be empty between two commas.
std::vector<IdRange> parse_ranges(std::string_view text, const std::string& what) {
    constexpr std::string_view kBlanks = " \t\r\n", kSeparators = ", \t\r\n";
    std::vector<IdRange> ranges;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        const std::size_t end = std::min(text.find_first_of(kSeparators), text.size());
        if (end == 0 && text.empty() && !ranges.empty()) return ranges;
        ranges.push_back(parse_range(what, text.substr(0, end)));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.starts_with(',')) text.remove_prefix(1);
    }
}

std::size_t RowIds::row_from(std::int64_t id) const {
    if (!values.empty())
        return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), id) - values.begin());
    if (id <= first) return 0;
    return std::min(size, static_cast<std::size_t>(id) - static_cast<std::size_t>(first));
}

std::optional<std::size_t> RowIds::row_of(std::int64_t id) const {
    const std::size_t row = row_from(id);
    if (row == size || (*this)[row] != id) return std::nullopt;
    return row;
}

IdFilter IdFilter::range(std::int64_t first, std::int64_t last) {
    require_id(first);
    require(first <= last, "filter: expected a range with first <= last, got ", first, " and ", last);
    return first == last ? IdFilter(Ranges()) : IdFilter(Ranges{{first, last - 1}});
}

IdFilter IdFilter::ranges(std::vector<IdRange> given) {
    for (const IdRange& range : given) {
        require_id(range.first);
        require(range.first <= range.last, "filter: expected a range with first <= last, got ", range.first, " and ",
                range.last);
    }
    std::sort(given.begin(), given.end(), [](const IdRange& a, const IdRange& b) { return a.first < b.first; });
    Ranges joined;
    for (const IdRange& range : given) {
        const bool apart = joined.empty() || range.first - 1 > joined.back().last;
        if (apart)
            joined.push_back(range);
        else
            joined.back().last = std::max(joined.back().last, range.last);
    }
    return IdFilter(std::move(joined));
}

IdFilter IdFilter::list(std::span<const std::int64_t> ids) {
    List sorted(ids.begin(), ids.end());
    for (const std::int64_t id : sorted) require_id(id);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (!is_dense(sorted)) return IdFilter(std::move(sorted));
    Bitmap words(sorted.empty() ? 0 : static_cast<std::size_t>(sorted.back()) / kWordIds + 1);
    for (const std::int64_t id : sorted) keep(static_cast<std::size_t>(id), words);
    return IdFilter(std::move(words));
}

IdFilter IdFilter::bitmap(std::span<const std::uint8_t> bits) {
    Bitmap words((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) words[i / 8] |= std::uint64_t{bits[i]} << (i % 8 * 8);
    return IdFilter(std::move(words));
}

IdFilter IdFilter::where(std::size_t size, const std::function<bool(std::int64_t)>& keeps) {
    Bitmap words(words_for(size));
    for (std::size_t id = 0; id < size; ++id)
        if (keeps(static_cast<std::int64_t>(id))) keep(id, words);
    return IdFilter(std::move(words));
}

bool IdFilter::keeps(std::int64_t id) const {
    const Overloaded form{
        [&](const Ranges& ranges) {
            const auto after =
                std::upper_bound(ranges.begin(), ranges.end(), id,
                                 [](std::int64_t value, const IdRange& range) { return value < range.first; });
            return after != ranges.begin() && id <= std::prev(after)->last;
        },
        [&](const List& list) { return std::binary_search(list.begin(), list.end(), id); },
        [&](const Bitmap& words) {
            const auto bit = static_cast<std::size_t>(id);
            return id >= 0 && bit / kWordIds < words.size() && (words[bit / kWordIds] >> bit % kWordIds & 1) != 0;
        }};
    return std::visit(form, ids_);
}

std::span<const std::uint64_t> IdFilter::words(std::size_t size, std::vector<std::uint64_t>& room) const {
    if (const auto* bitmap = std::get_if<Bitmap>(&ids_)) return *bitmap;
    room.assign(words_for(size), 0);
    if (const auto* ranges = std::get_if<Ranges>(&ids_)) {
        for (const IdRange& range : *ranges)
            keep_range(static_cast<std::size_t>(range.first), std::min(size, static_cast<std::size_t>(range.last) + 1),
                       room);
        return room;
    }
    for (const std::int64_t id : std::get<List>(ids_)) {
        if (static_cast<std::size_t>(id) >= size) break;
        keep(static_cast<std::size_t>(id), room);
    }
    return room;
}

std::vector<std::uint64_t> IdFilter::words(const RowIds& ids) const {
    Words kept(words_for(ids.size));
    if (const auto* ranges = std::get_if<Ranges>(&ids_)) {
        for (const IdRange& range : *ranges) {
            const bool endless = range.last == std::numeric_limits<std::int64_t>::max();
            keep_range(ids.row_from(range.first), endless ? ids.size : ids.row_from(range.last + 1), kept);
        }
        return kept;
    }
    const auto* list = std::get_if<List>(&ids_);
    if (list && list->size() < ids.size) {
        for (const std::int64_t id : *list)
            if (const auto row = ids.row_of(id)) keep(*row, kept);
        return kept;
    }
    for (std::size_t row = 0; row < ids.size; ++row)
        if (keeps(ids[row])) keep(row, kept);
    return kept;
}

std::size_t IdFilter::memory_bytes() const {
    return std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, ids_);
}

}  // namespace summand
