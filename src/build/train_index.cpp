// Learning from a sample of a source: a model without cells, or cells and codes.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/stopwatch.h"
#include "build/source.h"
#include "build/train_index.h"
#include "summand/error.h"
#include "summand/io.h"
#include "summand/text.h"
#include "train/cells.h"
#include "train/cost.h"

namespace summand {
namespace {

// Draws vectors and trains, with checkpoints where they are asked for.
template <class Model, class AnySpec>
Model learn(const VectorSource& source, const AnySpec& spec, std::size_t count, const BuildSettings& settings) {
    TrainSettings training{.metric = metric_of(settings), .seed = settings.seed, .execution = settings.execution};
    std::optional<Checkpoint> before;
    if (!settings.checkpoint.empty()) {
        if (std::filesystem::exists(settings.checkpoint)) before = load_checkpoint(settings.checkpoint);
        training.checkpoint = [&settings](const Checkpoint& now) {
            saved(settings, [&] { save(settings.checkpoint, now); });
        };
    }
    if (before) training.resume = &*before;
    const Matrix<float> sample = sample_vectors(source, count, settings.seed);
    if (training.metric == Metric::cosine)
        require_directions(sample.view(), source,
                           [&](std::size_t i) { return sample_rows(source.rows, count, settings.seed)[i]; });
    const Stopwatch watch;
    Model model = about(source.name, [&] { return train(sample.view(), spec, training); });
    if (settings.report) {
        settings.report->train_seconds += watch.seconds();
        settings.report->learn_vectors = count;
    }
    return model;
}

void warn_of_few_to_learn(const CellOptions& cells, std::size_t count, const VectorSource& learn, BuildReport& report) {
    const std::size_t wanted = kVectorsPerCell * cells.words;
    if (count >= wanted || count < cells.words) return;  // fewer than one for each are an error
    report.warnings.push_back(concatenate(grouped(cells.words), cells.dictionaries == 1 ? " cells" : " words of cells",
                                          " are learnt from ", grouped(count), " vectors of ", learn.name, ", ",
                                          count / cells.words, " for each: searches find less than with ",
                                          kVectorsPerCell, " for each; learn from ", grouped(wanted), ", or ask for ",
                                          grouped(std::max<std::size_t>(1, count / kVectorsPerCell)), " at most"));
}

}  // namespace

void warn_of_many_cells(const IndexSpec& spec, const VectorSource& base, const BuildSettings& settings) {
    if (!spec.cells || !settings.report) return;
    const CellOptions cells = cell_options(*spec.cells);
    if (cells.dictionaries > 1 || cells.words <= base.rows) return;  // most pairs of words are empty by nature
    settings.report->warnings.push_back(concatenate(grouped(cells.words), " cells for the ", grouped(base.rows),
                                                    " vectors of ", base.name,
                                                    ": most lists stay empty; ask for fewer, or leave them out"));
}

Metric metric_of(const BuildSettings& settings) { return settings.metric.value_or(Metric::euclidean); }

void saved(const BuildSettings& settings, const std::function<void()>& write) {
    settings.saving ? settings.saving(write) : write();
}

IndexSpec spec_of(std::string_view spec, const BuildSettings& settings) {
    return parse_index_spec(spec.empty() ? default_spec(metric_of(settings)) : spec);
}

std::string chosen_spec(const VectorSource& base, std::string_view spec, const BuildSettings& settings) {
    if (!spec.empty()) return std::string(spec);
    const double memory = settings.memory_bytes > 0 ? settings.memory_bytes : usual_memory(base);
    return propose(base, metric_of(settings), memory).spec;
}

std::size_t learn_count(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings) {
    if (settings.learn_size > 0) return std::min(learn.rows, settings.learn_size);
    return usual_learn_size(to_string(IndexSpec{spec.cells, spec.code}), learn.rows, learn.columns);
}

std::string default_spec(Metric metric, std::size_t bytes) {
    return metric == Metric::inner_product ? concatenate("CQ", bytes, "(anisotropy=4)") : concatenate("LOCQ", bytes);
}

BuildSettings training_settings(const IndexSpec& spec, const BuildSettings& settings) {
    BuildSettings result = settings;
    if (spec.cells && !makes_checkpoints(spec.code)) result.checkpoint.clear();
    return result;
}

void check_build(std::string_view text, const BuildSettings& settings) {
    const IndexSpec spec = spec_of(text, settings);
    TrainSettings training{.metric = metric_of(settings)};
    if (!training_settings(spec, settings).checkpoint.empty()) training.checkpoint = [](const Checkpoint&) {};
    check(spec, training);
}

std::unique_ptr<FileLock> hold_checkpoint(const BuildSettings& settings) {
    if (settings.checkpoint.empty()) return nullptr;
    return std::make_unique<FileLock>(settings.checkpoint + ".lock",
                                      settings.checkpoint + ": another build or training works on this checkpoint",
                                      FileLock::Left::goes);
}

IndexModel train_first(const VectorSource& source, const IndexSpec& spec, const BuildSettings& given) {
    const BuildSettings settings = training_settings(spec, given);
    const std::size_t count = learn_count(spec, source, settings);
    if (spec.cells && settings.report) warn_of_few_to_learn(cell_options(*spec.cells), count, source, *settings.report);
    if (spec.cells) return {learn<InvertedModel>(source, spec, count, settings)};
    return {learn<Quantizer>(source, spec.code, count, settings)};
}

IndexModel train_index(const VectorSource& source, std::string_view text, const BuildSettings& settings) {
    check_build(text, settings);
    const IndexSpec spec = spec_of(text, settings);
    if (settings.report) *settings.report = {.spec = to_string(spec)};
    require(!spec.refine.has_value(), "train: ", to_string(spec),
            ": a second layer is learnt when the index is built; leave Refine(...) out");
    const auto held = hold_checkpoint(settings);
    return train_first(source, spec, settings);
}

}  // namespace summand
