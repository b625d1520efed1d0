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

IdRange parse_range(const std::string& where, std::string_view part) {
    IdRange range;
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
std::vector<IdRange> parse_ranges(const std::string& where, std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n", kSeparators = ", \t\r\n";
    std::vector<IdRange> ranges;
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

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    require(file.good() && !std::filesystem::is_directory(path), path, ": cannot open for reading");
    return {std::istreambuf_iterator<char>(file), {}};
}

bool holds_ids(const std::string& path) {
    const auto ends = [&](const char* extension) { return path.ends_with(extension); };
    return ends(".ivecs") || ends(".ibin") || ends(".npy");
}

std::vector<IdRange> ranges_of_file(const std::string& path) {
    if (!holds_ids(path)) return parse_ranges(path, read_text(path));
    std::vector<IdRange> ranges;
    const Matrix<std::int64_t> ids = read_ids(path);
    for (const std::int64_t id : ids.values()) {
        require(id >= 0, path, ": expected ids from 0 on, got ", id);
        ranges.push_back({id, id});
    }
    return ranges;
}

}  // namespace

IdFilter parse_filter(const std::string& text) {
    return IdFilter::ranges(text.starts_with('@') ? ranges_of_file(text.substr(1)) : parse_ranges("--filter", text));
}

}  // namespace summand::cli
