// Checkpoints of the alternation: what they hold, and to which training they belong.
#include <algorithm>

#include "base/hash.h"
#include "summand/error.h"
#include "train/composite.h"
#include "train/recipe.h"
#include "train/registry.h"

namespace summand {

std::uint64_t training_hash(const CompositeOptions& o, MatrixView<float> vectors, std::size_t held_out) {
    const auto number = [](auto choice) { return static_cast<std::uint64_t>(choice); };
    const std::uint64_t whole[] = {number(o.constraint),
                                   o.dictionaries,
                                   o.words,
                                   hash_of(recipe_of(o)),
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

void require_same_training(const Checkpoint& checkpoint, std::uint64_t hash, const CompositeOptions& options,
                           MatrixView<float> vectors) {
    const Dictionaries& words = checkpoint.dictionaries;
    require(checkpoint.task == hash && checkpoint.codes.rows() == vectors.rows() &&
                words.count == options.dictionaries && words.words == options.words &&
                words.dimensions() == vectors.columns(),
            "train: the checkpoint belongs to a training with other data or options; remove it or repeat the command "
            "that made it");
}

void save_checkpoint(const Problem& problem, const CompositeState& state) {
    if (!problem.options.checkpoint) return;
    problem.options.checkpoint({.task = problem.hash,
                                .step = static_cast<int>(state.objective.size()),
                                .penalty = state.penalty.penalty,
                                .epsilon = state.model.epsilon,
                                .theta = state.penalty.theta,
                                .expectation = state.penalty.expectation,
                                .translation = state.translation,
                                .dictionaries = state.model.dictionaries,
                                .word_offsets = state.model.word_offsets,
                                .codes = state.codes,
                                .objective = state.objective,
                                .anchor = state.anchor->words,
                                .anchor_offsets = state.anchor->beyond,
                                .anchor_weight = state.anchor->weight});
}

CompositeState resume(const Problem& problem, const Checkpoint& checkpoint) {
    require_same_training(checkpoint, problem.hash, problem.options, problem.vectors->vectors.view());
    require(checkpoint.anchor.rows() == checkpoint.dictionaries.rows.rows() &&
                checkpoint.anchor.columns() == checkpoint.dictionaries.dimensions() &&
                checkpoint.anchor_offsets.size() == checkpoint.anchor.rows(),
            "train: the checkpoint of ", method_name(problem.options), " has no start of its words");
    // CQ has as many iterations without a penalty before those with one.
    const int before = problem.options.constraint == Constraint::none ? problem.recipe.iterations : 0;
    CompositeState state = begin(problem, checkpoint.dictionaries, checkpoint.codes);
    state.model.word_offsets = checkpoint.word_offsets;
    state.model.epsilon = checkpoint.epsilon;
    state.penalty.penalty = checkpoint.penalty;
    state.penalty.theta = checkpoint.theta;
    state.penalty.expectation = checkpoint.expectation;
    state.step = std::max(0, checkpoint.step - before);
    state.objective = checkpoint.objective;
    state.anchor =
        std::make_shared<Anchor>(Anchor{checkpoint.anchor, checkpoint.anchor_offsets, checkpoint.anchor_weight});
    if (checkpoint.translation != state.translation) translate(problem, checkpoint.translation, state);
    return state;
}

}  // namespace summand
