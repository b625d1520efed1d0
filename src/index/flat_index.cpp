#include <algorithm>
#include <bit>
#include <cmath>

#include "index/batch_scan.h"
#include "index/collectors.h"
#include "index/packed_codes.h"
#include "index/selection.h"
#include "model/lookup.h"
#include "model/valid.h"
#include "summand/error.h"
#include "summand/flat_index.h"

namespace summand {
namespace {

// Chooses enough words for a limit near the final one, or all words if that many are most of the work.
Seeds seeds_for(const PackedCodes& codes, const Selection& selection, std::size_t k) {
    constexpr std::size_t kLeast = 512, kLeastFiltered = 128;
    constexpr std::size_t kWorthScanning = 4;
    const std::size_t least = selection.filtered() ? kLeastFiltered : kLeast;
    const std::size_t wanted = std::max(least, k);
    const std::size_t words = (codes.size() + kWordVectors - 1) / kWordVectors;
    const std::size_t per_word = std::max<std::size_t>(1, words * wanted / std::max<std::size_t>(1, selection.kept()));
    const std::size_t step = words / per_word;
    return {step < kWorthScanning ? 1 : std::bit_floor(step)};
}

Quantizer valid(Quantizer quantizer) {
    require_valid(quantizer, "index");
    return quantizer;
}

// Throws where the codes do not belong to the model.
std::shared_ptr<const TableBuilder> tables_of(const Quantizer& quantizer, const PackedCodes& packed, Metric metric) {
    require_codes_of(quantizer, metric, packed);
    return std::make_shared<TableBuilder>(quantizer, metric, packed.slot_order());
}

void check_options(const char* what, const SearchOptions& options) {
    require(options.probes == 0 && options.candidates == 0, what,
            ": the index has no cells to probe, expected an inverted one");
    require(options.refine.value_or(0) == 0, what, ": the index has no second layer, expected one with Refine(...)");
    require(options.scoring == Scoring::tables, what, ": codes without cells are scored by tables only");
}

}  // namespace

FlatIndex::FlatIndex(Quantizer quantizer, const Codes& codes, Metric metric)
    : quantizer_(valid(std::move(quantizer))),
      packed_(PackedCodes::pack(codes, quantizer_, metric, planes_of_flat(codes))),
      metric_(metric),
      tables_(tables_of(quantizer_, *packed_, metric)) {}

FlatIndex::FlatIndex(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric)
    : quantizer_(valid(std::move(quantizer))),
      packed_(std::move(packed)),
      metric_(metric),
      tables_(tables_of(quantizer_, *packed_, metric)) {}

FlatIndex::FlatIndex(const FlatIndex& like, std::shared_ptr<const PackedCodes> packed)
    : quantizer_(like.quantizer_), packed_(std::move(packed)), metric_(like.metric_), tables_(like.tables_) {
    require_codes_of(quantizer_, metric_, *packed_);
    require_same_slots(*like.packed_, *packed_);
}

std::size_t FlatIndex::size() const { return packed_->size(); }
Codes FlatIndex::codes() const {
    Codes codes = packed_->unpack();
    if (quantizer_.bias == Bias::derived) codes.bias.clear();
    return codes;
}
std::size_t FlatIndex::memory_bytes() const { return packed_->memory_bytes(); }

Neighbors FlatIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    check_options("search", options);
    const Selection selection(size(), options.filter);
    const std::size_t k = std::min(options.k, selection.kept());
    const ScanJob job{.what = "search",
                      .codes = *packed_,
                      .tables = *tables_,
                      .selection = selection,
                      .seeds = seeds_for(*packed_, selection, k),
                      .execution = options.execution};
    return finished(BatchScan<Nearest>(job, queries).run(Nearest(k)), NearestAnswers(queries.rows(), options.k));
}

RangeNeighbors FlatIndex::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    check_options("search_range", options);
    const Selection selection(size(), options.filter);
    const ScanJob job{.what = "search_range",
                      .codes = *packed_,
                      .tables = *tables_,
                      .selection = selection,
                      .seeds = kNoSeeds,
                      .execution = options.execution};
    return finished(BatchScan<Within>(job, queries).run(Within(radius)), RangeAnswers(queries.rows()));
}

}  // namespace summand
