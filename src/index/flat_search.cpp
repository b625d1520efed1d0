#include "index/flat_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "index/batch_scan.h"
#include "index/collectors.h"
#include "summand/error.h"

namespace summand {
namespace {

// Chooses enough words for a limit near the final one, or all words if that many are most of the work.
Seeds seeds_for(const CodeParts& parts, std::size_t k) {
    constexpr std::size_t kLeast = 512, kLeastFiltered = 128;
    constexpr std::size_t kWorthScanning = 4;
    const std::size_t wanted = std::max(parts.filtered() ? kLeastFiltered : kLeast, k);
    const std::size_t words = parts.words();
    const std::size_t per_word = std::max<std::size_t>(1, words * wanted / std::max<std::size_t>(1, parts.kept()));
    const std::size_t step = words / per_word;
    return {step < kWorthScanning ? 1 : std::bit_floor(step)};
}

void check_options(const char* what, const SearchOptions& options) {
    require(options.probes == 0 && options.candidates == 0, what,
            ": the index has no cells to probe, expected an inverted one");
    require(options.refine.value_or(0) == 0, what, ": the index has no second layer, expected one with Refine(...)");
    require(options.scoring == Scoring::tables, what, ": codes without cells are scored by tables only");
}

}  // namespace

Neighbors search_codes(const TableBuilder& tables, const CodeParts& parts, MatrixView<float> queries,
                       const SearchOptions& options) {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    check_options("search", options);
    parts.require_sound(options.execution);
    const std::size_t k = std::min(options.k, parts.kept());
    const ScanJob job{.what = "search",
                      .parts = parts,
                      .tables = tables,
                      .seeds = seeds_for(parts, k),
                      .execution = options.execution};
    return finished(BatchScan<Nearest>(job, queries).run(Nearest(k)), NearestAnswers(queries.rows(), options.k));
}

RangeNeighbors search_codes(const TableBuilder& tables, const CodeParts& parts, MatrixView<float> queries, float radius,
                            const SearchOptions& options) {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    check_options("search_range", options);
    parts.require_sound(options.execution);
    const ScanJob job{
        .what = "search_range", .parts = parts, .tables = tables, .seeds = kNoSeeds, .execution = options.execution};
    return finished(BatchScan<Within>(job, queries).run(Within(radius)), RangeAnswers(queries.rows()));
}

}  // namespace summand
