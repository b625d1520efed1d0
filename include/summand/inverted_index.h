// Search that looks at few of the vectors: they are listed by cell, and a query visits the lists of the cells nearest
// to it. What is coded of a vector is its residual, what is left after the centre of its cell, or the vector itself:
//
//     score(q, x) = offset(q, cell) + Σ_m (table[m][code_m] + cell_table[m][code_m]) + bias        residual, euclidean
//     score(q, x) = offset(q, cell) + Σ_m  table[m][code_m]                          + bias        otherwise
//
// `table` belongs to the query, `cell_table[m][k] = 2 c·r[m][k]` to the cell alone, so no vector is reconstructed.
//
//     const InvertedModel model = train(learn.view(), parse_index_spec("IVF1024,LOCQ8"));
//     InvertedBuilder builder(model);
//     builder.add(base.view());                                  // as often as there are chunks
//     const InvertedIndex index = std::move(builder).finish();
//     Neighbors found = index.search(queries.view(), {.k = 100, .probes = 16});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "summand/encoder.h"
#include "summand/index_spec.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/neighbors.h"
#include "summand/partition.h"
#include "summand/quantizer.h"
#include "summand/search.h"

namespace summand {

/// What the codes of an inverted index stand for.
enum class Coding : std::uint8_t { residual, plain };

std::string_view name(Coding coding);

/// All that training an inverted index produces.
struct InvertedModel {
    Partition partition = {};
    Quantizer quantizer = {};  ///< of residuals or of vectors; never of unit length, vectors are scaled before
    Coding coding = Coding::residual;
    Metric metric = Metric::euclidean;

    friend bool operator==(const InvertedModel&, const InvertedModel&) = default;
};

/// Throws `Error` where the spec has no cells, and for what `train` of the quantizer throws. What the spec refines with
/// plays no part.
InvertedModel train(MatrixView<float> vectors, const IndexSpec& spec, const TrainSettings& settings = {});

/// Whether a search may say how far cells may be: they are of one level, and there are distances.
bool has_reach(const InvertedModel& model);

class CellTables;
class InvertedLists;
class TableBuilder;

/// What an inverted index keeps of vectors, before they are listed.
struct CellCodes {
    std::vector<std::uint32_t> cells = {};  ///< of each vector
    Codes codes = {};

    friend bool operator==(const CellCodes&, const CellCodes&) = default;
};

/// Does not change once it is made: any number of threads may search it at once, and copies share the lists.
class InvertedIndex {
public:
    std::size_t size() const;
    const InvertedModel& model() const { return *model_; }

    /// The k best of the visited lists: the same ids and scores for every instruction set, thread count and batch.
    /// Throws `Error` for options about a second layer, which it does not have.
    Neighbors search(MatrixView<float> queries, const SearchOptions& options = {}) const;

    /// Every id of the visited lists with a score below `radius`; `options.k` is not used.
    RangeNeighbors search_range(MatrixView<float> queries, float radius, const SearchOptions& options = {}) const;

    std::size_t memory_bytes() const;      ///< of codes, ids, lists and tables of the cells as they are held
    std::size_t cell_table_bytes() const;  ///< the last of these
    std::vector<std::size_t> list_sizes() const;

    /// What is listed, cell after cell: `InvertedBuilder::add` of both makes this index again.
    CellCodes codes() const;
    std::vector<std::int64_t> ids() const;

private:
    friend struct IndexParts;
    InvertedIndex(InvertedModel model, std::shared_ptr<const InvertedLists> lists);
    InvertedIndex(const InvertedIndex& like, std::shared_ptr<const InvertedLists> lists);  // the same tables

    std::shared_ptr<const InvertedModel> model_;
    std::shared_ptr<const InvertedLists> lists_;
    std::shared_ptr<const TableBuilder> tables_;
    std::shared_ptr<const CellTables> cells_;
};

/// Takes vectors chunk by chunk and keeps their codes, ids and cells only. For one thread at a time; each call uses as
/// many threads as its `Execution` says.
class InvertedBuilder {
public:
    explicit InvertedBuilder(InvertedModel model, const EncodeOptions& options = {});

    /// Ids go on from the last one, from 0.
    void add(MatrixView<float> vectors);

    /// Ids of the caller, from 0 on. The same id may be given twice; it is then found twice.
    void add(MatrixView<float> vectors, std::span<const std::int64_t> ids);

    /// The same in two steps, for callers that keep what was encoded (summand/unfinished_index.h).
    CellCodes encode(MatrixView<float> vectors) const { return encode(vectors, execution_); }
    CellCodes encode(MatrixView<float> vectors, const Execution& execution) const;
    void add(const CellCodes& encoded);
    void add(const CellCodes& encoded, std::span<const std::int64_t> ids);

    std::size_t size() const { return ids_.size(); }
    const InvertedModel& model() const { return model_; }

    /// For the next chunks: threads, progress and stop request.
    void set_execution(Execution execution) { execution_ = std::move(execution); }

    InvertedIndex finish() &&;

private:
    InvertedModel model_;
    Encoder encoder_;
    Execution execution_;
    std::vector<std::uint32_t> cells_ = {};
    std::vector<std::int64_t> ids_ = {};
    std::vector<std::uint8_t> codes_ = {};  // n × M
    std::vector<float> bias_ = {};
};

}  // namespace summand
