// The alternation of the composite family: offsets, dictionaries and codes by turns, each weakly decreasing the
// objective of composite_objective.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/composite_encoder.h"
#include "train/anchor.h"
#include "train/composite_objective.h"
#include "train/problem.h"

namespace summand {

/// Everything that changes during a training. Copies are cheap where no translation is learnt: trials work on them.
struct CompositeState {
    CompositeModel model = {};
    Matrix<std::uint8_t> codes = {};      ///< of the first vectors of the problem: the sample in trials, else all
    CompositePenalty penalty = {};        ///< μ at the end of the ramp, θ and a
    std::vector<float> translation = {};  ///< beyond the centre
    std::shared_ptr<const CompositeInput> vectors = {}, held_out = {};  ///< the problem's vectors less the translation
    int step = 0;                                                       ///< finished iterations with a penalty
    std::vector<double> objective = {};                                 ///< after each iteration, at the μ of the end
    std::shared_ptr<const Anchor> anchor = {};                          ///< the words and offsets it started from

    CompositeView view() const { return vectors->view().slice(0, codes.rows()); }
    CompositeData data() const { return {view(), codes, anchor.get()}; }
};

/// Makes a state of these words and codes, with the penalty terms of the problem's method and μ = 0. The words become
/// its anchor, which has the recipe's first weight if there are few vectors, else none.
CompositeState begin(const Problem& problem, Dictionaries dictionaries, Matrix<std::uint8_t> codes);

/// What the encoder minimises for this penalty.
CodePenalty code_penalty(const CompositePenalty& penalty);

/// The penalty of an iteration: μ rises to that of the end over the first iterations.
CompositePenalty ramped(const CompositePenalty& penalty, int step, const Recipe& recipe);

/// Moves the vectors of the state by a translation beyond the centre.
void translate(const Problem& problem, std::vector<float> translation, CompositeState& state);

/// Encodes the vectors that have no codes yet.
void cover_all(const Problem& problem, CompositeState& state);

/// Each updates one part of the state and keeps the rest fixed.
void update_offsets(const Problem& problem, const CompositePenalty& penalty, CompositeState& state);
void update_dictionaries(const Problem& problem, const CompositePenalty& penalty, CompositeState& state);
void update_codes(const Problem& problem, const CompositePenalty& penalty, CompositeState& state);

/// t = t + mean residual, the closed form of the best translation. Does nothing unless the translation is learnt.
void update_translation(const Problem& problem, CompositeState& state);

/// Sets a and θ, for free offsets: the ones with which held-out vectors find their nearest neighbours earliest.
void update_rule(const Problem& problem, CompositeState& state);

/// Iterates until step `last` of recipe.iterations; reports and saves each step.
void alternate(const Problem& problem, int last, CompositeState& state);

/// The penalty for codes that are found after the training; the model carries it.
CompositePenalty coding_penalty(const Problem& problem, const CompositeState& state);

/// The objective of held-out vectors, encoded as the state's model will encode them, without the anchor's terms.
CompositeTerms held_out_terms(const Problem& problem, const CompositeState& state, const CompositePenalty& penalty);

/// The model of a finished state. Its held-out figures come from the encoder that it carries.
Quantizer assemble(const Problem& problem, const CompositeState& state);

/// Throws `Error` where `checkpoint` belongs to a training with another hash or of other sizes.
void require_same_training(const Checkpoint& checkpoint, std::uint64_t hash, const CompositeOptions& options,
                           MatrixView<float> vectors);

/// Hands the state to options.checkpoint, where there is one.
void save_checkpoint(const Problem& problem, const CompositeState& state);

/// The state that was saved; throws `Error` where `checkpoint` belongs to another training.
CompositeState resume(const Problem& problem, const Checkpoint& checkpoint);

}  // namespace summand
