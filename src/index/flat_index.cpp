#include "summand/flat_index.h"
#include "index/flat_search.h"
#include "model/lookup.h"
#include "model/valid.h"
#include "summand/error.h"

namespace summand {
namespace {

std::shared_ptr<const Quantizer> valid(Quantizer quantizer) {
    require_valid(quantizer, "index");
    return std::make_shared<const Quantizer>(std::move(quantizer));
}

// Throws where the codes do not belong to the model.
std::shared_ptr<const TableBuilder> tables_of(const Quantizer& quantizer, const PackedCodes& packed, Metric metric) {
    require_codes_of(quantizer, metric, packed);
    return std::make_shared<TableBuilder>(quantizer, metric, packed.slot_order());
}

}  // namespace

FlatIndex::FlatIndex(Quantizer quantizer, const Codes& codes, Metric metric)
    : quantizer_(valid(std::move(quantizer))),
      packed_(PackedCodes::pack(codes, *quantizer_, metric, planes_of_flat(codes))),
      metric_(metric),
      tables_(tables_of(*quantizer_, *packed_, metric)) {}

FlatIndex::FlatIndex(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric)
    : quantizer_(valid(std::move(quantizer))),
      packed_(std::move(packed)),
      metric_(metric),
      tables_(tables_of(*quantizer_, *packed_, metric)) {}

FlatIndex::FlatIndex(const FlatIndex& like, std::shared_ptr<const PackedCodes> packed)
    : quantizer_(like.quantizer_), packed_(std::move(packed)), metric_(like.metric_), tables_(like.tables_) {
    require_same_model(*like.packed_, *packed_);
}

std::size_t FlatIndex::size() const { return packed_->size(); }
Codes FlatIndex::codes() const {
    Codes codes = packed_->unpack();
    if (quantizer_->bias == Bias::derived) codes.bias.clear();
    return codes;
}
std::size_t FlatIndex::memory_bytes() const { return packed_->memory_bytes(); }

Neighbors FlatIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    const PartOfCodes all{*packed_, {0, size()}, options.filter};
    return search_codes(*tables_, CodeParts({&all, 1}), queries, options);
}

RangeNeighbors FlatIndex::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    const PartOfCodes all{*packed_, {0, size()}, options.filter};
    return search_codes(*tables_, CodeParts({&all, 1}), queries, radius, options);
}

}  // namespace summand
