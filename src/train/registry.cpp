#include "train/registry.h"

#include <algorithm>
#include <string>

#include "summand/compared_methods.h"
#include "summand/error.h"
#include "train/spec_options.h"

namespace summand {
namespace {

// Dictionaries of a spec that are left for words where `what` takes some of its codes.
std::size_t left_of(const Spec& spec, std::size_t taken, const char* what) {
    require(spec.dictionaries > taken, "spec '", to_string(spec), "': expected more than ", taken,
            " dictionaries, which is what ", what, " takes, got ", spec.dictionaries);
    return spec.dictionaries - taken;
}

Quantizer train_pq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    PqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.order =
        read.choice<BlockOrder>("order", {{"natural", BlockOrder::natural}, {"structured", BlockOrder::structured}});
    options.iterations = read.integer("iterations", options.iterations, 0, 10000);
    read.finish();
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

Quantizer train_opq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    OpqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.start = read.choice<RotationStart>(
        "start",
        {{"auto", RotationStart::automatic}, {"identity", RotationStart::identity}, {"pca", RotationStart::pca}});
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    read.finish();
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

Quantizer train_rq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    RqOptions options{.dictionaries = spec.dictionaries, .words = spec.words()};
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    options.effort = parse_effort(read.text("effort", "default"));
    read.finish();
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

template <std::size_t norm_codes>
Quantizer train_aq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    AqOptions options{.words = spec.words(), .norm_byte = norm_codes > 0};
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    options.effort = parse_effort(read.text("effort", "default"));
    read.finish();
    options.dictionaries = left_of(spec, norm_codes, "the norm");
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    return train(vectors, options);
}

PenaltyRule penalty_rule(const std::string& text) {
    if (text == "auto") return PenaltyRule::automatic;
    return text == "validate" ? PenaltyRule::validate : PenaltyRule::fixed;
}

// All options of a constraint but `bias`.
CompositeOptions composite_options(Constraint constraint, const Spec& spec, SpecOptions& read) {
    CompositeOptions options{.constraint = constraint, .dictionaries = spec.dictionaries, .words = spec.words()};
    const bool learnt = constraint == Constraint::learnt_offsets, tied = constraint == Constraint::near_orthogonal;
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    if (learnt) {
        options.start = read.choice<WarmStart>("start", {{"auto", WarmStart::automatic},
                                                         {"pq", WarmStart::pq},
                                                         {"opq", WarmStart::opq},
                                                         {"levels", WarmStart::levels}});
        if (spec.options.contains("theta")) options.theta = read.number("theta", 0);
        options.lean = read.number("lean", options.lean);
        options.power = read.number("power", options.power);
    } else {
        options.start = read.choice<WarmStart>(
            "start", {{"auto", WarmStart::automatic}, {"pq", WarmStart::pq}, {"opq", WarmStart::opq}});
    }
    if (tied || learnt) {
        options.rule = penalty_rule(read.text("mu", "auto"));
        if (options.rule == PenaltyRule::fixed) options.penalty = read.number("mu", 0, "auto, validate or a number");
    }
    if (tied) options.learn_epsilon = read.choice<bool>("epsilon", {{"learnt", true}, {"0", false}});
    if (constraint != Constraint::orthogonal) {
        options.translation = read.choice<Translation>(
            "translation", {{"mean", Translation::mean}, {"none", Translation::none}, {"learnt", Translation::learnt}});
        options.effort = parse_effort(read.text("effort", "default"));
    }
    return options;
}

Quantizer train_with(MatrixView<float> vectors, CompositeOptions options, const TrainSettings& settings) {
    options.unit_length = settings.metric == Metric::cosine;
    options.seed = settings.seed;
    options.execution = settings.execution;
    options.resume = settings.resume;
    options.checkpoint = settings.checkpoint;
    return train(vectors, options);
}

template <Constraint constraint>
Quantizer train_composite(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(constraint, spec, read);
    if (constraint == Constraint::none)
        options.bias = read.choice<BiasStorage>(
            "bias", {{"float", BiasStorage::float32}, {"byte", BiasStorage::byte}, {"dropped", BiasStorage::dropped}});
    read.finish();
    return train_with(vectors, options, settings);
}

// Codes of a spec that go to the third term: one for its level, four bytes of them for a float.
std::size_t third_term_codes(BiasStorage storage, std::size_t words) {
    if (storage == BiasStorage::dropped) return 0;
    if (storage == BiasStorage::byte) return 1;
    return words <= 16 ? 2 * sizeof(float) : sizeof(float);
}

// CQ whose third term counts: its dictionaries are those of the spec less what the term takes.
template <BiasStorage storage>
Quantizer train_counted(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::none, spec, read);
    read.finish();
    options.dictionaries = left_of(spec, third_term_codes(storage, options.words), "the third term");
    options.bias = storage;
    return train_with(vectors, options, settings);
}

