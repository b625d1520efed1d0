// A cell: one method measured on one data set. Cells are what a run is made of: each is kept in a file when it is
// finished, and experiments share them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "protocols.h"
#include "summand/evaluate.h"

namespace summand::cli {

enum class Measure {
    search,              ///< nearest neighbours by Euclidean distance
    inner_product,       ///< largest inner products, with the same model
    compressed_queries,  ///< queries are coded by another model and reconstructed first
    multi_index,         ///< nearest neighbours among the candidates of an inverted multi-index
    holidays,            ///< object retrieval by lists of relevant images: MAP
    ukbench,             ///< the same: 4 × recall@4
};

std::string_view name(Measure measure);

/// The protocol of a measure that lists of relevant images define; empty for other measures.
std::optional<Protocol> protocol_of(Measure measure);
Measure measure_of(Protocol protocol);

struct CellKey {
    std::string set;
    std::string spec;
    Measure measure = Measure::search;
    std::string query_spec = {};  ///< that queries are compressed with
    std::size_t candidates = 0;   ///< L, of the multi-index

    friend bool operator<(const CellKey& a, const CellKey& b) {
        const auto fields = [](const CellKey& key) {
            return std::tie(key.set, key.spec, key.measure, key.query_spec, key.candidates);
        };
        return fields(a) < fields(b);
    }
};

struct Cell {
    Report report;
    std::vector<double> objective = {};  ///< of the training, per iteration
    std::string sources = {};            ///< a hash of those that decide the figures
    std::string machine = {};            ///< that it was measured on
    double reconstruct_seconds = -1;     ///< of a query of the multi-index that puts every candidate together again
    double retrieval = -1;               ///< MAP or score by lists of relevant images
    QuerySeconds quadratic = {};         ///< a query that looks up each pair of words (AQ)
};

/// Tables and scan of one query of a batch, on one thread.
inline double batch_seconds(const Report& report) { return report.table_seconds + report.scan_seconds; }

nlohmann::ordered_json to_json(const CellKey& key, const Cell& cell);

/// Throws unless `to_json` made the text for this key.
Cell cell_from_json(const CellKey& key, const std::string& text);

}  // namespace summand::cli
