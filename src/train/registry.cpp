#include "train/registry.h"

#include <algorithm>
#include <optional>
#include <string>

#include "summand/error.h"
#include "train/composite.h"
#include "train/spec_options.h"

namespace summand {
namespace {

// The options that specs do not say.
template <class Options>
Trainer trainer_with(Options options, const TrainSettings& settings) {
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return [options](MatrixView<float> vectors) { return train(vectors, options); };
}

Trainer pq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    PqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.order =
        read.choice<BlockOrder>("order", {{"natural", BlockOrder::natural}, {"structured", BlockOrder::structured}});
    options.iterations = read.integer("iterations", options.iterations, 0, 10000);
    read.finish();
    return trainer_with(options, settings);
}

Trainer opq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    OpqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.start = read.choice<RotationStart>(
        "start",
        {{"auto", RotationStart::automatic}, {"identity", RotationStart::identity}, {"pca", RotationStart::pca}});
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    read.finish();
    return trainer_with(options, settings);
}

PenaltyRule penalty_rule(const std::string& text) {
    if (text == "auto") return PenaltyRule::automatic;
    return text == "validate" ? PenaltyRule::validate : PenaltyRule::fixed;
}

std::optional<double> automatic_or_number(SpecOptions& read, std::string_view name) {
    if (read.text(name, "auto") == "auto") return {};
    return read.number(name, 0, "auto or a number");
}

Translation translation_of(SpecOptions& read, Constraint constraint) {
    if (constraint != Constraint::none)
        return read.choice<Translation>(
            "translation", {{"mean", Translation::mean}, {"none", Translation::none}, {"learnt", Translation::learnt}});
    if (read.text("translation", "mean") == "learnt") return Translation::learnt;  // check_options says why not
    return read.choice<Translation>("translation", {{"mean", Translation::mean}, {"none", Translation::none}});
}

template <Constraint constraint>
Trainer composite_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options{.constraint = constraint, .dictionaries = spec.dictionaries, .words = spec.words()};
    constexpr bool penalised = constraint == Constraint::near_orthogonal || constraint == Constraint::learnt_offsets;
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    if constexpr (constraint == Constraint::learnt_offsets) {
        options.start = read.choice<WarmStart>("start", {{"auto", WarmStart::automatic},
                                                         {"pq", WarmStart::pq},
                                                         {"opq", WarmStart::opq},
                                                         {"levels", WarmStart::levels}});
        options.theta = automatic_or_number(read, "theta");
        options.expectation = automatic_or_number(read, "expectation");
    } else {
        options.start = read.choice<WarmStart>(
            "start", {{"auto", WarmStart::automatic}, {"pq", WarmStart::pq}, {"opq", WarmStart::opq}});
    }
    if constexpr (penalised) {
        options.rule = penalty_rule(read.text("mu", "auto"));
        if (options.rule == PenaltyRule::fixed) options.penalty = read.number("mu", 0, "auto, validate or a number");
    }
    if constexpr (constraint == Constraint::near_orthogonal)
        options.learn_epsilon = read.choice<bool>("epsilon", {{"learnt", true}, {"0", false}});
    if constexpr (constraint == Constraint::none)
        options.bias = read.choice<BiasStorage>("bias", {{"float", BiasStorage::float32}, {"byte", BiasStorage::byte}});
    if constexpr (constraint != Constraint::orthogonal) {
        options.translation = translation_of(read, constraint);
        options.effort = parse_effort(read.text("effort", "default"));
    }
    read.finish();
    options.resume = settings.resume;
    options.checkpoint = settings.checkpoint;
    check_options(options);
    return trainer_with(options, settings);
}

constexpr std::string_view kIterations = "iterations=10", kStart = "start=auto|pq|opq",
                           kTranslation = "translation=mean|none|learnt", kEffort = "effort=fast|default|best",
                           kPenalty = "mu=auto|validate|NUMBER";

const MethodRow kRows[] = {
    {{"PQ", "product quantization: k-means in blocks of dimensions", {"iterations=25", "order=natural|structured"}},
     pq_trainer},
    {{"OPQ", "Cartesian k-means: PQ after a learnt rotation", {"iterations=40", "start=auto|identity|pca"}},
     opq_trainer},
    {{"CQ",
      "composite quantization: smallest error, its third term stored with each code",
      {kIterations, kStart, "bias=float|byte", "translation=mean|none", kEffort}},
     composite_trainer<Constraint::none>},
    {{"OCQ", "orthogonal composite quantization: dictionaries orthogonal to each other", {kIterations, kStart}},
     composite_trainer<Constraint::orthogonal>},
    {{"NOCQ",
      "near-orthogonal composite quantization, the method of the paper",
      {kIterations, kStart, kPenalty, "epsilon=learnt|0", kTranslation, kEffort},
      true},
     composite_trainer<Constraint::near_orthogonal>},
    {{"LOCQ",
      "composite quantization with learnt word offsets: the most accurate at equal bytes",
      {kIterations, "start=auto|pq|opq|levels", kPenalty, "theta=auto|NUMBER", "expectation=auto|NUMBER", kTranslation,
       kEffort},
      true},
     composite_trainer<Constraint::learnt_offsets>},
};

Trainer trainer_of(const Spec& spec, const TrainSettings& settings) {
    if (settings.resume || settings.checkpoint) require_resumable(spec.method);
    return method_row(spec.method).trainer(spec, settings);
}

}  // namespace

std::span<const MethodRow> method_rows() { return kRows; }

std::string_view method_name(Constraint constraint) {
    switch (constraint) {
        case Constraint::none:
            return "CQ";
        case Constraint::orthogonal:
            return "OCQ";
        case Constraint::near_orthogonal:
            return "NOCQ";
        case Constraint::learnt_offsets:
            return "LOCQ";
    }
    return "";
}

const MethodRow& method_row(std::string_view name) {
    std::string known;
    for (const MethodRow& row : kRows) {
        if (row.info.name == name) return row;
        known += concatenate(known.empty() ? "" : ", ", row.info.name);
    }
    throw Error(concatenate("unknown method '", name, "'; known: ", known));
}

std::vector<MethodInfo> methods() {
    std::vector<MethodInfo> list;
    for (const MethodRow& row : kRows) list.push_back(row.info);
    return list;
}

void require_resumable(std::string_view name) {
    std::string known;
    for (const MethodRow& row : kRows)
        if (row.info.resumable) known += concatenate(known.empty() ? "" : ", ", row.info.name);
    require(method_row(name).info.resumable, "train: ", name, " makes no checkpoints; methods that do: ", known);
}

void check(const Spec& spec, const TrainSettings& settings) { trainer_of(spec, settings); }

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return trainer_of(spec, settings)(vectors);
}

}  // namespace summand
