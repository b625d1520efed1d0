// The index that fits some memory and finds most.
//
// Where there is room, codes of 8 bytes choose candidates and the vectors themselves, in some format, score them again:
// that finds nearly all. Else the bytes go to codes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "build/source.h"
#include "summand/build.h"
#include "summand/error.h"
#include "summand/half.h"
#include "summand/text.h"

namespace summand {
namespace {

constexpr std::size_t kWords = 256;
constexpr std::size_t kWorthCells = 200'000;        // fewer vectors are scanned in a fraction of a millisecond
constexpr std::size_t kWorthRefinedCells = 50'000;  // the same, where few candidates need be found
constexpr std::size_t kMostCells = 65'536, kOneLevel = 8'192, kGroups = 256;
constexpr std::size_t kLargestComposite = 16;         // bytes up to which encoding by LOCQ takes bearable time
constexpr std::size_t kSizes[] = {64, 32, 16, 8, 4};  // bytes per vector
constexpr std::size_t kLeastWithCells = 8;
constexpr std::size_t kBytesOfCandidates = 8;  // of a code that chooses candidates
constexpr std::size_t kManyDimensions = 256;   // from here on, tables of dense words take longer than the rest
constexpr std::size_t kBytesOfBlocks = 16;     // of a code that chooses candidates then
constexpr std::size_t kLookedAt = 1000;        // vectors that tell what values are like
constexpr double kSpareBytes = 64e6;           // of an index that is not told its memory

struct Choice {
    std::size_t cells = 0;  // 0: exhaustive
    std::size_t bytes = 0;  // of a code
    std::optional<RowFormat> rows = {};
};

struct Data {
    double vectors, dimensions;
    Metric metric;
    std::vector<RowFormat> formats;  // of rows, the most precise first
};

bool is_byte(float x) { return x >= 0 && x <= 255 && x == std::floor(x); }

// Whether every value of the base is a whole number up to 255. Other data say so in their first vectors.
bool holds_bytes(const VectorSource& base) {
    for (std::size_t first = 0, count = kLookedAt; first < base.rows; first += count, count = chunk_rows(base)) {
        const Matrix<float> chunk = base.read(first, std::min(count, base.rows - first));
        if (!std::all_of(chunk.values().begin(), chunk.values().end(), is_byte)) return false;
    }
    return true;
}

// Bytes keep whole numbers as they are. Halves order neighbours as well as floats do, where they reach far enough.
std::vector<RowFormat> formats_for(const VectorSource& base) {
    if (holds_bytes(base)) return {RowFormat::u8};
    const Matrix<float> some = sample_vectors(base, kLookedAt, 1);
    const bool halves = std::all_of(some.values().begin(), some.values().end(),
                                    [](float x) { return std::abs(x) <= kLargestHalf / 2; });
    return {halves ? RowFormat::fp16 : RowFormat::fp32, RowFormat::sq8};
}

// What the error along a vector is cannot be told from its residual; and tables of cells cost more than codes of
// residuals gain where candidates are scored again.
bool is_plain(const Choice& choice, const Data& data) { return choice.rows.has_value() || !is_distance(data.metric); }

// Words in blocks of dimensions, whose tables cost the same whatever the bytes.
bool is_block_code(const Choice& choice, const Data& data) {
    return choice.rows.has_value() && data.dimensions >= kManyDimensions;
}

// As FlatIndex and InvertedIndex count it, and the model.
double memory_of(const Choice& choice, const Data& data) {
    const auto M = static_cast<double>(choice.bytes), cells = static_cast<double>(choice.cells);
    const double codes = std::ceil(data.vectors / 512) * 512 * M;
    const double model = sizeof(float) * M * kWords * data.dimensions;
    const double ids = choice.cells > 0 ? sizeof(std::uint64_t) * (data.vectors + cells) : 0;
    const double tables = is_plain(choice, data) ? 0 : sizeof(float) * cells * M * kWords;
    const double rows =
        choice.rows
            ? data.vectors * static_cast<double>(row_bytes(*choice.rows, static_cast<std::size_t>(data.dimensions)))
            : 0;
    return codes + model + ids + tables + rows + sizeof(float) * cells * data.dimensions;
}

// About √N with a second layer, where choosing cells takes as long as looking at their codes; else about 4·√N.
std::size_t wanted_cells(std::size_t vectors, bool refined) {
    if (vectors < (refined ? kWorthRefinedCells : kWorthCells)) return 0;
    const double wanted = (refined ? 1 : 3) * std::sqrt(static_cast<double>(vectors));
    return std::min(kMostCells, std::bit_ceil(static_cast<std::size_t>(wanted)));
}

// The most precise rows that fit.
std::optional<Choice> with_rows(std::size_t vectors, const Data& data, double budget) {
    const std::size_t usual = data.dimensions >= kManyDimensions ? kBytesOfBlocks : kBytesOfCandidates;
    const std::size_t bytes = std::min(usual, static_cast<std::size_t>(data.dimensions));
    for (const RowFormat format : data.formats) {
        const Choice choice{wanted_cells(vectors, true), bytes, format};
        if (memory_of(choice, data) <= budget) return choice;
    }
    return std::nullopt;
}

// The most bytes per vector that fit: with cells, with fewer cells, without.
std::optional<Choice> largest_fit(std::size_t vectors, const Data& data, double budget) {
    for (std::size_t cells = wanted_cells(vectors, false); cells >= 256; cells /= 2)
        for (const std::size_t bytes : kSizes) {
            const Choice choice{cells, bytes};
            const double codes = static_cast<double>(vectors * bytes);
            const bool most_for_codes = memory_of(choice, data) < 4 * codes;
            if (bytes >= kLeastWithCells && static_cast<double>(bytes) <= data.dimensions && most_for_codes &&
                memory_of(choice, data) <= budget)
                return choice;
        }
    for (const std::size_t bytes : kSizes)
        if (static_cast<double>(bytes) <= data.dimensions && memory_of({0, bytes}, data) <= budget)
            return Choice{0, bytes};
    return std::nullopt;
}

bool is_composite(const Choice& choice, const Data& data) {
    return choice.bytes <= kLargestComposite && !is_block_code(choice, data);
}

std::string spec_of(const Choice& choice, const Data& data) {
    std::string code = is_composite(choice, data)
                           ? default_spec(data.metric, choice.bytes)
                           : concatenate(is_block_code(choice, data) ? "PQ" : "OPQ", choice.bytes);
    if (choice.rows) code += concatenate(",Refine(", name(*choice.rows), ")");
    if (choice.cells == 0) return code;
    std::vector<std::string> options;
    if (is_plain(choice, data) && (is_composite(choice, data) || choice.rows)) options.emplace_back("coding=plain");
    if (choice.cells > kOneLevel) options.push_back(concatenate("groups=", kGroups));
    std::string listed;
    for (const std::string& option : options) listed += (listed.empty() ? "(" : ",") + option;
    return concatenate("IVF", choice.cells, listed.empty() ? "" : listed + ")", ",", code);
}

std::string cells_reason(const Choice& choice, std::size_t vectors) {
    if (choice.cells > 0)
        return concatenate("cells   ", grouped(choice.cells), ": lists of about ", grouped(vectors / choice.cells),
                           " vectors, of which a search looks at a few");
    if (wanted_cells(vectors, choice.rows.has_value()) == 0)
        return concatenate("cells   none: all of ", grouped(vectors), " codes are scanned in no time");
    return "cells   none: ids take 8 bytes a vector, more than the budget leaves; every search scans all codes";
}

std::string method_reason(const Choice& choice, const Data& data) {
    if (is_block_code(choice, data))
        return concatenate("method  PQ: tables of dense words of ", data.dimensions,
                           " dimensions would take longer than the rest of a search");
    if (!is_composite(choice, data))
        return concatenate("method  OPQ: with more than ", kLargestComposite, " bytes others take long to encode");
    if (is_distance(data.metric)) return "method  LOCQ: the most accurate at equal bytes";
    return "method  CQ that weighs the error along a vector: the most accurate for inner products";
}

std::string rows_reason(const Choice& choice, const Data& data) {
    const std::string text =
        concatenate("rows    ", name(*choice.rows), ": candidates are scored again with the vectors");
    if (*choice.rows == RowFormat::u8) return text + ", whose values are whole numbers, in a byte each";
    if (*choice.rows == data.formats.front()) return text;
    Choice precise = choice;
    precise.rows = data.formats.front();
    return concatenate(text, "; ", name(*precise.rows), " would take ", bytes_text(memory_of(precise, data)));
}

// Also possible: the same with less.
std::string other_reason(const Choice& choice, const Data& data) {
    std::string text = "other   ";
    for (Choice less = choice; const RowFormat format : data.formats) {
        less.rows = format;
        if (memory_of(less, data) < memory_of(choice, data))
            text += concatenate(spec_of(less, data), " in ", bytes_text(memory_of(less, data)), ", ");
    }
    const Choice codes{choice.cells, choice.bytes};
    return concatenate(text, spec_of(codes, data), " in ", bytes_text(memory_of(codes, data)),
                       ", which finds about half");
}

std::string bytes_reason(const Choice& choice, const Data& data) {
    if (choice.rows) return concatenate("bytes   ", choice.bytes, " per vector, to choose candidates by");
    const std::string text = concatenate("bytes   ", choice.bytes, " per vector");
    const Choice next{choice.cells, 2 * choice.bytes};
    if (static_cast<double>(next.bytes) > data.dimensions || next.bytes > kSizes[0])
        return text + ": more would gain little";
    return concatenate(text, ": ", next.bytes, " would take ", bytes_text(memory_of(next, data)));
}

}  // namespace

double usual_memory(const VectorSource& base) {
    return sizeof(float) * static_cast<double>(base.rows) * static_cast<double>(base.columns) + kSpareBytes;
}

Proposal propose(const VectorSource& base, Metric metric, double memory_bytes) {
    require(base.rows > 0, base.name, ": expected at least one vector, got none");
    const Data data{static_cast<double>(base.rows), static_cast<double>(base.columns), metric, formats_for(base)};
    const std::size_t smallest = std::min<std::size_t>(kSizes[std::size(kSizes) - 1], base.columns);
    std::optional<Choice> fit = with_rows(base.rows, data, memory_bytes);
    if (!fit) fit = largest_fit(base.rows, data, memory_bytes);
    require(fit.has_value() || memory_of({0, smallest}, data) <= memory_bytes, base.name, ": ", grouped(base.rows),
            " vectors of ", base.columns, " dimensions take at least ", bytes_text(memory_of({0, smallest}, data)),
            " in ", smallest, " bytes each, got --memory of ", bytes_text(memory_bytes));
    const Choice choice = fit.value_or(Choice{0, smallest});
    const double used = memory_of(choice, data);
    Proposal proposal{spec_of(choice, data),
                      used,
                      {concatenate(base.name, ": ", grouped(base.rows), " vectors of ", base.columns, " dimensions, ",
                                   bytes_text(sizeof(float) * data.vectors * data.dimensions), " as float32"),
                       cells_reason(choice, base.rows), method_reason(choice, data), bytes_reason(choice, data)}};
    if (choice.rows) {
        proposal.reasons.push_back(rows_reason(choice, data));
        proposal.reasons.push_back(other_reason(choice, data));
    }
    proposal.reasons.push_back(
        concatenate("memory  about ", bytes_text(used), " of ", bytes_text(memory_bytes), " when it is searched"));
    proposal.reasons.push_back(concatenate("spec    ", proposal.spec));
    return proposal;
}

}  // namespace summand
