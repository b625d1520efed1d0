// Checkpoints of the alternation: what they hold, and to which training they belong.
#include <algorithm>

#include "base/hash.h"
#include "summand/error.h"
#include "train/composite.h"
#include "train/registry.h"

namespace summand {

std::uint64_t training_hash(const CompositeOptions& o, MatrixView<float> vectors, std::size_t held_out) {
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
                                   held_out,
                                   o.nonzeros};
    constexpr double kChosen = 1e300;  // stands for a number that the training chooses
    const double real[] = {o.penalty, o.theta.value_or(kChosen), o.expectation.value_or(kChosen), o.anisotropy,
                           o.anchor.value_or(kChosen)};
    return hash64(vectors.row(0), vectors.rows() * vectors.columns() * sizeof(float),
                  hash64(real, sizeof(real), hash64(whole, sizeof(whole))));
}

std::uint64_t task_hash(const CompositeTask& task) {
    return training_hash(task.options, task.vectors.view(), task.held_out.rows());
}

void require_same_training(const Checkpoint& checkpoint, std::uint64_t hash, const CompositeOptions& options,
                           MatrixView<float> vectors) {
    const Dictionaries& words = checkpoint.dictionaries;
    require(checkpoint.task == hash && checkpoint.codes.rows() == vectors.rows() &&
                words.count == options.dictionaries && words.words == options.words &&
                words.dimensions() == vectors.columns(),
            "train: the checkpoint belongs to a training with other data or options; remove it or repeat the command "
            "that made it");
}

void save_checkpoint(const CompositeTask& task, std::uint64_t hash, const CompositeState& state) {
    if (!task.options.checkpoint) return;
    task.options.checkpoint({.task = hash,
                             .step = static_cast<int>(state.objective.size()),
                             .penalty = state.penalty,
                             .epsilon = state.model.epsilon,
                             .theta = task.rule.theta,
                             .expectation = task.rule.expectation,
                             .translation = task.translation,
                             .dictionaries = state.model.dictionaries,
                             .word_offsets = state.model.word_offsets,
                             .codes = state.codes,
                             .objective = state.objective,
                             .anchor = state.anchor->words,
                             .anchor_offsets = state.anchor->beyond,
                             .anchor_weight = state.anchor->weight});
}

CompositeState resume(CompositeTask& task, const Checkpoint& checkpoint) {
    require_same_training(checkpoint, task_hash(task), task.options, task.vectors.view());
    // CQ has as many iterations without a penalty before those with one.
    const int before = task.options.constraint == Constraint::none ? task.options.iterations : 0;
    CompositeState state{.model = {checkpoint.dictionaries, checkpoint.word_offsets, checkpoint.epsilon},
                         .codes = checkpoint.codes,
                         .penalty = checkpoint.penalty,
                         .step = std::max(0, checkpoint.step - before),
                         .objective = checkpoint.objective};
    require(checkpoint.anchor.rows() == checkpoint.dictionaries.rows.rows() &&
                checkpoint.anchor.columns() == checkpoint.dictionaries.dimensions() &&
                checkpoint.anchor_offsets.size() == checkpoint.anchor.rows(),
            "train: the checkpoint of ", method_name(task.options), " has no start of its words");
    state.anchor =
        std::make_shared<Anchor>(Anchor{checkpoint.anchor, checkpoint.anchor_offsets, checkpoint.anchor_weight});
    task.rule = {checkpoint.expectation, checkpoint.theta};
    if (checkpoint.translation != task.translation) task.translate(checkpoint.translation);
    return state;
}

}  // namespace summand
