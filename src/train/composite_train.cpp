// CQ, NOCQ and LOCQ: the start, the penalty, the alternation.
#include <utility>

#include "summand/error.h"
#include "train/composite.h"
#include "train/ocq.h"
#include "train/qav.h"
#include "train/warm_start.h"

namespace summand {
namespace {

constexpr int kFreeIterations = 4;     // without a constraint, before levels are added
constexpr int kTrialIterations = 3;    // of each start
constexpr double kBytePenalty = 0.02;  // of the automatic one: CQ with a byte minds the error first

StartOptions start_options(const CompositeOptions& options, std::size_t dictionaries) {
    return {dictionaries, options.words, options.seed, options.execution};
}

CompositeStart block_start(const CompositeTask& task, MatrixView<float> vectors, std::size_t dictionaries) {
    const StartOptions options = start_options(task.options, dictionaries);
    const bool rotated = task.options.start != WarmStart::pq && dictionaries > 1;  // one dictionary gains nothing by it
    return rotated ? opq_start(vectors, options) : pq_start(vectors, options);
}

// A block method's solution.
CompositeState from_blocks(const CompositeTask& task, std::size_t dictionaries) {
    CompositeStart start = block_start(task, task.sample_rows(), dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
    state.penalty = automatic_penalty(task, state.model.dictionaries, state.codes);
    tie_offsets(state.model);
    return state;
}

// M-1 dictionaries without a constraint, and one of offset levels.
CompositeState from_levels(const CompositeTask& task) {
    const CompositeOptions& options = task.options;
    CompositeState state = from_blocks(task, options.dictionaries - 1);
    improve_unconstrained(task.first(task.sample), kFreeIterations, options.execution, state);
    state.objective.clear();
    const std::vector<double> targets = offset_targets({task.first(task.sample), state.codes}, state.model.dictionaries,
                                                       task.penalty(0), options.execution);
    append_levels(targets, options.words, options.seed, options.execution, state.model, state.codes);
    return state;
}

// Both starts, a few iterations each; the one whose codes find the neighbours of held-out vectors earlier goes on.
CompositeState better_start(CompositeTask& task) {
    CompositeState blocks = from_blocks(task, task.options.dictionaries), levels = from_levels(task);
    levels.penalty = blocks.penalty;
    const std::vector<float> translation = task.translation;
    const auto cost_of = [&](CompositeState& state) {
        while (state.step < kTrialIterations) iterate(task, kTrialIterations, state);
        const double cost = search_cost(task, state);
        if (task.translation != translation) task.translate(translation);
        state.step = 0;
        state.objective.clear();
        return cost;
    };
    const double with_blocks = cost_of(blocks), with_levels = cost_of(levels);
    return std::move(with_levels < with_blocks ? levels : blocks);
}

CompositeState start(CompositeTask& task) {
    const CompositeOptions& options = task.options;
    const bool may_choose = options.constraint == Constraint::learnt_offsets && options.dictionaries >= 2;
    CompositeState state = options.start == WarmStart::levels ? from_levels(task)
                           : options.start == WarmStart::automatic && may_choose && !task.held_out.empty()
                               ? better_start(task)
                               : from_blocks(task, options.dictionaries);
    if (options.rule == PenaltyRule::fixed) state.penalty = options.penalty;
    if (options.rule == PenaltyRule::validate) state.penalty = validated_penalty(task, state);
    if (options.constraint == Constraint::upper_bound) state.penalty = 1;
    return state;
}

// CQ: the alternation without a penalty, in closed form; then the bias.
Quantizer train_unconstrained(const CompositeTask& task) {
    const CompositeOptions& options = task.options;
    CompositeStart blocks = block_start(task, task.vectors.view(), options.dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(blocks.dictionaries)}, .codes = std::move(blocks.codes)};
    improve_unconstrained(task.input.view(), options.iterations, options.execution, state);
    tie_offsets(state.model);
    if (options.bias == BiasStorage::byte) {
        const double variance = score_variance(task.vectors.view(), near_pairs(task.vectors.view(), options.execution),
                                               task.rule, state.model.dictionaries, state.codes, options.execution);
        const CompositeData data{task.input.view(), state.codes};
        append_levels(offset_targets(data, state.model.dictionaries, task.penalty(0), options.execution), options.words,
                      options.seed, options.execution, state.model, state.codes);
        state.penalty = variance > 0 ? kBytePenalty / (4 * variance) : 0;
    }
    Quantizer model = assemble(task, state);
    if (options.bias == BiasStorage::float32) model.bias = Bias::stored;
    return model;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const CompositeOptions& options) {
    check_options(options);
    const std::size_t values = options.dictionaries * options.words * vectors.columns();
    require(options.nonzeros <= values, "train: expected at most ", values, " values that are not zero, got ",
            options.nonzeros);
    if (options.constraint == Constraint::orthogonal) return train_orthogonal(vectors, options);
    CompositeTask task = composite_task(vectors, options);
    if (options.constraint == Constraint::none) return train_unconstrained(task);
    if (options.constraint == Constraint::augmented) return train_augmented(task);
    CompositeState state = options.resume ? resume(task, *options.resume) : start(task);
    alternate(task, state);
    return assemble(task, state);
}

}  // namespace summand
