// Ground truth and the paper's measures.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "summand/execution.h"
#include "summand/index.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/neighbors.h"
#include "summand/quantizer.h"
#include "summand/vector_source.h"

namespace summand {

/// The k nearest rows of `base` for each query by brute force; ties go to the smaller id.
Neighbors exact_neighbors(MatrixView<float> base, MatrixView<float> queries, std::size_t k, Metric metric,
                          const Execution& execution = {});

/// The same, the base read in chunks; where there are fewer vectors than k, all of them.
Neighbors exact_neighbors(const VectorSource& base, const VectorSource& queries, std::size_t k, Metric metric,
                          const Execution& execution = {});

/// Mean over queries of the fraction of the `truths` nearest true neighbours among the first `answers` found.
double recall(const Neighbors& found, MatrixView<std::int64_t> truth, std::size_t answers, std::size_t truths = 1);

/// Mean average precision with the first `relevant` true neighbours as the relevant answers.
double mean_average_precision(const Neighbors& found, MatrixView<std::int64_t> truth, std::size_t relevant = 100);

/// Mean |x - x̄|². The vectors are read in pieces.
double distortion(const Quantizer& quantizer, const VectorSource& vectors, const Codes& codes,
                  const Execution& execution = {});

/// One measured recall@R of T.
struct RecallPoint {
    std::size_t truths = 1;   ///< T
    std::size_t answers = 1;  ///< R
    double recall = 0;
};

/// What one query takes when it is asked alone: the median over queries, and what a quarter of them are below or above.
/// Below zero: not measured.
struct QuerySeconds {
    double low = -1, median = -1, high = -1;
};

QuerySeconds quartiles(std::vector<double> seconds);

/// What one index did on one set of queries. Values below zero were not measured.
struct Report {
    std::string method = {};  ///< the spec it was made from
    std::size_t vectors = 0;
    std::size_t dimensions = 0;
    std::size_t queries = 0;
    std::size_t k = 0;
    std::size_t probes = 0;        ///< cells that each query visited at most; 0: none (exhaustive, or by candidates)
    double reach = 0;              ///< how far the cells were that each query visited; 0: no such limit
    std::size_t candidates = 0;    ///< vectors whose cells each query visited at least; 0: none
    std::size_t refine = 0;        ///< candidates that the second layer scored; 0: none
    std::size_t code_bytes = 0;    ///< per vector, all stored bytes counted but ids
    std::size_t memory_bytes = 0;  ///< of all codes as held in memory
    double compression = 0;        ///< float32 bytes ÷ code bytes
    std::vector<RecallPoint> recalls = {};
    double map = -1;
    double distortion = -1;
    QuerySeconds alone = {};         ///< a query by itself, on one thread
    QuerySeconds tables_alone = {};  ///< of which its tables
    double table_seconds = -1;       ///< to build one query's tables, where many are built after each other
    double word_score_seconds = -1;  ///< to score the words of the cells for one query
    double cell_order_seconds = -1;  ///< to order the cells then: selection, or the multi-sequence algorithm
    double scan_seconds = -1;        ///< of a batch, to scan the codes for one query, choosing the cells included
    double queries_per_second = -1;  ///< tables, scan and selection together
    double train_seconds = -1;
    double encode_seconds = -1;
    unsigned threads = 1;
    std::string kernels = {};  ///< instruction set in use

    double recall_at(std::size_t answers, std::size_t truths = 1) const;  ///< -1 where not measured
};

/// Searches, measures recall at 1, 2, 5, 10 … k for T = 1, 10, 50, MAP where k and the truth allow, and times.
Report evaluate(const Index& index, MatrixView<float> queries, MatrixView<std::int64_t> truth,
                const SearchOptions& options = {.k = 100});

/// An aligned table, a row per report.
std::string table(const std::vector<Report>& reports);
std::string json(const std::vector<Report>& reports);
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace summand
