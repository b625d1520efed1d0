// Checkpoints of the alternation: what they hold, and to which training they belong.
#include "base/hash.h"
#include "summand/error.h"
#include "train/composite.h"

namespace summand {

std::uint64_t task_hash(const CompositeTask& task) {
    const CompositeOptions& o = task.options;
    const auto number = [](auto choice) { return static_cast<std::uint64_t>(choice); };
    const std::uint64_t whole[] = {number(o.constraint),
                                   o.dictionaries,
                                   o.words,
                                   number(o.iterations),
                                   number(o.start),
                                   number(o.rule),
                                   number(o.bias),
                                   number(o.learn_epsilon),
                                   number(o.translation),
                                   number(o.effort),
                                   number(o.unit_length),
                                   o.seed,
                                   task.held_out.rows(),
                                   o.nonzeros};
    constexpr double kChosen = 1e300;  // stands for a number that the training chooses
    const double real[] = {o.penalty, o.theta.value_or(kChosen), o.expectation.value_or(kChosen)};
    return hash64(task.vectors.data(), task.vectors.size() * sizeof(float),
                  hash64(real, sizeof(real), hash64(whole, sizeof(whole))));
}

void save_checkpoint(const CompositeTask& task, std::uint64_t hash, const CompositeState& state) {
    if (!task.options.checkpoint) return;
    task.options.checkpoint({.task = hash,
                             .step = state.step,
                             .penalty = state.penalty,
                             .epsilon = state.model.epsilon,
                             .theta = task.rule.theta,
                             .expectation = task.rule.expectation,
                             .translation = task.translation,
                             .dictionaries = state.model.dictionaries,
                             .word_offsets = state.model.word_offsets,
                             .codes = state.codes,
                             .objective = state.objective});
}

CompositeState resume(CompositeTask& task, const Checkpoint& checkpoint) {
    require(
        checkpoint.task == task_hash(task) && checkpoint.codes.rows() == task.vectors.rows(),
        "train: the checkpoint belongs to a training with other data or options; remove it or repeat the command that "
        "made it");
    CompositeState state{.model = {checkpoint.dictionaries, checkpoint.word_offsets, checkpoint.epsilon},
                         .codes = checkpoint.codes,
                         .penalty = checkpoint.penalty,
                         .step = checkpoint.step,
                         .objective = checkpoint.objective};
    task.rule = {checkpoint.expectation, checkpoint.theta};
    if (checkpoint.translation != task.translation) task.translate(checkpoint.translation);
    return state;
}

}  // namespace summand
