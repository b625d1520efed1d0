#include "summand/index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "index/collectors.h"
#include "index/first_codes.h"
#include "index/residuals.h"
#include "model/exact_score.h"
#include "model/transform.h"
#include "model/valid.h"
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

void check_codes(const RefineCodes& codes, std::size_t size, std::size_t dimensions) {
    const Dictionaries& words = codes.quantizer.dictionaries;
    require_valid(codes.quantizer, "index: second layer");
    require(codes.quantizer.dimensions() == dimensions, "index: expected a second layer of ", dimensions,
            " dimensions, got ", codes.quantizer.dimensions());
    require(codes.rows.size() == size * words.count, "index: expected a second layer of ", size, " codes of ",
            words.count, " bytes, got ", codes.rows.size(), " bytes");
    const auto bad = std::find_if(codes.rows.begin(), codes.rows.end(), [&](auto code) { return code >= words.words; });
    require(bad == codes.rows.end(), "index: the second layer names word ", bad == codes.rows.end() ? 0 : int{*bad},
            " of a dictionary of ", words.words, " words");
}

void check_file(const RefineFile& file, std::size_t size, std::size_t dimensions) {
    require(file.columns == dimensions, file.path, ": expected vectors of ", dimensions,
            " dimensions as in the index, got ", file.columns);
    require(file.rows >= size, file.path, ": expected the ", size, " vectors of the index, got ", file.rows);
}

std::vector<std::int64_t> found_ids(std::span<const std::int64_t> row) {
    return {row.begin(), std::find(row.begin(), row.end(), kNoId)};
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

std::size_t Index::code_bytes() const {
    const auto* second = refinement_ ? std::get_if<RefineCodes>(&*refinement_) : nullptr;
    return quantizer().code_bytes() + (second ? second->quantizer.dictionaries.count : 0);
}

std::size_t Index::memory_bytes() const {
    std::size_t bytes = std::visit([](const auto& index) { return index.memory_bytes(); }, *first_);
    if (const auto* second = refinement_ ? std::get_if<RefineCodes>(&*refinement_) : nullptr)
        bytes += second->rows.size() + first_codes_->memory_bytes();
    return bytes;
}

void Index::set_refinement(Refinement refinement) {
    first_codes_ = nullptr;
    second_words_ = nullptr;
    if (const auto* codes = std::get_if<RefineCodes>(&refinement)) {
        check_codes(*codes, size(), dimensions());
        first_codes_ = std::make_shared<const FirstCodes>(first_);
        second_words_ = std::make_shared<const Decoder>(codes->quantizer);
    } else {
        check_file(std::get<RefineFile>(refinement), size(), dimensions());
    }
    refinement_ = std::move(refinement);
}

void Index::set_defaults(const SearchParameters& defaults) {
    check("index", defaults);
    defaults_ = defaults;
}

void Index::check(const char* what, const SearchParameters& parameters) const {
    require(inverted() || (parameters.probes == 0 && parameters.candidates == 0), what,
            ": the index has no cells to probe, expected an inverted one");
    require(refinement_ || parameters.refine.value_or(0) == 0, what,
            ": the index has no second layer, expected one built with Refine(...)");
}

SearchParameters Index::resolved(const SearchParameters& given, std::size_t k) const {
    const bool own_cells = given.probes == 0 && given.candidates == 0;
    SearchParameters result = own_cells ? defaults_ : given;
    if (inverted() && result.probes == 0 && result.candidates == 0) result.probes = kDefaultProbes;
    const auto wanted = given.refine ? given.refine : defaults_.refine;
    const std::size_t usual = kRefinedPerNeighbor * std::min(k, SIZE_MAX / kRefinedPerNeighbor);
    result.refine = wanted.value_or(refinement_ ? usual : 0);
    if (*result.refine > 0) result.refine = std::max(k, *result.refine);
    return result;
}

// Answers of the first layer: as many as the second one is to score, or k.
Neighbors Index::candidates(MatrixView<float> queries, SearchOptions options, const SearchParameters& resolved) const {
    if (*resolved.refine > 0) options.k = std::max(options.k, std::min(*resolved.refine, size()));
    options = options.with({resolved.probes, resolved.candidates, {}});
    return std::visit([&](const auto& first) { return first.search(queries, options); }, *first_);
}

Matrix<float> Index::refined_vectors(std::span<const std::int64_t> ids) const {
    if (const auto* file = std::get_if<RefineFile>(&*refinement_)) {
        Matrix<float> vectors = file->read(ids);
        if (metric() == Metric::cosine) scale_to_unit_length(vectors, file->path.c_str());
        return vectors;
    }
    const auto& codes = std::get<RefineCodes>(*refinement_);
    const std::size_t M = codes.quantizer.dictionaries.count;
    Matrix<float> vectors(ids.size(), dimensions());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        first_codes_->reconstruct(ids[i], vectors.row(i));
        second_words_->add(codes.rows.data() + static_cast<std::size_t>(ids[i]) * M, vectors.row(i));
    }
    return vectors;
}

