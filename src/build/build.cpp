// Vectors in, an index out: the first layer is learnt and encoded, then the second one, from what the first leaves.
#include "summand/build.h"

#include <filesystem>
#include <numeric>
#include <utility>

#include "base/stopwatch.h"
#include "build/encode_all.h"
#include "build/inverted_build.h"
#include "build/source.h"
#include "build/train_index.h"
#include "build/tune_on_sample.h"
#include "index/residuals.h"
#include "index/row_store.h"
#include "summand/error.h"
#include "summand/io.h"

namespace summand {
namespace {

namespace fs = std::filesystem;

// A model of unit vectors fits cosine only, and cosine no other model without cells; models with cells have a metric.
Metric required_metric(const IndexModel& model, const BuildSettings& settings) {
    const std::optional<Metric> own = model.metric();
    const Metric metric = settings.metric.value_or(own.value_or(Metric::euclidean));
    require(own ? metric == *own : metric != Metric::cosine, "build: expected a model trained with --metric ",
            name(metric), ", got one trained ", own ? concatenate("for ", name(*own)) : std::string("without it"));
    return metric;
}

Index flat_index(const VectorSource& base, const Quantizer& model, Metric metric, const BuildSettings& settings) {
    const Encoder encoder(model, {.seed = settings.seed, .execution = silent(settings.execution)});
    return FlatIndex(model, encode_all(encoder, base, settings.execution), metric);
}

// A relative path is kept relative to the index, so that both can be moved together. `base` may name a format before
// the file and an array behind it.
std::string path_from_index(std::string base, const std::string& index) {
    const std::string file = vector_file(base);
    if (fs::path(file).is_absolute()) return base;
    const fs::path folder = fs::path(index).parent_path();
    const fs::path relative = fs::relative(file, folder.empty() ? fs::path(".") : folder);
    return base.replace(base.find(file), file.size(), relative.string());
}

void refine_by_file(const VectorSource& base, const BuildSettings& settings, Index& index) {
    require(!base.path.empty(), base.name,
            ": Refine(flat) reads the vectors again while searching and needs them in a file; write them to one, or "
            "use Refine(LOCQ8)");
    const fs::path folder = fs::path(settings.path).parent_path();
    index.set_refinement(refine_file(path_from_index(base.path, settings.path), folder.string()));
}

// Ranges of all vectors, read before anything is learnt, so that a value that the format cannot hold is told at once.
std::vector<float> ranges_of(const VectorSource& base, RowFormat format, Metric metric, const BuildSettings& settings) {
    RowRanges ranges(format, metric, base.columns);
    for_each_chunk(base, silent(settings.execution),
                   [&](const Matrix<float>& chunk, std::size_t first, const Execution&) {
                       if (metric == Metric::cosine)
                           require_directions(chunk.view(), base, [&](std::size_t i) { return first + i; });
                       ranges.add(chunk.view(), first);
                   });
    return ranges.finish();
}

void refine_by_rows(const VectorSource& base, RowFormat format, std::vector<float> ranges,
                    const BuildSettings& settings, Index& index) {
    const Stopwatch watch;
    RowStore store(index, format, std::move(ranges));
    for_each_chunk(
        base, silent(settings.execution),
        [&](const Matrix<float>& chunk, std::size_t first, const Execution&) { store.add(chunk.view(), first); });
    index.set_refinement(std::move(store).finish());
    if (settings.report) settings.report->encode_seconds += watch.seconds();
}

Quantizer learn_second(const VectorSource& base, const Spec& spec, const BuildSettings& settings,
                       const Residuals& residuals) {
    const std::size_t count = learn_count({.code = spec}, base, settings);
    const Matrix<float> sample = sample_vectors(base, count, settings.seed);
    const std::vector<std::size_t> rows = sample_rows(base.rows, count, settings.seed);
    const Matrix<float> left = residuals(sample.view(), std::vector<std::int64_t>(rows.begin(), rows.end()));
    const Metric metric = metric_of(settings);
    return about(base.name, [&] {
        return train(left.view(), spec,
                     {.metric = metric == Metric::cosine ? Metric::euclidean : metric,
                      .residuals = true,
                      .seed = settings.seed,
                      .execution = settings.execution});
    });
}

// `model`: to use instead of learning one.
void refine_by_codes(const VectorSource& base, const std::optional<Quantizer>& model, const std::optional<Spec>& spec,
                     const BuildSettings& settings, Index& index) {
    const Residuals residuals(index);
    const Stopwatch training;
    Quantizer second = model ? *model : learn_second(base, *spec, settings, residuals);
    const double train_seconds = training.seconds();
    const Stopwatch encoding;
    const auto left_of = [&](const Matrix<float>& chunk, std::size_t first) {
        std::vector<std::int64_t> ids(chunk.rows());
        std::iota(ids.begin(), ids.end(), static_cast<std::int64_t>(first));
        return residuals(chunk.view(), ids, silent(settings.execution));
    };
    const Encoder encoder(second, {.seed = settings.seed, .execution = silent(settings.execution)});
    Codes codes = encode_prepared(encoder, base, left_of, settings.execution);
    index.set_refinement(refine_codes(std::move(second), std::move(codes)));
    if (!settings.report) return;
    if (!model) settings.report->train_seconds += train_seconds;
    settings.report->encode_seconds += encoding.seconds();
}

Index chosen_and_tuned(const VectorSource& base, const BuildSettings& settings) {
    Index index = build(base, chosen_spec(base, {}, settings), settings);
    const std::optional<double> recall = tune_on_sample(base, settings, index);
    if (settings.report) settings.report->recall = recall;
    return index;
}

}  // namespace

Index build(const VectorSource& base, std::string_view text, const BuildSettings& settings) {
    require(base.rows > 0, base.name, ": expected at least one vector, got none");
    if (text.empty()) return chosen_and_tuned(base, settings);
    check_build(text, settings);
    const IndexSpec spec = spec_of(text, settings);
    if (settings.report) *settings.report = {.spec = to_string(spec)};
    warn_of_many_cells(spec, base, settings);
    const auto held = hold_checkpoint(settings);
    const VectorSource& learn = settings.learn ? *settings.learn : base;
    if (settings.learn) require_dimensions(learn, base.columns, base.name);
    const std::optional<RowFormat> rows = spec.refine ? spec.refine->rows : std::nullopt;
    std::vector<float> ranges = rows ? ranges_of(base, *rows, metric_of(settings), settings) : std::vector<float>();
    Index index = spec.cells ? build_inverted(base, learn, spec, settings) : [&] {
        const IndexModel model = train_first(learn, spec, settings);
        const Stopwatch watch;
        Index flat = flat_index(base, model.quantizer(), metric_of(settings), settings);
        if (settings.report) settings.report->encode_seconds = watch.seconds();
        return flat;
    }();
    if (spec.refine && spec.refine->code) refine_by_codes(base, {}, spec.refine->code, settings, index);
    if (rows) refine_by_rows(base, *rows, std::move(ranges), settings, index);
    if (spec.refine && !spec.refine->code && !rows) refine_by_file(base, settings, index);
    return index;
}

Index build(const VectorSource& base, const IndexModel& model, const BuildSettings& settings) {
    require(base.rows > 0, base.name, ": expected at least one vector, got none");
    const Metric metric = required_metric(model, settings);
    require_dimensions(base, model.dimensions(), "the model");
    const std::optional<RowFormat> rows = model.second ? model.second->rows : std::nullopt;
    std::vector<float> ranges = rows ? ranges_of(base, *rows, metric, settings) : std::vector<float>();
    const Stopwatch watch;
    const auto* inverted = std::get_if<InvertedModel>(&model.first);
    Index index = inverted ? Index(encode_lists(InvertedBuilder(*inverted, {.seed = settings.seed}), base, settings))
                           : flat_index(base, model.quantizer(), metric, settings);
    if (settings.report) *settings.report = {.spec = index.spec(), .encode_seconds = watch.seconds()};
    if (model.second && model.second->quantizer) refine_by_codes(base, model.second->quantizer, {}, settings, index);
    if (rows) refine_by_rows(base, *rows, std::move(ranges), settings, index);
    if (model.second && !model.second->quantizer && !rows) refine_by_file(base, settings, index);
    if (settings.report) settings.report->spec = index.spec();
    return index;
}

}  // namespace summand
