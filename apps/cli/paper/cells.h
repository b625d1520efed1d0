// A cell: one method measured on one data set. Cells are what a run is made of: each is kept in a file when it is
// finished, and experiments share them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "summand/evaluate.h"

namespace summand::cli {

enum class Measure {
    search,              ///< nearest neighbours by Euclidean distance
    inner_product,       ///< largest inner products, with the same model
    compressed_queries,  ///< queries are coded by another model and reconstructed first
};

std::string_view name(Measure measure);

struct CellKey {
    std::string set;
    std::string spec;
    Measure measure = Measure::search;
    std::string query_spec = {};  ///< that queries are compressed with

    friend bool operator<(const CellKey& a, const CellKey& b) {
        const auto fields = [](const CellKey& key) { return std::tie(key.set, key.spec, key.measure, key.query_spec); };
        return fields(a) < fields(b);
    }
};

struct Cell {
    Report report;
    std::vector<double> objective = {};  ///< of the training, per iteration
    std::string commit = {};             ///< that the tool was built from
};

nlohmann::ordered_json to_json(const CellKey& key, const Cell& cell);

/// Throws where the text is none that `to_json` made for this key.
Cell cell_from_json(const CellKey& key, const std::string& text);

}  // namespace summand::cli