// Best first. Rows of a file are read in their order.
std::vector<Neighbor> Index::rescored(const float* query, std::vector<std::int64_t> ids) const {
    std::sort(ids.begin(), ids.end());
    const Matrix<float> vectors = refined_vectors(ids);
    std::vector<ExactNeighbor> best;
    for (std::size_t i = 0; i < ids.size(); ++i)
        best.push_back({exact_score(query, vectors.row(i), dimensions(), is_distance(metric())), ids[i]});
    std::sort(best.begin(), best.end());
    std::vector<Neighbor> result;
    for (const ExactNeighbor& entry : best) result.push_back({static_cast<float>(entry.score), entry.id});
    return result;
}

Neighbors Index::search(MatrixView<float> queries, const SearchOptions& options) const {
    require(options.k > 0, "search: expected k of at least 1, got 0");
    check("search", options.parameters());
    const SearchParameters parameters = resolved(options.parameters(), options.k);
    const Neighbors first = candidates(queries, options, parameters);
    if (*parameters.refine == 0) return first;
    const Matrix<float> own = moved(queries, metric(), "search");
    Neighbors found{{queries.rows(), options.k, kNoId},
                    {queries.rows(), options.k, std::numeric_limits<float>::infinity()}};
    parallel_for(options.execution, queries.rows(), [&](std::size_t query) {
        const std::vector<Neighbor> best = rescored(own.row(query), found_ids(first.ids[query]));
        for (std::size_t i = 0; i < std::min(options.k, best.size()); ++i) {
            found.ids[query][i] = best[i].id;
            found.scores[query][i] = best[i].score;
        }
    });
    return found;
}

RangeNeighbors Index::search_range(MatrixView<float> queries, float radius, const SearchOptions& options) const {
    check("search_range", options.parameters());
    const SearchParameters parameters = resolved(options.parameters(), 1);
    SearchOptions first = options.with({parameters.probes, parameters.candidates, {}});
    const auto within = [&] {
        return std::visit([&](const auto& index) { return index.search_range(queries, radius, first); }, *first_);
    };
    if (!refinement_ || options.refine == std::size_t{0}) return within();
    require(!std::isnan(radius), "search_range: expected a radius, got NaN");
    std::vector<std::vector<std::int64_t>> ids(queries.rows());
    if (options.refine) {
        first.k = std::max<std::size_t>(1, std::min(*options.refine, size()));
        const Neighbors best = std::visit([&](const auto& index) { return index.search(queries, first); }, *first_);
        for (std::size_t q = 0; q < ids.size(); ++q) ids[q] = found_ids(best.ids[q]);
    } else {
        const RangeNeighbors found = within();
        for (std::size_t q = 0; q < ids.size(); ++q)
            for (std::size_t i = found.begin[q]; i < found.begin[q + 1]; ++i) ids[q].push_back(found.entries[i].id);
    }
    const Matrix<float> own = moved(queries, metric(), "search_range");
    RangeAnswers answers(queries.rows());
    parallel_for(options.execution, queries.rows(), [&](std::size_t query) {
        Within collector(radius);
        for (const Neighbor& entry : rescored(own.row(query), std::move(ids[query]))) collector.offer(entry);
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
