// The index that fits some memory and finds most.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "summand/build.h"
#include "summand/error.h"
#include "summand/text.h"

namespace summand {
namespace {

constexpr std::size_t kWords = 256;
constexpr std::size_t kWorthCells = 200'000;  // fewer vectors are scanned in a fraction of a millisecond
constexpr std::size_t kMostCells = 65'536, kOneLevel = 8'192, kGroups = 256;
constexpr std::size_t kLargestComposite = 16;         // bytes up to which encoding by LOCQ takes bearable time
constexpr std::size_t kSizes[] = {64, 32, 16, 8, 4};  // bytes per vector
constexpr std::size_t kLeastWithCells = 8;

struct Choice {
    std::size_t cells = 0;  // 0: exhaustive
    std::size_t bytes = 0;  // of a code
};

struct Data {
    double vectors, dimensions;
    Metric metric;
};

// As FlatIndex and InvertedIndex count it, and the model.
double memory_of(const Choice& choice, const Data& data) {
    const auto M = static_cast<double>(choice.bytes), cells = static_cast<double>(choice.cells);
    const double codes = std::ceil(data.vectors / 512) * 512 * M;
    const double model = sizeof(float) * M * kWords * data.dimensions;
    const double ids = choice.cells > 0 ? sizeof(std::uint64_t) * (data.vectors + cells) : 0;
    const double tables = is_distance(data.metric) ? sizeof(float) * cells * M * kWords : 0;
    return codes + model + ids + tables + sizeof(float) * cells * data.dimensions;
}

// About 4·√N, so that a list holds about √N/4 vectors.
std::size_t wanted_cells(std::size_t vectors) {
    if (vectors < kWorthCells) return 0;
    return std::min(kMostCells, std::bit_ceil(static_cast<std::size_t>(3 * std::sqrt(static_cast<double>(vectors)))));
}

// The most bytes per vector that fit: with cells, with fewer cells, without.
std::optional<Choice> largest_fit(std::size_t vectors, const Data& data, double budget) {
    for (std::size_t cells = wanted_cells(vectors); cells >= 256; cells /= 2)
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

bool is_composite(const Choice& choice) { return choice.bytes <= kLargestComposite; }

// What the error along a vector is cannot be told from its residual.
std::string spec_of(const Choice& choice, const Data& data) {
    std::string code =
        is_composite(choice) ? default_spec(data.metric, choice.bytes) : concatenate("OPQ", choice.bytes);
    if (choice.cells == 0) return code;
    std::vector<std::string> options;
    if (is_composite(choice) && !is_distance(data.metric)) options.emplace_back("coding=plain");
    if (choice.cells > kOneLevel) options.push_back(concatenate("groups=", kGroups));
    std::string listed;
    for (const std::string& option : options) listed += (listed.empty() ? "(" : ",") + option;
    return concatenate("IVF", choice.cells, listed.empty() ? "" : listed + ")", ",", code);
}

std::string cells_reason(const Choice& choice, std::size_t vectors) {
    if (choice.cells > 0)
        return concatenate("cells   ", grouped(choice.cells), ": lists of about ", grouped(vectors / choice.cells),
                           " vectors, of which a search looks at a few");
    if (vectors < kWorthCells)
        return concatenate("cells   none: all of ", grouped(vectors), " codes are scanned in no time");
    return "cells   none: ids take 8 bytes a vector, more than the budget leaves; every search scans all codes";
}

std::string method_reason(const Choice& choice, const Data& data) {
    if (!is_composite(choice))
        return concatenate("method  OPQ: with more than ", kLargestComposite, " bytes others take long to encode");
    if (is_distance(data.metric)) return "method  LOCQ: the most accurate at equal bytes";
    return "method  CQ that weighs the error along a vector: the most accurate for inner products";
}

std::string bytes_reason(const Choice& choice, const Data& data) {
    const std::string text = concatenate("bytes   ", choice.bytes, " per vector");
    const Choice next{choice.cells, 2 * choice.bytes};
    if (static_cast<double>(next.bytes) > data.dimensions || next.bytes > kSizes[0])
        return text + ": more would gain little";
    return concatenate(text, ": ", next.bytes, " would take ", bytes_text(memory_of(next, data)));
}

}  // namespace

Proposal propose(const VectorSource& base, Metric metric, double memory_bytes) {
    const Data data{static_cast<double>(base.rows), static_cast<double>(base.columns), metric};
    const std::size_t smallest = std::min<std::size_t>(kSizes[std::size(kSizes) - 1], base.columns);
    const std::optional<Choice> fit = largest_fit(base.rows, data, memory_bytes);
    require(fit.has_value() || memory_of({0, smallest}, data) <= memory_bytes, base.name, ": ", grouped(base.rows),
            " vectors of ", base.columns, " dimensions take at least ", bytes_text(memory_of({0, smallest}, data)),
            " in ", smallest, " bytes each, got --memory of ", bytes_text(memory_bytes));
    const Choice choice = fit.value_or(Choice{0, smallest});
    const double used = memory_of(choice, data);
    return {spec_of(choice, data),
            used,
            {concatenate(base.name, ": ", grouped(base.rows), " vectors of ", base.columns, " dimensions, ",
                         bytes_text(sizeof(float) * data.vectors * data.dimensions), " as float32"),
             cells_reason(choice, base.rows), method_reason(choice, data), bytes_reason(choice, data),
             concatenate("memory  about ", bytes_text(used), " of ", bytes_text(memory_bytes), " when it is searched"),
             concatenate("spec    ", spec_of(choice, data))}};
}

}  // namespace summand
