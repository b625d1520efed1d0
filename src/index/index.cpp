#include "summand/index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/aligned.h"
#include "base/parallel.h"
#include "index/collectors.h"
#include "index/residuals.h"
#include "index/second_layer.h"
#include "model/transform.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr std::size_t kRefinedPerNeighbor = 4;

Matrix<float> moved(MatrixView<float> vectors, Metric metric, const char* what) {
    Matrix<float> result(vectors.rows(), vectors.columns(),
                         std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    if (metric == Metric::cosine) scale_to_unit_length(result, what);
    return result;
}

// The rows whose ids a filter keeps.
std::optional<IdFilter> of_rows(const IdFilter* filter, const RowIds& ids) {
    if (!filter) return std::nullopt;
    const std::vector<std::uint64_t> words = filter->words(ids);
    return IdFilter::bitmap(
        {reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

}  // namespace

RefineCodes refine_codes(Quantizer quantizer, Codes codes) {
    require(codes.model == identity(quantizer), "index: the codes of the second layer were made by another model");
    auto rows = std::make_shared<const Matrix<std::uint8_t>>(std::move(codes.rows));
    return {std::move(quantizer), rows->values(), rows};
}

Index::Index(FlatIndex first) : first_(std::make_shared<const First>(std::move(first))) {}
Index::Index(InvertedIndex first) : first_(std::make_shared<const First>(std::move(first))) {}

std::size_t Index::size() const {
    return std::visit([](const auto& index) { return index.size(); }, *first_);
}

Metric Index::metric() const { return flat() ? flat()->metric() : inverted()->model().metric; }

const Quantizer& Index::quantizer() const { return flat() ? flat()->quantizer() : inverted()->model().quantizer; }

std::size_t Index::code_bytes() const { return quantizer().code_bytes() + (second_ ? second_->vector_bytes() : 0); }

std::size_t Index::memory_bytes() const {
    const std::size_t first = std::visit([](const auto& index) { return index.memory_bytes(); }, *first_);
    const std::size_t ids = ids_ ? ids_->rows.values.size_bytes() : 0;
    return first + (second_ ? second_->memory_bytes() : 0) + ids;
}

bool Index::contains(std::int64_t id) const {
    if (ids_) return ids_->rows.row_of(id).has_value();
    if (id < 0 || flat()) return id >= 0 && static_cast<std::size_t>(id) < size();
    const InvertedLists& lists = *IndexParts::lists(*inverted());
    lists.packed().require_sound();
    const auto first = lists.parts().ids.begin();
    for (std::size_t cell = 0; cell < lists.cells(); ++cell)
        if (std::binary_search(first + static_cast<std::ptrdiff_t>(lists.begin(cell)),
                               first + static_cast<std::ptrdiff_t>(lists.end(cell)), static_cast<std::uint64_t>(id)))
            return true;
    return false;
}

std::vector<std::int64_t> Index::ids() const {
    if (!ids_ && inverted()) IndexParts::lists(*inverted())->packed().require_sound();
    std::vector<std::int64_t> result(size());
    for (std::size_t row = 0; row < result.size(); ++row)
        result[row] = ids_     ? ids_->rows[row]
                      : flat() ? static_cast<std::int64_t>(row)
                               : IndexParts::lists(*inverted())->id(row);
    std::sort(result.begin(), result.end());
    return result;
}

void Index::set_refinement(Refinement refinement) {
    second_ = std::make_shared<const SecondLayer>(first_, refinement, metric());
    refinement_ = std::move(refinement);
    changing_model_.reset();
}

void Index::set_defaults(const SearchParameters& defaults) {
    check("index", defaults);
    defaults_ = defaults;
}

void Index::check(const char* what, const SearchParameters& parameters) const {
    require(inverted() || (parameters.probes == 0 && parameters.candidates == 0 && parameters.reach == 0), what,
            ": the index has no cells to probe, expected an inverted one");
    if (inverted()) check_reach(what, parameters, inverted()->model());
    require(refinement_ || parameters.refine.value_or(0) == 0, what,
            ": the index has no second layer, expected one built with Refine(...)");
}

SearchParameters Index::resolved(const SearchParameters& given, std::size_t k) const {
    const auto says_nothing = [](const SearchParameters& cells) {
        return cells.probes == 0 && cells.candidates == 0 && cells.reach == 0;
    };
    SearchParameters result = says_nothing(given) ? defaults_ : given;
    if (inverted() && says_nothing(result)) result.probes = kDefaultProbes;
    const auto wanted = given.refine ? given.refine : defaults_.refine;
    const std::size_t usual = kRefinedPerNeighbor * std::min(k, SIZE_MAX / kRefinedPerNeighbor);
    result.refine = wanted.value_or(refinement_ ? usual : 0);
    if (*result.refine > 0) result.refine = std::max(k, *result.refine);
    return result;
}

// Of the first layer: as many answers as the second one is to score, or k.
SearchOptions Index::first_options(const SearchOptions& options, const SearchParameters& resolved) const {
    SearchOptions first = options.with({resolved.probes, resolved.reach, resolved.candidates, {}});
    if (*resolved.refine > 0) first.k = std::max(first.k, std::min(*resolved.refine, size()));
    return first;
}

template <class Collector>
void Index::rescore(const float* query, std::span<std::int64_t> candidates, Collector& best) const {
    thread_local Scratch<float> room;
    float* scores = room.at_least(candidates.size());
    second_->score(query, candidates, scores);
    best.ensure_limit(scores, candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (scores[i] <= best.limit().score) best.offer({scores[i], second_->id(candidates[i])});
}

Neighbors Index::search(MatrixView<float> queries, const SearchOptions& options) const {
    if (!ids_) return search_rows(queries, options);
    const std::optional<IdFilter> filter = of_rows(options.filter, ids_->rows);
    SearchOptions asked = options;
    asked.filter = filter ? &*filter : nullptr;
    Neighbors found = search_rows(queries, asked);
    for (std::size_t q = 0; q < found.ids.rows(); ++q)
        for (std::int64_t& id : found.ids[q])
            if (id != kNoId) id = ids_->rows[static_cast<std::size_t>(id)];
    return found;
}

RangeNeighbors Index::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    if (!ids_) return search_range_of_rows(queries, radius, options);
    const std::optional<IdFilter> filter = of_rows(options.filter, ids_->rows);
    SearchOptions asked = options;
    asked.filter = filter ? &*filter : nullptr;
    RangeNeighbors found = search_range_of_rows(queries, radius, asked);
    for (Neighbor& entry : found.entries) entry.id = ids_->rows[static_cast<std::size_t>(entry.id)];
    return found;
}

Neighbors Index::search_rows(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    check("search", options.parameters());
    const SearchParameters parameters = resolved(options.parameters(), options.k);
    const SearchOptions first = first_options(options, parameters);
    if (*parameters.refine == 0) return IndexParts::search(*first_, queries, first);
    const Matrix<float> own = moved(queries, metric(), "search");
    NearestAnswers answers(queries.rows(), options.k);
    IndexParts::shortlist(*first_, queries, first, second_->naming(),
                          [&](std::size_t query, std::span<std::int64_t> candidates, std::span<const float>) {
                              Nearest best(std::min(options.k, candidates.size()));
                              rescore(own.row(query), candidates, best);
                              answers.add(query, best);
                          });
    return answers.finish();
}

RangeNeighbors Index::search_range_of_rows(MatrixView<float> queries, float radius,
                                           const SearchOptions& options) const {
    check("search_range", options.parameters());
    const SearchParameters parameters = resolved(options.parameters(), 1);
    SearchOptions first = options.with({parameters.probes, parameters.reach, parameters.candidates, {}});
    if (!refinement_ || options.refine == std::size_t{0})
        return IndexParts::search_range(*first_, queries, radius, first, Naming::ids);
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    std::vector<std::vector<std::int64_t>> ids(queries.rows());
    if (options.refine) {
        first.k = std::max<std::size_t>(1, std::min(*options.refine, size()));
        IndexParts::shortlist(*first_, queries, first, second_->naming(),
                              [&](std::size_t query, std::span<std::int64_t> candidates, std::span<const float>) {
                                  ids[query].assign(candidates.begin(), candidates.end());
                              });
    } else {
        const RangeNeighbors within = IndexParts::search_range(*first_, queries, radius, first, second_->naming());
        for (std::size_t q = 0; q < ids.size(); ++q)
            for (std::size_t i = within.begin[q]; i < within.begin[q + 1]; ++i) ids[q].push_back(within.entries[i].id);
    }
    const Matrix<float> own = moved(queries, metric(), "search_range");
    RangeAnswers answers(queries.rows());
    parallel_for(options.execution, queries.rows(), [&](std::size_t query) {
        Within collector(radius);
        rescore(own.row(query), ids[query], collector);
        answers.add(query, collector);
    });
    return answers.finish();
}

Residuals::Residuals(const Index& index)
    : first_codes_(std::make_shared<const FirstCodes>(IndexParts::first(index))), metric_(index.metric()) {}

Matrix<float> Residuals::operator()(MatrixView<float> vectors, std::span<const std::int64_t> ids,
                                    const Execution& execution) const {
    require(ids.size() == vectors.rows(), "residuals: expected an id for each of ", vectors.rows(), " vectors, got ",
            ids.size());
    require(vectors.columns() == first_codes_->dimensions(), "residuals: expected vectors of ",
            first_codes_->dimensions(), " dimensions, got ", vectors.columns());
    for (const std::int64_t id : ids)
        require(id >= 0 && static_cast<std::size_t>(id) < first_codes_->size(), "residuals: expected ids below ",
                first_codes_->size(), ", got ", id);
    Matrix<float> result = moved(vectors, metric_, "residuals");
    parallel_ranges(execution, ids.size(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<float> approximation(vectors.columns());
        for (std::size_t i = first; i < last; ++i) {
            first_codes_->reconstruct(ids[i], approximation.data());
            for (std::size_t d = 0; d < approximation.size(); ++d) result[i][d] -= approximation[d];
        }
    });
    return result;
}

}  // namespace summand
