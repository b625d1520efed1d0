#include "summand/inverted_index.h"
#include "index/index_parts.h"
#include "model/valid.h"
#include "summand/error.h"

namespace summand {
namespace {

void check_fit(const InvertedModel& model, const InvertedLists& lists) {
    const Quantizer& quantizer = model.quantizer;
    require_valid(quantizer, "index");
    require_valid(model.partition, "index");
    require(quantizer.dimensions() == model.partition.dimensions(), "index: expected cells of ", quantizer.dimensions(),
            " dimensions, got ", model.partition.dimensions());
    require(lists.cells() == model.partition.cells(), "index: expected the lists of ", model.partition.cells(),
            " cells, got ", lists.cells());
    require_codes_of(quantizer, model.metric, lists.packed());
    require(!quantizer.unit_length && !quantizer.binary_queries,
            "index: an inverted index takes no quantizer of unit vectors or of signs");
}

}  // namespace

bool has_reach(const InvertedModel& model) {
    return is_distance(model.metric) && model.partition.groups.empty() && model.partition.dictionaries.count == 1;
}

std::string_view name(Coding coding) { return coding == Coding::residual ? "residual" : "plain"; }

InvertedIndex::InvertedIndex(InvertedModel model, std::shared_ptr<const InvertedLists> lists)
    : model_(std::make_shared<const InvertedModel>(std::move(model))), lists_(std::move(lists)) {
    check_fit(*model_, *lists_);
    const SlotOrder order = lists_->packed().slot_order();
    tables_ = std::make_shared<TableBuilder>(model_->quantizer, inner_metric(model_->metric), order);
    cells_ = std::make_shared<CellTables>(*model_, order);
}

InvertedIndex::InvertedIndex(const InvertedIndex& like, std::shared_ptr<const InvertedLists> lists)
    : model_(like.model_), lists_(std::move(lists)), tables_(like.tables_), cells_(like.cells_) {
    require(lists_->cells() == like.lists_->cells(), "index: expected the lists of ", like.lists_->cells(),
            " cells, got ", lists_->cells());
    require_same_model(like.lists_->packed(), lists_->packed());
}

std::size_t InvertedIndex::size() const { return lists_->size(); }
std::size_t InvertedIndex::cell_table_bytes() const { return cells_->memory_bytes(); }
std::size_t InvertedIndex::memory_bytes() const { return lists_->memory_bytes() + cell_table_bytes(); }

std::vector<std::size_t> InvertedIndex::list_sizes() const {
    std::vector<std::size_t> sizes(lists_->cells());
    for (std::size_t c = 0; c < sizes.size(); ++c) sizes[c] = lists_->length(c);
    return sizes;
}

CellCodes InvertedIndex::codes() const {
    CellCodes result{.codes = lists_->packed().unpack()};
    for (std::size_t c = 0; c < lists_->cells(); ++c)
        result.cells.insert(result.cells.end(), lists_->length(c), static_cast<std::uint32_t>(c));
    result.codes.bias.resize(model_->quantizer.bias == Bias::stored ? size() : 0);  // products have none
    return result;
}

std::vector<std::int64_t> InvertedIndex::ids() const {
    lists_->packed().require_sound();
    return {lists_->parts().ids.begin(), lists_->parts().ids.end()};
}

Neighbors InvertedIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    return search_lists(IndexParts::tables(*this), ListParts(*lists_, options.filter), queries, options);
}

RangeNeighbors InvertedIndex::search_range(MatrixView<float> queries, float radius,
                                           const SearchOptions& options) const {
    return search_lists(IndexParts::tables(*this), ListParts(*lists_, options.filter), queries, radius, options,
                        Naming::ids);
}

}  // namespace summand
