// What an index is made of, for the code that saves, loads, measures and tunes it. Users of the library see none of it.
#pragma once

#include <memory>
#include <utility>

#include "index/cell_tables.h"
#include "index/inverted_lists.h"
#include "index/packed_codes.h"
#include "summand/index.h"

namespace summand {

struct IndexParts {
    static const std::shared_ptr<const PackedCodes>& packed(const FlatIndex& index) { return index.packed_; }
    static const std::shared_ptr<const InvertedLists>& lists(const InvertedIndex& index) { return index.lists_; }
    using First = Index::First;
    static const std::shared_ptr<const First>& first(const Index& index) { return index.first_; }

    static const CellTables& cells(const InvertedIndex& index) { return *index.cells_; }

    static FlatIndex flat(Quantizer quantizer, std::shared_ptr<const PackedCodes> packed, Metric metric) {
        return {std::move(quantizer), std::move(packed), metric};
    }
    static InvertedIndex inverted(InvertedModel model, std::shared_ptr<const InvertedLists> lists) {
        return {std::move(model), std::move(lists)};
    }
};

}  // namespace summand
