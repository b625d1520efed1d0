#include "index/second_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "index/row_scores.h"
#include "kernels/kernels.h"
#include "model/transform.h"
#include "model/valid.h"
#include "summand/error.h"
#include "summand/half.h"

namespace summand {
namespace {

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

bool all_finite(const RefineRows& rows) {
    const auto finite = [](auto first, std::size_t count, auto is_finite) {
        return std::all_of(first, first + count, is_finite);
    };
    if (rows.format == RowFormat::fp32)
        return finite(reinterpret_cast<const float*>(rows.rows.data()), rows.rows.size() / sizeof(float),
                      [](float value) { return std::isfinite(value); });
    if (rows.format == RowFormat::fp16)
        return finite(reinterpret_cast<const std::uint16_t*>(rows.rows.data()), rows.rows.size() / 2,
                      [](std::uint16_t half) { return is_finite_half(half); });
    return true;
}

void check_ranges(const RefineRows& rows, std::size_t dimensions) {
    const std::size_t expected = rows.format == RowFormat::sq8 ? 2 * dimensions : 0;
    require(rows.ranges.size() == expected, "index: expected ", expected, " numbers for the ranges of a second layer ",
            name(rows.format), ", got ", rows.ranges.size());
    for (std::size_t d = 0; d < expected / 2; ++d) {
        const float smallest = rows.ranges[d], step = rows.ranges[dimensions + d];
        require(step >= 0 && std::isfinite(smallest) && std::isfinite(smallest + 255 * step),
                "index: expected a range of finite numbers for dimension ", d, " of the second layer, got one from ",
                smallest, " in steps of ", step);
    }
}

void check_rows(const RefineRows& rows, std::size_t size, std::size_t dimensions) {
    const std::size_t bytes = row_bytes(rows.format, dimensions);
    require(rows.rows.size() / bytes == size && rows.rows.size() % bytes == 0, "index: expected a second layer of ",
            size, " vectors of ", bytes, " bytes, got ", rows.rows.size(), " bytes");
    require(reinterpret_cast<std::uintptr_t>(rows.rows.data()) % kCacheLine == 0,
            "index: expected the vectors of a second layer at a multiple of ", kCacheLine, " bytes");
    check_ranges(rows, dimensions);
    require(all_finite(rows), "index: the second layer holds a number that is not finite");
}

}  // namespace

SecondLayer::SecondLayer(std::shared_ptr<const IndexParts::First> first, const Refinement& refinement, Metric metric)
    : metric_(metric), dimensions_(IndexParts::quantizer(*first).dimensions()) {
    const std::size_t size = std::visit([](const auto& index) { return index.size(); }, *first);
    if (const auto* codes = std::get_if<RefineCodes>(&refinement)) {
        check_codes(*codes, size, dimensions_);
        source_ = Codes{codes->rows, codes->owner, codes->quantizer.dictionaries.count, Decoder(codes->quantizer),
                        FirstCodes(std::move(first))};
    } else if (const auto* rows = std::get_if<RefineRows>(&refinement)) {
        check_rows(*rows, size, dimensions_);
        source_ = *rows;
        if (const auto* inverted = std::get_if<InvertedIndex>(first.get())) lists_ = IndexParts::lists(*inverted);
    } else {
        check_file(std::get<RefineFile>(refinement), size, dimensions_);
        source_ = std::get<RefineFile>(refinement);
    }
}

Naming SecondLayer::naming() const {
    return std::holds_alternative<RefineRows>(source_) ? Naming::places : Naming::ids;
}

std::size_t SecondLayer::vector_bytes() const {
    if (const auto* codes = std::get_if<Codes>(&source_)) return codes->count;
    const auto* rows = std::get_if<RefineRows>(&source_);
    return rows ? row_bytes(rows->format, dimensions_) : 0;
}

std::size_t SecondLayer::memory_bytes() const {
    if (const auto* codes = std::get_if<Codes>(&source_)) return codes->rows.size() + codes->first.memory_bytes();
    const auto* rows = std::get_if<RefineRows>(&source_);
    return rows ? rows->rows.size() + rows->ranges.size() * sizeof(float) : 0;
}

void SecondLayer::score(const float* query, std::span<std::int64_t> candidates, float* scores) const {
    if (std::holds_alternative<RefineRows>(source_)) {
        score_rows(query, candidates, scores);
    } else {
        std::sort(candidates.begin(), candidates.end());  // the order of the file
        score_vectors(query, vectors(candidates), scores);
    }
    // Sums of huge numbers overflow, to something that is no number too.
    const auto is_nan = [](float score) { return std::isnan(score); };
    std::replace_if(scores, scores + candidates.size(), is_nan, std::numeric_limits<float>::infinity());
}

void SecondLayer::score_vectors(const float* query, const Matrix<float>& found, float* scores) const {
    const Kernels& level = kernels();
    for (std::size_t i = 0; i < found.rows(); ++i)
        scores[i] = is_distance(metric_) ? level.squared_distance(query, found.row(i), dimensions_)
                                         : -level.dot(query, found.row(i), dimensions_);
}

// Rows come from memory while the ones before them are scored.
void SecondLayer::score_rows(const float* query, std::span<const std::int64_t> positions, float* scores) const {
    constexpr std::size_t kAhead = 16;
    RowScores score(std::get<RefineRows>(source_), metric_, dimensions_);
    const auto row = [&](std::size_t i) { return static_cast<std::size_t>(positions[i]); };
    for (std::size_t i = 0; i < std::min(kAhead, positions.size()); ++i) score.fetch(row(i));
    score.set_query(query);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (i + kAhead < positions.size()) score.fetch(row(i + kAhead));
        scores[i] = score(row(i));
    }
}

Matrix<float> SecondLayer::vectors(std::span<const std::int64_t> ids) const {
    if (const auto* file = std::get_if<RefineFile>(&source_)) {
        Matrix<float> read = file->read(ids);
        if (metric_ == Metric::cosine) scale_to_unit_length(read, file->path.c_str());
        return read;
    }
    const auto& codes = std::get<Codes>(source_);
    Matrix<float> sums(ids.size(), dimensions_);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        codes.first.reconstruct(ids[i], sums.row(i));
        codes.words.add(codes.rows.data() + static_cast<std::size_t>(ids[i]) * codes.count, sums.row(i));
    }
    return sums;
}

}  // namespace summand
