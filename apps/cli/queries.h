// Queries of search and evaluate: vectors of a file, or vectors put together again from codes (docs/queries.md).
#pragma once

#include "run.h"

namespace summand::cli {

struct QueryOptions {
    std::string path;
    std::string model;  ///< of the codes that the file holds; empty: it holds vectors
};

/// QUERIES and --query-model.
void add_queries(CLI::App& verb, QueryOptions& options);

/// An index and the file it came from.
struct AskedIndex {
    const std::string& path;
    std::size_t dimensions;
    Metric metric;
};

/// Throws where the file does not fit the index, or codes do not fit their model.
Matrix<float> read_queries(const QueryOptions& options, const AskedIndex& asked, const Execution& execution);

}  // namespace summand::cli
