// The composite family by spec.
#include <limits>
#include <string>

#include "summand/error.h"
#include "train/sparse_words.h"
#include "train/spec_options.h"
#include "train/spec_trainers.h"

namespace summand {
namespace {

PenaltyRule penalty_rule(const std::string& text) {
    if (text == "auto") return PenaltyRule::automatic;
    return text == "validate" ? PenaltyRule::validate : PenaltyRule::fixed;
}

WarmStart start_of(Constraint constraint, SpecOptions& read) {
    if (constraint == Constraint::learnt_offsets)
        return read.choice<WarmStart>("start", {{"auto", WarmStart::automatic},
                                                {"pq", WarmStart::pq},
                                                {"opq", WarmStart::opq},
                                                {"levels", WarmStart::levels}});
    return read.choice<WarmStart>("start",
                                  {{"auto", WarmStart::automatic}, {"pq", WarmStart::pq}, {"opq", WarmStart::opq}});
}

// The options that all methods of a constraint have.
CompositeOptions composite_options(Constraint constraint, const Spec& spec, SpecOptions& read) {
    CompositeOptions options{.constraint = constraint, .dictionaries = spec.dictionaries, .words = spec.words()};
    const bool learnt = constraint == Constraint::learnt_offsets, tied = constraint == Constraint::near_orthogonal;
    options.iterations = read.integer("iterations", options.iterations, 1, 10000);
    options.start = start_of(constraint, read);
    if (learnt) {
        if (spec.options.contains("theta")) options.theta = read.number("theta", 0);
        options.lean = read.number("lean", options.lean);
        options.power = read.number("power", options.power);
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
    apply(settings, options);
    options.resume = settings.resume;
    options.checkpoint = settings.checkpoint;
    return train(vectors, options);
}

Quantizer train_plain(Constraint constraint, MatrixView<float> vectors, const Spec& spec,
                      const TrainSettings& settings) {
    SpecOptions read(spec);
    const CompositeOptions options = composite_options(constraint, spec, read);
    read.finish();
    return train_with(vectors, options, settings);
}

// CQ whose third term takes some of the spec's codes.
Quantizer train_counted(BiasStorage storage, std::size_t taken, MatrixView<float> vectors, const Spec& spec,
                        const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::none, spec, read);
    read.finish();
    options.dictionaries = left_of(spec, taken, "the third term");
    options.bias = storage;
    return train_with(vectors, options, settings);
}

}  // namespace

std::size_t codes_of_float(std::size_t words) { return words <= 16 ? 2 * sizeof(float) : sizeof(float); }

Quantizer train_cq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::none, spec, read);
    options.bias = read.choice<BiasStorage>(
        "bias", {{"float", BiasStorage::float32}, {"byte", BiasStorage::byte}, {"dropped", BiasStorage::dropped}});
    read.finish();
    return train_with(vectors, options, settings);
}

Quantizer train_ocq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_plain(Constraint::orthogonal, vectors, spec, settings);
}

Quantizer train_nocq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_plain(Constraint::near_orthogonal, vectors, spec, settings);
}

Quantizer train_locq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_plain(Constraint::learnt_offsets, vectors, spec, settings);
}

Quantizer train_qav(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_plain(Constraint::augmented, vectors, spec, settings);
}

Quantizer train_ub(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_plain(Constraint::upper_bound, vectors, spec, settings);
}

Quantizer train_cqe(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_counted(BiasStorage::byte, 1, vectors, spec, settings);
}

Quantizer train_cqd(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_counted(BiasStorage::dropped, 0, vectors, spec, settings);
}

Quantizer train_cqc(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    return train_counted(BiasStorage::float32, codes_of_float(spec.words()), vectors, spec, settings);
}

Quantizer train_snocq(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::near_orthogonal, spec, read);
    const Sparsity level = read.choice<Sparsity>("level", {{"1", Sparsity::as_pq}, {"2", Sparsity::as_opq}});
    const int given = read.integer("nonzeros", 0, 1, std::numeric_limits<int>::max());
    read.finish();
    options.nonzeros = given > 0 ? static_cast<std::size_t>(given)
                                 : nonzeros_of(level, spec.dictionaries, spec.words(), vectors.columns());
    return train_with(vectors, options, settings);
}

}  // namespace summand
