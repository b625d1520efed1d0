// What an index is made of, for the code that saves, loads, measures and tunes it. Users of the library see none of it.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "index/inverted_search.h"
#include "index/packed_codes.h"
#include "summand/index.h"

namespace summand {

struct IndexParts {
    static const std::shared_ptr<const PackedCodes>& packed(const FlatIndex& index) { return index.packed_; }
    static const std::shared_ptr<const InvertedLists>& lists(const InvertedIndex& index) { return index.lists_; }
    using First = Index::First;
    static const std::shared_ptr<const First>& first(const Index& index) { return index.first_; }

    static const Quantizer& quantizer(const First& first) {
        const auto* flat = std::get_if<FlatIndex>(&first);
        return flat ? flat->quantizer() : std::get<InvertedIndex>(first).model().quantizer;
    }

    static const CellTables& cells(const InvertedIndex& index) { return *index.cells_; }

    static const TableBuilder& tables(const FlatIndex& index) { return *index.tables_; }
    static InvertedTables tables(const InvertedIndex& index) { return {*index.model_, *index.tables_, *index.cells_}; }

    /// The k best of each query by the first layer, in any order, called as `naming` says; places of a flat index are
    /// its ids.
    static void shortlist(const First& first, MatrixView<float> queries, const SearchOptions& options, Naming naming,
                          const TakeCandidates& take) {
        if (const auto* inverted = std::get_if<InvertedIndex>(&first))
            return summand::shortlist(tables(*inverted), ListParts(*lists(*inverted), options.filter), queries, options,
                                      naming, take);
        Neighbors found = std::get<FlatIndex>(first).search(queries, options);
        parallel_for(options.execution, queries.rows(), [&](std::size_t query) {
            std::int64_t* ids = found.ids.row(query);
            const auto count = static_cast<std::size_t>(std::find(ids, ids + options.k, kNoId) - ids);
            take(query, {ids, count}, {found.scores.row(query), count});
        });
    }
    static Neighbors search(const First& first, MatrixView<float> queries, const SearchOptions& options) {
        return std::visit([&](const auto& index) { return index.search(queries, options); }, first);
    }
    static RangeNeighbors search_range(const First& first, MatrixView<float> queries, float radius,
                                       const SearchOptions& options, Naming naming) {
        const auto* inverted = std::get_if<InvertedIndex>(&first);
        if (!inverted) return std::get<FlatIndex>(first).search_range(queries, radius, options);
        return search_lists(tables(*inverted), ListParts(*lists(*inverted), options.filter), queries, radius, options,
                            naming);
    }

    static FlatIndex flat(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric) {
        return {std::move(quantizer), std::move(packed), metric};
    }
    static InvertedIndex inverted(InvertedModel model, std::shared_ptr<const InvertedLists> lists) {
        return {std::move(model), std::move(lists)};
    }

    /// Other codes of a model that an index has the tables of, which are shared.
    static FlatIndex flat(const FlatIndex& like, std::shared_ptr<const PackedCodes> packed) {
        return {like, std::move(packed)};
    }
    static InvertedIndex inverted(const InvertedIndex& like, std::shared_ptr<const InvertedLists> lists) {
        return {like, std::move(lists)};
    }

    using OwnIds = Index::OwnIds;
    static const std::optional<OwnIds>& ids(const Index& index) { return index.ids_; }
    static void set_ids(Index& index, OwnIds ids) { index.ids_ = std::move(ids); }

    /// Null where there is none.
    static const SecondLayer* second(const Index& index) { return index.second_.get(); }
};

}  // namespace summand
