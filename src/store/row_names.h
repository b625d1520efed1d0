// Names of the rows of a segment, where ids are texts: a name for each row, and the rows in the order of their names.
//
//     begin   | 0 | 5 | 9 | …    n + 1 numbers      row i is named text[begin[i]] … text[begin[i + 1] - 1]
//     text    | alice | bob2 | …
//     order   | 1 | 0 | …        n rows, whose names ascend byte by byte
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace summand {

/// Borrowed, from a mapped file or from `KeptNames`; empty where ids are numbers.
struct RowNames {
    std::span<const std::uint64_t> begin = {};
    std::span<const char> text = {};
    std::span<const std::uint64_t> order = {};

    bool empty() const { return order.empty(); }
    std::string_view operator[](std::size_t row) const {
        return {text.data() + begin[row], static_cast<std::size_t>(begin[row + 1] - begin[row])};
    }
    std::optional<std::size_t> row_of(std::string_view name) const;  ///< none: no row has that name
};

struct KeptNames {
    KeptNames() = default;
    explicit KeptNames(std::span<const std::string> names);  ///< of the rows, each once

    RowNames view() const { return {begin, text, order}; }

    std::vector<std::uint64_t> begin = {};
    std::vector<char> text = {};
    std::vector<std::uint64_t> order = {};
};

/// What is wrong with them, so that nothing is read beyond them and each can be found; empty: nothing.
std::string problem_of(const RowNames& names);

/// What is wrong with a name: one has from 1 to 1,024 bytes of UTF-8 without control characters. Null: nothing.
const char* problem_of_name(std::string_view name);

}  // namespace summand
