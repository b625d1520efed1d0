#include "filter_option.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "summand/error.h"
#include "summand/io.h"

namespace summand::cli {
namespace {

struct Range {
    std::int64_t first, last;  // both are kept
};

[[noreturn]] void refuse(const std::string& where, std::string_view part, const char* reason = "") {
    throw Error(concatenate(where, ": expected ids such as 7, 0-999 or 3000-, got '", part, "'", reason));
}

// Parses a number at the beginning of `text` and removes it.
bool take_number(std::string_view& text, std::int64_t& value) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

Range parse_range(const std::string& where, std::string_view part) {
    Range range{};
    std::string_view rest = part;
    if (!take_number(rest, range.first)) refuse(where, part);
    range.last = range.first;
    if (rest.empty()) return range;
    if (!rest.starts_with('-')) refuse(where, part);
    rest.remove_prefix(1);
    range.last = std::numeric_limits<std::int64_t>::max();
    if (!rest.empty() && (!take_number(rest, range.last) || !rest.empty())) refuse(where, part);
    if (range.last < range.first) refuse(where, part, ", which ends before it begins");
    return range;
}

// Parts without separators around them; none may be empty between two commas.
std::vector<Range> parse_ranges(const std::string& where, std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n", kSeparators = ", \t\r\n";
    std::vector<Range> ranges;
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        const std::size_t end = std::min(text.find_first_of(kSeparators), text.size());
        if (end == 0 && text.empty() && !ranges.empty()) return ranges;
        ranges.push_back(parse_range(where, text.substr(0, end)));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.starts_with(',')) text.remove_prefix(1);
    }
}

// Sorted, and joined where they touch.
std::vector<Range> joined(std::vector<Range> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    std::vector<Range> result;
    for (const Range& range : ranges)
        if (result.empty() || range.first > result.back().last)
            result.push_back(range);
        else
            result.back().last = std::max(result.back().last, range.last);
    return result;
}

IdFilter filter_of(std::vector<Range> ranges, std::int64_t end) {
    ranges = joined(std::move(ranges));
    std::erase_if(ranges, [end](const Range& range) { return range.first >= end; });
    if (ranges.empty()) return IdFilter::list({});
    for (Range& range : ranges) range.last = std::min(range.last, end - 1);
    if (ranges.size() == 1) return IdFilter::range(ranges.front().first, ranges.front().last + 1);
    const auto keeps = [&ranges](std::int64_t id) {
        const auto after = std::upper_bound(ranges.begin(), ranges.end(), id,
                                            [](std::int64_t value, const Range& range) { return value < range.first; });
        return after != ranges.begin() && id <= std::prev(after)->last;
    };
    return IdFilter::where(static_cast<std::size_t>(ranges.back().last) + 1, keeps);
}

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    require(file.good() && !std::filesystem::is_directory(path), path, ": cannot open for reading");
    return {std::istreambuf_iterator<char>(file), {}};
}

bool holds_ids(const std::string& path) {
    const auto ends = [&](const char* extension) { return path.ends_with(extension); };
    return ends(".ivecs") || ends(".ibin") || ends(".npy");
}

std::vector<Range> ranges_of_file(const std::string& path) {
    if (!holds_ids(path)) return parse_ranges(path, read_text(path));
    std::vector<Range> ranges;
    const Matrix<std::int64_t> ids = read_ids(path);
    for (const std::int64_t id : ids.values()) {
        require(id >= 0, path, ": expected ids from 0 on, got ", id);
        ranges.push_back({id, id});
    }
    return ranges;
}

}  // namespace

IdFilter parse_filter(const std::string& text, std::int64_t end) {
    return filter_of(text.starts_with('@') ? ranges_of_file(text.substr(1)) : parse_ranges("--filter", text), end);
}

}  // namespace summand::cli
