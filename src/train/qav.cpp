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
#include "train/additive_fit.h"
#include "train/least_squares.h"
#include "train/warm_start.h"

namespace summand {
namespace {

CompositeState start_of(const CompositeTask& task) {
    const CompositeOptions& options = task.options;
    const StartOptions shape{options.dictionaries, options.words, options.seed, options.execution, {},
                             task.recipe.start};
    CompositeStart start =
        options.start == WarmStart::pq ? pq_start(task.vectors.view(), shape) : opq_start(task.vectors.view(), shape);
    CompositeState state{.codes = std::move(start.codes), .penalty = kAugmentedPenalty};
    state.model.dictionaries = std::move(start.dictionaries);
    state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
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
    const CompositeData data{vectors, state.codes};
    const std::vector<double> norms = offset_targets(data, model.dictionaries, penalty, execution);
    for (; state.step < task.recipe.iterations; ++state.step) {
        solve_dictionaries(data, task.recipe.ridge, execution, model.dictionaries);
        fit_additive(state.codes, norms, options.words, execution, model.word_offsets, task.recipe.offsets);
        CompositeEncoder(model.dictionaries, model.word_offsets, code_penalty(penalty), execution)
            .improve(vectors,
                     {.sweeps = task.recipe.sweeps,
                      .perturbations = task.recipe.perturbations,
                      .seed = static_cast<std::uint64_t>(state.step)},
                     execution, state.codes);
        state.objective.push_back(evaluate(data, model, penalty, execution).objective(penalty));
        report_step(execution, "QAV", state.step + 1, task.recipe.iterations, state.objective.back(), watch);
    }
    fit_additive(state.codes, norms, options.words, execution, model.word_offsets, task.recipe.offsets);
    return assemble(task, state);
}

}  // namespace summand
