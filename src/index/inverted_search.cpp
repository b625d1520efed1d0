#include "index/inverted_search.h"

#include <cmath>
#include <limits>
#include <optional>

#include "index/collectors.h"
#include "index/inverted_scan.h"
#include "index/short_list.h"
#include "model/transform.h"
#include "summand/error.h"

namespace summand {
namespace {

// Hands the short list of each query on.
struct CandidateAnswers {
    const ListParts& lists;
    Naming naming;
    const TakeCandidates& take;

    void add(std::size_t row, ShortList& list) const {
        thread_local std::vector<std::int64_t> candidates;
        list.finish();
        candidates.assign(list.places().begin(), list.places().end());
        if (naming == Naming::ids)
            for (std::int64_t& candidate : candidates) {
                const ListParts::Place place = lists.place(static_cast<std::size_t>(candidate));
                candidate = lists.all()[place.part].id(place.position);
            }
        take(row, candidates, list.scores());
    }
};

template <class Collector, class Answers>
void scan(const char* what, const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
          const SearchOptions& options, Naming naming, const Collector& start, Answers& answers) {
    require(options.refine.value_or(0) == 0, what, ": the index has no second layer, expected one with Refine(...)");
    SearchOptions settled = options;
    if (options.probes == 0 && options.candidates == 0 && options.reach == 0) settled.probes = kDefaultProbes;
    check_reach(what, options.parameters(), tables.model);
    tables.queries.check(what, queries);
    Matrix<float> scaled;
    if (tables.model.metric == Metric::cosine) {
        scaled = of_unit_length(queries, what);
        queries = scaled.view();
    }
    std::optional<Reconstruction> reconstruction;
    if (options.scoring == Scoring::reconstruction) reconstruction.emplace(tables.model);
    const InvertedJob job{what,         tables.model, lists,  tables.queries,
                          tables.cells, settled,      naming, reconstruction ? &*reconstruction : nullptr};
    InvertedScan<Collector, Answers>(job, queries, start, answers).run();
}

}  // namespace

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

Neighbors search_lists(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
                       const SearchOptions& options) {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    NearestAnswers answers(queries.rows(), options.k);
    scan("search", tables, lists, queries, options, Naming::ids, Nearest(std::min(options.k, lists.size())), answers);
    return answers.finish();
}

RangeNeighbors search_lists(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
                            float radius, const SearchOptions& options, Naming naming) {
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    RangeAnswers answers(queries.rows());
    scan("search_range", tables, lists, queries, options, naming, Within(radius), answers);
    return answers.finish();
}

void shortlist(const InvertedTables& tables, const ListParts& lists, MatrixView<float> queries,
               const SearchOptions& options, Naming naming, const TakeCandidates& take) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    require(lists.size() <= kMost, "search: a second layer takes at most ", kMost, " vectors in all segments, got ",
            lists.size());
    CandidateAnswers answers{lists, naming, take};
    scan("search", tables, lists, queries, options, Naming::places,
         ShortList(std::min(options.k, lists.size()), &lists), answers);
}

}  // namespace summand
