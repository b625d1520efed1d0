#include "build/inverted_build.h"

#include <filesystem>
#include <utility>

#include "base/hash.h"
#include "base/stopwatch.h"
#include "build/source.h"
#include "build/train_index.h"
#include "io/metadata.h"
#include "summand/error.h"
#include "summand/unfinished_index.h"

namespace summand {
namespace {

// Sizes and a hash of a few rows tell sources apart at little cost.
std::string content_of(const VectorSource& source) {
    constexpr std::size_t kSampled = 64;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < kSampled; ++i) {
        const Matrix<float> row = source.read(i * (source.rows - 1) / (kSampled - 1), 1);
        hash = hash64(row.data(), row.size() * sizeof(float), hash);
    }
    return concatenate(source.rows, " vectors of ", source.columns, " dimensions with hash ", hex(hash));
}

// Named as on the command line, where users meet the message that tells two of them apart.
BuildTask task_of(const VectorSource& base, const VectorSource& learn, const IndexSpec& spec,
                  const BuildSettings& settings) {
    return {{"--spec", to_string(spec)},
            {"--metric", std::string(name(metric_of(settings)))},
            {"--seed", std::to_string(settings.seed)},
            {"--learn", content_of(learn)},
            {"--learn-size", std::to_string(learn_count(spec, learn, settings))},
            {"BASE", content_of(base)}};
}

InvertedBuilder learnt_builder(const VectorSource& learn, const IndexSpec& spec, const BuildSettings& settings) {
    IndexModel model = train_first(learn, spec, settings);
    return InvertedBuilder(std::get<InvertedModel>(std::move(model.first)), {.seed = settings.seed});
}

// Goes on from the checkpoint where that has a model already.
InvertedBuilder started(const VectorSource& base, const VectorSource& learn, const IndexSpec& spec,
                        const BuildSettings& settings) {
    const std::string& file = settings.checkpoint;
    if (file.empty()) return learnt_builder(learn, spec, settings);
    const BuildTask task = task_of(base, learn, spec, settings);
    if (holds_unfinished_index(file)) return resume_index(file, task, {.seed = settings.seed});
    require(!std::filesystem::exists(file) || !training_settings(spec, settings).checkpoint.empty(), file,
            ": expected a file of an unfinished build of ", to_string(spec), ", got another one");
    InvertedBuilder builder = learnt_builder(learn, spec, settings);
    saved(settings, [&] { begin_index(file, task, builder.model()); });
    return builder;
}

}  // namespace

InvertedIndex encode_lists(InvertedBuilder builder, const VectorSource& base, const BuildSettings& settings) {
    const auto take = [&](const Matrix<float>& chunk, std::size_t first, const Execution& execution) {
        if (builder.model().metric == Metric::cosine)
            require_directions(chunk.view(), base, [&](std::size_t i) { return first + i; });
        builder.set_execution(execution);
        const CellCodes encoded = builder.encode(chunk.view());
        if (!settings.checkpoint.empty()) saved(settings, [&] { append_chunk(settings.checkpoint, encoded, builder); });
        builder.add(encoded);
    };
    for_each_chunk(base, settings.execution, take, builder.size());
    return std::move(builder).finish();
}

Index build_inverted(const VectorSource& base, const VectorSource& learn, const IndexSpec& spec,
                     const BuildSettings& settings) {
    InvertedBuilder builder = started(base, learn, spec, settings);
    if (settings.report) settings.report->resumed_vectors = builder.size();
    const Stopwatch watch;
    InvertedIndex index = encode_lists(std::move(builder), base, settings);
    if (settings.report) settings.report->encode_seconds = watch.seconds();
    return index;
}

}  // namespace summand
