// What a search is asked: how many answers, which ids, and how much work it may take. The same options for every kind
// of index; what a kind cannot use it refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "summand/execution.h"
#include "summand/neighbors.h"

namespace summand {

/// Ids from the first to the last one, both included.
struct IdRange {
    std::int64_t first = 0;
    std::int64_t last = 0;

    friend bool operator==(const IdRange&, const IdRange&) = default;
};

/// Ranges as users write them: 7, 0-999 or 3000- (all from 3000 on), separated by commas, blanks or ends of lines.
/// Throws `Error` that begins with `what` and names the part that is wrong.
std::vector<IdRange> parse_ranges(std::string_view text, const std::string& what = "filter");

/// The id of each row, ascending: `values`, or where that is empty so many ids from `first` on.
struct RowIds {
    std::int64_t first = 0;
    std::size_t size = 0;
    std::span<const std::int64_t> values = {};

    std::int64_t operator[](std::size_t row) const {
        return values.empty() ? first + static_cast<std::int64_t>(row) : values[row];
    }
    std::size_t row_from(std::int64_t id) const;               ///< the first with that id or a larger one; or `size`
    std::optional<std::size_t> row_of(std::int64_t id) const;  ///< none: the id is not there
};

/// The ids a search may return: row numbers of the base, or what an inverted index was given as ids, up to 2^63 - 1.
/// Ranges are kept as their ends, a list as sorted ids, or as a bitmap where that is about as small.
class IdFilter {
public:
    static IdFilter range(std::int64_t first, std::int64_t last);  ///< first <= id < last
    static IdFilter ranges(std::vector<IdRange> ranges);           ///< any order; they may overlap
    static IdFilter list(std::span<const std::int64_t> ids);       ///< any order
    static IdFilter bitmap(std::span<const std::uint8_t> bits);    ///< bit id%8 of byte id/8
    static IdFilter where(std::size_t size, const std::function<bool(std::int64_t)>& keeps);  ///< asked for id < size

    bool keeps(std::int64_t id) const;

    /// Bit i%64 of word i/64 says whether id i is kept, for ids below `size`; those past the last word are not.
    /// `room` holds the words where the filter is no bitmap.
    std::span<const std::uint64_t> words(std::size_t size, std::vector<std::uint64_t>& room) const;

    /// The same of rows: bit i says whether the id of row i is kept. The filter's own size plays no part.
    std::vector<std::uint64_t> words(const RowIds& ids) const;

    std::size_t memory_bytes() const;

private:
    using Ranges = std::vector<IdRange>;     // ascending, none touches the next
    using List = std::vector<std::int64_t>;  // ascending, each once
    using Bitmap = std::vector<std::uint64_t>;

    explicit IdFilter(std::variant<Ranges, List, Bitmap> ids) : ids_(std::move(ids)) {}

    std::variant<Ranges, List, Bitmap> ids_;
};

/// How vectors of visited lists are scored: from tables, or each from its sum of words and centre (slower; for
/// comparison).
enum class Scoring : std::uint8_t { tables, reconstruction };

inline constexpr std::size_t kDefaultProbes = 16;
inline constexpr std::size_t kReachCell = 8;  ///< the nearest cell whose distance `reach` is a multiple of

/// What a search may cost. Zero and empty: what the index says; where it says nothing, 16 cells, and 4·k candidates for
/// the second layer.
///
/// With `reach` each query visits as many cells as it needs: those whose centres are up to so many times as far from it
/// as the eighth nearest one, up to `probes` of them where that is given. A query among the vectors of a few cells
/// visits few, one between many cells visits many.
struct SearchParameters {
    std::size_t probes = 0;                  ///< cells to visit; those without vectors count
    float reach = 0;                         ///< at least 1, for distances and cells of one level; 0: no such limit
    std::size_t candidates = 0;              ///< instead: visit cells until their lists hold as many vectors
    std::optional<std::size_t> refine = {};  ///< candidates that the second layer scores, at least k; 0: none

    friend bool operator==(const SearchParameters&, const SearchParameters&) = default;
};

struct SearchOptions {
    std::size_t k = 10;
    std::size_t probes = 0;  ///< this and the next three as in SearchParameters
    float reach = 0;
    std::size_t candidates = 0;
    std::optional<std::size_t> refine = {};
    const IdFilter* filter = nullptr;  ///< borrowed; null keeps all
    Scoring scoring = Scoring::tables;
    Execution execution = {};

    SearchParameters parameters() const { return {probes, reach, candidates, refine}; }
    SearchOptions with(const SearchParameters& given) const {
        SearchOptions result = *this;
        result.probes = given.probes;
        result.reach = given.reach;
        result.candidates = given.candidates;
        result.refine = given.refine;
        return result;
    }
};

/// All neighbours within a radius. Query i has entries[begin[i]] … entries[begin[i+1]-1], best first.
struct RangeNeighbors {
    std::vector<std::size_t> begin = {};
    std::vector<Neighbor> entries = {};

    friend bool operator==(const RangeNeighbors&, const RangeNeighbors&) = default;
};

}  // namespace summand
