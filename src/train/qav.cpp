// |q - x|² = |q|² + [q; 1]·[-2x; |x|²]: whoever approximates the augmented vector has turned distances into inner
// products. A word of it, [-2c; o], is a word c and its offset o, and with the words [-2c; o] summed up
//
//     |[-2y; |y|²] - Σ_m [-2c; o]|² = 4 (|y - ȳ|² + 1/4 (|y|² - Σ_m word_offset)²)
//
// That is the objective of the composite family with penalty 1/4, theta = 1, free offsets and an expected query of
// zero. Codes fixed, words and offsets are two least-squares problems with the same matrix.
#include "train/qav.h"

#include <utility>

#include "base/stopwatch.h"
#include "model/composite_encoder.h"
#include "train/anchor.h"
#include "train/least_squares.h"
#include "train/warm_start.h"

namespace summand {
namespace {

CompositeState start_of(const CompositeTask& task) {
    const CompositeOptions& options = task.options;
    const StartOptions shape{options.dictionaries, options.words, options.seed, options.execution};
    CompositeStart start =
        options.start == WarmStart::pq ? pq_start(task.vectors.view(), shape) : opq_start(task.vectors.view(), shape);
    CompositeState state{.codes = std::move(start.codes), .penalty = kAugmentedPenalty};
    state.model.dictionaries = std::move(start.dictionaries);
    anchor_to_start(task, state);
    return state;
}

}  // namespace

Quantizer train_augmented(const CompositeTask& task) {
    const Stopwatch watch;
    const CompositeOptions& options = task.options;
    const Execution& execution = options.execution;
    const CompositePenalty penalty = task.penalty(kAugmentedPenalty);
    const CompositeView vectors = task.input.view();
    CompositeState state = start_of(task);
    CompositeModel& model = state.model;
    const CompositeData data = state.data(vectors);
    const std::vector<double> norms = offset_targets(data, model.dictionaries, penalty, execution);
    for (; state.step < options.iterations; ++state.step) {
        solve_dictionaries(data, execution, model.dictionaries);
        fit_offsets(data, norms, execution, model);
        CompositeEncoder(model.dictionaries, model.word_offsets, code_penalty(penalty), execution)
            .improve(vectors, {.sweeps = 2, .perturbations = 1, .seed = static_cast<std::uint64_t>(state.step)},
                     execution, state.codes);
        state.objective.push_back(evaluate(data, model, penalty, execution).objective(penalty));
        report_step(execution, "QAV", state.step + 1, options.iterations, state.objective.back(), watch);
    }
    fit_offsets(data, norms, execution, model);
    return assemble(task, state);
}

}  // namespace summand
