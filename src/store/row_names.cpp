#include "store/row_names.h"

#include <algorithm>
#include <numeric>

#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kLongest = 1024;

// How many bytes the character at the front takes; 0: it is none of UTF-8, which has no longer form than needed, no
// surrogates and nothing beyond U+10FFFF.
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t bytes = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
    for (std::size_t i = 1; i < bytes; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
    return too_long || no_character ? 0 : bytes;
}

}  // namespace

std::optional<std::size_t> RowNames::row_of(std::string_view name) const {
    const auto found = std::lower_bound(order.begin(), order.end(), name, [&](std::uint64_t row, std::string_view one) {
        return (*this)[static_cast<std::size_t>(row)] < one;
    });
    if (found == order.end() || (*this)[static_cast<std::size_t>(*found)] != name) return std::nullopt;
    return static_cast<std::size_t>(*found);
}

KeptNames::KeptNames(std::span<const std::string> names) : begin(1, 0), order(names.size()) {
    for (const std::string& name : names) {
        text.insert(text.end(), name.begin(), name.end());
        begin.push_back(text.size());
    }
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return names[a] < names[b]; });
}

std::string problem_of(const RowNames& names) {
    const std::size_t rows = names.order.size();
    if (names.begin.size() != rows + 1 || names.begin.front() != 0 || names.begin.back() != names.text.size() ||
        !std::is_sorted(names.begin.begin(), names.begin.end()))
        return "section name_begin does not divide section names";
    for (std::size_t row = 0; row < rows; ++row)
        if (const char* problem = problem_of_name(names[row]))
            return concatenate("section names: row ", row, " ", problem);
    for (std::size_t i = 0; i < rows; ++i) {
        if (names.order[i] >= rows) return concatenate("section name_order names row ", names.order[i], " of ", rows);
        if (i > 0 && names[names.order[i - 1]] >= names[names.order[i]])
            return concatenate("section name_order is not in the order of names, or has one twice, at ", i);
    }
    return {};
}

const char* problem_of_name(std::string_view name) {
    if (name.empty()) return "has no name";
    if (name.size() > kLongest) return "has a name of more than 1,024 bytes";
    while (!name.empty()) {
        const std::size_t bytes = character_bytes(name);
        if (bytes == 0) return "has a name that is not UTF-8";
        const auto first = static_cast<unsigned char>(name[0]);
        if (first < 0x20 || first == 0x7f) return "has a name with a control character";
        name.remove_prefix(bytes);
    }
    return nullptr;
}

}  // namespace summand
