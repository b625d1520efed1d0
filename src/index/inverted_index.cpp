#include <cmath>
#include <optional>

#include "index/collectors.h"
#include "index/inverted_scan.h"
#include "index/short_list.h"
#include "model/transform.h"
#include "model/valid.h"
#include "summand/error.h"
#include "summand/inverted_index.h"

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

// Hands the short list of each query on.
struct CandidateAnswers {
    const InvertedLists& lists;
    Naming naming;
    const TakeCandidates& take;

    void add(std::size_t row, ShortList& list) const {
        thread_local std::vector<std::int64_t> candidates;
        list.finish();
        candidates.assign(list.positions().begin(), list.positions().end());
        if (naming == Naming::ids)
            for (std::int64_t& candidate : candidates) candidate = lists.id(static_cast<std::size_t>(candidate));
        take(row, candidates, list.scores());
    }
};

}  // namespace

bool has_reach(const InvertedModel& model) {
    return is_distance(model.metric) && model.partition.groups.empty() && model.partition.dictionaries.count == 1;
}

void check_reach(const char* what, const SearchParameters& asked, const InvertedModel& model) {
    if (asked.reach == 0) return;
    require(asked.reach >= 1 && std::isfinite(asked.reach), what, ": expected a reach of at least 1, got ",
            asked.reach);
    require(asked.candidates == 0, what, ": expected a reach or a number of candidates, got both");
    require(has_reach(model), what,
            ": reach needs cells of one level and a metric with distances (euclidean or cosine), got ",
            name(model.metric), " and cells that are ",
            model.partition.groups.empty() ? "pairs of words or chosen by products" : "in groups");
}

std::string_view name(Coding coding) { return coding == Coding::residual ? "residual" : "plain"; }

InvertedIndex::InvertedIndex(InvertedModel model, std::shared_ptr<const InvertedLists> lists)
    : model_(std::move(model)), lists_(std::move(lists)) {
    check_fit(model_, *lists_);
    const SlotOrder order = lists_->packed().slot_order();
    tables_ = std::make_shared<TableBuilder>(model_.quantizer, inner_metric(model_.metric), order);
    cells_ = std::make_shared<CellTables>(model_, order);
}

InvertedIndex::InvertedIndex(const InvertedIndex& like, std::shared_ptr<const InvertedLists> lists)
    : model_(like.model_), lists_(std::move(lists)), tables_(like.tables_), cells_(like.cells_) {
    check_fit(model_, *lists_);
    require_same_slots(like.lists_->packed(), lists_->packed());
}

std::size_t InvertedIndex::size() const { return lists_->size(); }
std::size_t InvertedIndex::cell_table_bytes() const { return cells_->memory_bytes(); }
std::size_t InvertedIndex::memory_bytes() const { return lists_->memory_bytes() + cell_table_bytes(); }

std::vector<std::size_t> InvertedIndex::list_sizes() const {
    std::vector<std::size_t> sizes(lists_->cells());
    for (std::size_t c = 0; c < sizes.size(); ++c) sizes[c] = lists_->length(c);
    return sizes;
}

RangeNeighbors InvertedIndex::search_range(MatrixView<float> queries, float radius,
                                           const SearchOptions& options) const {
    return search_range(queries, radius, options, Naming::ids);
}

Neighbors InvertedIndex::search(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    NearestAnswers answers(queries.rows(), options.k);
    scan("search", queries, options, Naming::ids, Nearest(std::min(options.k, size())), answers);
    return answers.finish();
}

void InvertedIndex::shortlist(MatrixView<float> queries, const SearchOptions& options, Naming naming,
                              const TakeCandidates& take) const {
    CandidateAnswers answers{*lists_, naming, take};
    scan("search", queries, options, Naming::positions, ShortList(std::min(options.k, size())), answers);
}

RangeNeighbors InvertedIndex::search_range(MatrixView<float> queries, float radius, const SearchOptions& options,
                                           Naming naming) const {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    RangeAnswers answers(queries.rows());
    scan("search_range", queries, options, naming, Within(radius), answers);
    return answers.finish();
}

template <class Collector, class Answers>
void InvertedIndex::scan(const char* what, MatrixView<float> queries, const SearchOptions& options, Naming naming,
                         const Collector& start, Answers& answers) const {
    require(options.refine.value_or(0) == 0, what, ": the index has no second layer, expected one with Refine(...)");
    SearchOptions settled = options;
    if (options.probes == 0 && options.candidates == 0 && options.reach == 0) settled.probes = kDefaultProbes;
    check_reach(what, options.parameters(), model_);
    tables_->check(what, queries);
    Matrix<float> scaled;
    if (model_.metric == Metric::cosine) {
        scaled = of_unit_length(queries, what);
        queries = scaled.view();
    }
    std::optional<Reconstruction> reconstruction;
    if (options.scoring == Scoring::reconstruction) reconstruction.emplace(model_, *lists_);
    const InvertedJob job{what,    model_,  *lists_, *tables_,
                          *cells_, settled, naming,  reconstruction ? &*reconstruction : nullptr};
    InvertedScan<Collector, Answers>(job, queries, start, answers).run();
}

}  // namespace summand