constexpr std::string_view kIterations = "iterations=14", kStart = "start=auto|pq|opq",
                           kTranslation = "translation=mean|none|learnt", kEffort = "effort=fast|default|best",
                           kPenalty = "mu=auto|validate|NUMBER";

const MethodRow kRows[] = {
    {{"PQ", "product quantization: k-means in blocks of dimensions", {"iterations=25", "order=natural|structured"}},
     train_pq},
    {{"OPQ", "Cartesian k-means: PQ after a learnt rotation", {"iterations=40", "start=auto|identity|pca"}}, train_opq},
    {{"CQ",
      "composite quantization: smallest error, its third term stored with each code",
      {kIterations, kStart, "bias=float|byte|dropped", kTranslation, kEffort}},
     train_composite<Constraint::none>},
    {{"OCQ", "orthogonal composite quantization: dictionaries orthogonal to each other", {kIterations, kStart}},
     train_composite<Constraint::orthogonal>},
    {{"NOCQ",
      "near-orthogonal composite quantization, the method of the paper",
      {kIterations, kStart, kPenalty, "epsilon=learnt|0", kTranslation, kEffort}},
     train_composite<Constraint::near_orthogonal>},
    {{"LOCQ",
      "composite quantization with learnt word offsets: the most accurate at equal bytes",
      {kIterations, "start=auto|pq|opq|levels", kPenalty, "theta=NUMBER", "lean=0.8", "power=0.25", kTranslation,
       kEffort}},
     train_composite<Constraint::learnt_offsets>},
    {{"CQe", "CQ with its third term in one byte of the code", {kIterations, kStart, kTranslation, kEffort}},
     train_counted<BiasStorage::byte>},
    {{"CQd", "CQ with its third term dropped", {kIterations, kStart, kTranslation, kEffort}},
     train_counted<BiasStorage::dropped>},
    {{"CQc", "CQ with its third term in four bytes of the code", {kIterations, kStart, kTranslation, kEffort}},
     train_counted<BiasStorage::float32>},
    {{"QAV",
      "the augmented vector [-2x; |x|^2], searched by inner product",
      {kIterations, kStart, kTranslation, kEffort}},
     train_composite<Constraint::augmented>},
    {{"RQ", "residual quantization: k-means of what is left, found by beam search", {"iterations=15", kEffort}},
     train_rq},
    {{"AQ", "additive quantization: beam search and least squares", {"iterations=8", kEffort}}, train_aq<0>},
    {{"AQe", "additive quantization with the norm in one byte of the code", {"iterations=8", kEffort}}, train_aq<1>},
};

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
        case Constraint::augmented:
            return "QAV";
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

std::size_t spec_number(const Quantizer& model) {
    const std::size_t count = model.dictionaries.count;
    return model.method == "CQc" ? count + third_term_codes(BiasStorage::float32, model.dictionaries.words) : count;
}

std::vector<MethodInfo> methods() {
    std::vector<MethodInfo> list;
    for (const MethodRow& row : kRows) list.push_back(row.info);
    return list;
}

Quantizer train(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    Quantizer model = method_row(spec.method).train(vectors, spec, settings);
    model.method = spec.method;
    return model;
}

}  // namespace summand
