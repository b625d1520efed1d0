// All that training an index produces: of its first layer, and where there is one of the second.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "summand/index.h"
#include "summand/inverted_index.h"
#include "summand/quantizer.h"

namespace summand {

/// The second layer: codes, the vectors in the index, or neither: the vectors in their file.
struct RefineModel {
    std::optional<Quantizer> quantizer = {};
    std::optional<RowFormat> rows = {};

    friend bool operator==(const RefineModel&, const RefineModel&) = default;
};

struct IndexModel {
    std::variant<Quantizer, InvertedModel> first = {};
    std::optional<RefineModel> second = {};

    const Quantizer& quantizer() const;
    const Partition* cells() const;  ///< null: none
    std::size_t dimensions() const { return quantizer().dimensions(); }

    /// The only metric it serves: inverted models have one, models of unit vectors serve cosine; empty: any but cosine.
    std::optional<Metric> metric() const;

    friend bool operator==(const IndexModel&, const IndexModel&) = default;
};

/// The model of an index, to make another one like it.
IndexModel model_of(const Index& index);

/// Loads what `summand train` wrote, a model with or without cells, or the model of an index file.
IndexModel load_index_model(const std::string& path);

/// Atomic, as all files. A second layer is not saved: it belongs to its index.
void save(const std::string& path, const IndexModel& model);

}  // namespace summand
