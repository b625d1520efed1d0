// The alternation of the composite family: offsets, dictionaries, codes, by turns.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/composite_encoder.h"
#include "summand/train.h"
#include "train/anchor.h"
#include "train/composite_objective.h"
#include "train/near_pairs.h"
#include "train/offset_rule.h"

namespace summand {

/// Vectors for each word of each dictionary: from there on, estimates of dense words are good enough.
inline constexpr std::size_t kFewVectors = 8;

/// What stays as it is during a training; the rule is chosen on the way.
struct CompositeTask {
    const CompositeOptions& options;
    Matrix<float> vectors = {};   ///< centred by the mean, to learn from, in random order
    std::size_t sample = 0;       ///< that many of them do for the start and its trials
    Matrix<float> held_out = {};  ///< centred by the mean, to report on
    std::vector<float> mean = {};
    std::vector<float> translation = {};  ///< beyond the mean, where it is learnt
    NearPairs pairs = {};                 ///< among `vectors`
    OffsetRule rule = {};                 ///< of free offsets
    CompositeInput input = {}, held_out_input = {};

    MatrixView<float> sample_rows() const { return vectors.view().slice(0, sample); }
    /// Whether dense words learn from too few vectors for what they have to learn (docs/decisions/0016-few-vectors.md).
    bool few() const { return vectors.rows() < kFewVectors * options.dictionaries * options.words; }
    CompositeView first(std::size_t rows) const { return input.view().slice(0, rows); }
    Offsets offsets() const {
        const Constraint constraint = options.constraint;
        const bool free = constraint == Constraint::learnt_offsets || constraint == Constraint::augmented;
        return free ? Offsets::free : Offsets::tied;
    }
    /// Whether the automatic penalty, from near pairs, is of use.
    bool penalised() const {
        return options.constraint == Constraint::near_orthogonal || options.constraint == Constraint::learnt_offsets;
    }
    /// UB has μ as the weight of |e|, which is 1 at the end.
    CompositePenalty penalty(double mu) const {
        if (options.constraint == Constraint::upper_bound) return {.offsets = Offsets::tied, .absolute = mu};
        if (options.anisotropy != 1) return {.penalty = mu, .theta = 1, .offsets = Offsets::none, .norm = 0};
        return {mu, rule.theta, rule.expectation, offsets()};
    }

    /// Moves the input by a translation beyond the mean.
    void translate(std::vector<float> to);
};

/// What changes.
struct CompositeState {
    CompositeModel model = {};
    Matrix<std::uint8_t> codes = {};     ///< of the first vectors of the task: the sample in trials, else all
    double penalty = 0;                  ///< μ at the end of the ramp
    int step = 0;                        ///< of the iterations with a penalty
    std::vector<double> objective = {};  ///< after each iteration, those without a penalty first; with that of the end
    std::shared_ptr<const Anchor> anchor = {};  ///< the block method it started from

    CompositeData data(const CompositeView& vectors) const { return {vectors, codes, anchor.get()}; }
};

/// What the encoder is to minimise.
CodePenalty code_penalty(const CompositePenalty& penalty);

/// Throws `Error` for options that no data can make right.
void check_options(const CompositeOptions& options);

/// Whether starts are to be tried on the sample and judged on the other vectors, of which it then leaves a quarter, as
/// it does for a penalty that is to be validated.
bool compares_starts(const CompositeOptions& options);

CompositeTask composite_task(MatrixView<float> vectors, const CompositeOptions& options);

/// 1/(4 s²) of score_variance, times a factor that depends on the number of dictionaries.
double automatic_penalty(const CompositeTask& task, const Dictionaries& words, const Matrix<std::uint8_t>& codes);

/// One iteration of `iterations`: offsets, dictionaries and codes of the vectors that the state covers, each weakly
/// decreasing the objective at the penalty of that iteration. Returns the terms after it.
CompositeTerms iterate(CompositeTask& task, int iterations, CompositeState& state);

/// Iterations on all vectors up to options.iterations, reported and saved; then the offsets once more.
void alternate(CompositeTask& task, CompositeState& state);

/// Mean objective of fresh encodings of the held-out vectors.
CompositeTerms held_out_terms(const CompositeTask& task, const CompositeState& state);

/// Those that a model of the state is judged by: vectors that it does not cover, since words flatter those they were
/// learnt from; the covered ones where there are no others.
CompositeView judged_vectors(const CompositeTask& task, const CompositeState& state);

/// Approximations of the judged vectors, and a row with the sums of their offsets: a score is offset - 2 q·sum.
struct JudgedScores {
    Matrix<float> sums, offsets;
};

JudgedScores judged_scores(const CompositeTask& task, const CompositeState& state);

/// Those of the state's own offsets, for each query: held-out vectors ask for the judged ones that are nearest to them.
std::vector<double> search_costs(const CompositeTask& task, const CompositeState& state,
                                 const std::vector<std::size_t>& nearest);

Quantizer assemble(const CompositeTask& task, const CompositeState& state);

/// μ by the paper's rule: that of the model with which held-out vectors find their {5, 10, …, 100} neighbours among the
/// judged ones best.
double validated_penalty(CompositeTask& task, const CompositeState& start);

/// Of every option that influences the model, the vectors to learn from, and how many are held out.
std::uint64_t training_hash(const CompositeOptions& options, MatrixView<float> vectors, std::size_t held_out);
std::uint64_t task_hash(const CompositeTask& task);

/// Throws `Error` where `checkpoint` belongs to a training with another hash or of other sizes.
void require_same_training(const Checkpoint& checkpoint, std::uint64_t hash, const CompositeOptions& options,
                           MatrixView<float> vectors);

/// Hands the state to options.checkpoint, where there is one.
void save_checkpoint(const CompositeTask& task, std::uint64_t hash, const CompositeState& state);

/// The state that was saved; throws `Error` where `checkpoint` belongs to another task.
CompositeState resume(CompositeTask& task, const Checkpoint& checkpoint);

}  // namespace summand
