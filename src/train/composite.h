// The alternation of the composite family: offsets, dictionaries, codes, by turns.
#pragma once

#include <cstdint>
#include <vector>

#include "model/composite_encoder.h"
#include "summand/train.h"
#include "train/composite_objective.h"
#include "train/query_model.h"

namespace summand {

/// θ where none is given: with a model of the queries, and without one.
inline constexpr double kThetaWithQueries = 0.4, kThetaAlone = -0.15;

/// Everything that stays fixed during a training.
struct CompositeTask {
    const CompositeOptions& options;
    Matrix<float> vectors = {};   ///< centred by the mean, to learn from
    Matrix<float> held_out = {};  ///< centred by the mean, to report on
    std::vector<float> mean = {};
    std::vector<float> translation = {};  ///< beyond the mean, where it is learnt
    NearPairs pairs = {};                 ///< among `vectors`
    QueryModel queries = {};              ///< empty matrices where the method has none
    CompositeInput input = {}, held_out_input = {};

    bool uses_queries() const { return !queries.metric.empty(); }
    double theta() const {
        if (options.constraint == Constraint::augmented) return 1;
        if (options.constraint != Constraint::learnt_offsets) return 0;
        return options.theta ? *options.theta : uses_queries() ? kThetaWithQueries : kThetaAlone;
    }
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
        return {mu, theta(), offsets()};
    }

    /// Moves the input by a translation beyond the mean.
    void translate(std::vector<float> to);
};

/// What changes.
struct CompositeState {
    CompositeModel model = {};  ///< words in the metric of the task
    Matrix<std::uint8_t> codes = {};
    double penalty = 0;  ///< μ at the end of the ramp
    int step = 0;
    std::vector<double> objective = {};  ///< after each iteration, with the penalty of the end
};

/// What the encoder is to minimise.
CodePenalty code_penalty(const CompositePenalty& penalty);

CompositeTask composite_task(MatrixView<float> vectors, const CompositeOptions& options);

/// 1/(4 s²) of score_variance, times a factor that depends on the number of dictionaries.
double automatic_penalty(const CompositeTask& task, const Dictionaries& words, const Matrix<std::uint8_t>& codes);

/// Iterations up to options.iterations, each weakly decreasing the objective at its penalty.
void alternate(CompositeTask& task, CompositeState& state);

/// Mean objective of fresh encodings of the held-out vectors.
CompositeTerms held_out_terms(const CompositeTask& task, const CompositeState& state);

Quantizer assemble(const CompositeTask& task, const CompositeState& state);

/// μ by the paper's rule: the candidate whose model searches {5, 10, …, 100} neighbours best.
double validated_penalty(CompositeTask& task, const CompositeState& start);

/// Throws `Error` where `checkpoint` belongs to another task.
CompositeState resume(CompositeTask& task, const Checkpoint& checkpoint);

}  // namespace summand
