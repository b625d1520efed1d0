// The algorithms of the composite family, each as one function that reads like its box in docs/methods/.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/stopwatch.h"
#include "summand/error.h"
#include "train/additive_fit.h"
#include "train/composite.h"
#include "train/dictionary_step.h"
#include "train/least_squares.h"
#include "train/ocq.h"
#include "train/registry.h"
#include "train/start.h"

namespace summand {
namespace {

void report(const Problem& problem, const CompositeState& state, const CompositeTerms& terms) {
    if (!problem.execution().progress) return;
    problem.execution().progress(
        {.stage = method_name(problem.options),
         .step = static_cast<std::size_t>(state.step),
         .steps = static_cast<std::size_t>(problem.recipe.iterations),
         .objective = state.objective.back(),
         .distortion = terms.error,
         .cross_term_spread = terms.error > 0 ? terms.deviation() / terms.error : 0,
         .seconds = problem.watch.seconds(),
         .resumed = static_cast<std::size_t>(problem.options.resume ? problem.options.resume->step : 0)});
}

// Near the end the residuals are what they will be, and the rule that fits them can be told.
int rule_step(const Recipe& recipe) {
    return std::min(recipe.iterations - 1, static_cast<int>(std::ceil(recipe.rule.when * recipe.iterations)));
}

}  // namespace

void alternate(const Problem& problem, int last, CompositeState& state) {
    while (state.step < last) {
        const CompositePenalty penalty = ramped(state.penalty, state.step, problem.recipe);
        update_offsets(problem, penalty, state);
        update_dictionaries(problem, penalty, state);
        update_codes(problem, penalty, state);
        update_translation(problem, state);
        ++state.step;
        const CompositeTerms terms = evaluate(state.data(), state.model, state.penalty, problem.execution());
        state.objective.push_back(terms.objective(state.penalty));
        report(problem, state, terms);
        save_checkpoint(problem, state);
    }
}

namespace {

// NOCQ, SNOCQ, UB and LOCQ.
Quantizer train_penalised(const Problem& problem) {
    const Recipe& recipe = problem.recipe;
    const Checkpoint* saved = problem.options.resume;
    CompositeState state = saved ? resume(problem, *saved) : start(problem);
    cover_all(problem, state);
    alternate(problem, rule_step(recipe), state);
    if (state.step == rule_step(recipe)) update_rule(problem, state);
    alternate(problem, recipe.iterations, state);
    update_offsets(problem, state.penalty, state);
    return assemble(problem, state);
}

// Words and codes without a penalty.
void update_unconstrained(const Problem& problem, CompositeState& state) {
    const Recipe& recipe = problem.recipe;
    const Execution& execution = problem.execution();
    CompositeModel& model = state.model;
    if (recipe.solver == Solver::closed)
        solve_dictionaries(state.data(), recipe.ridge, execution, model.dictionaries);
    else
        descend(state.data(), {.offsets = Offsets::free}, recipe.lbfgs, execution, model);
    CompositeEncoder(model.dictionaries, model.word_offsets, {}, execution)
        .improve(state.view(),
                 {.sweeps = recipe.sweeps, .perturbations = recipe.perturbations, .seed = state.objective.size()},
                 execution, state.codes);
}

void alternate_unconstrained(const Problem& problem, int last, CompositeState& state) {
    state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
    while (static_cast<int>(state.objective.size()) < last) {
        update_unconstrained(problem, state);
        state.objective.push_back(
            evaluate(state.data(), state.model, {.offsets = Offsets::free}, problem.execution()).error);
        report_step(problem.execution(), "CQ", static_cast<int>(state.objective.size()), last, state.objective.back(),
                    problem.watch);
        save_checkpoint(problem, state);
    }
}

CompositeState unconstrained_start(const Problem& problem) {
    const WarmStart given = problem.options.start;
    const WarmStart kind = given == WarmStart::automatic ? problem.recipe.start.usual : given;
    return block_state(problem, kind, problem.vectors->vectors.rows());
}

// With anisotropy η: iterations with the weight of e² = 4 (y·r)² that counts the error along a vector of the usual
// length η times.
void weigh_direction(const Problem& problem, CompositeState& state) {
    const std::vector<float>& norms = state.vectors->squared_norms;
    const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
    const double weight = problem.options.anisotropy - 1;
    state.penalty.penalty = sum > 0 ? weight * static_cast<double>(norms.size()) / (4 * sum) : 0;
    alternate(problem, problem.recipe.iterations, state);
}

// The third term as one more dictionary of zero words, whose offsets are its levels.
void append_third_term(const Problem& problem, CompositeState& state) {
    const CompositeOptions& options = problem.options;
    const PenaltyRecipe& recipe = problem.recipe.penalty;
    const MatrixView<float> vectors = state.view().vectors;
    const double variance = score_variance(vectors, near_pairs(vectors, options.execution, recipe.pairs), {},
                                           state.model.dictionaries, state.codes, options.execution);
    append_levels(problem, offset_targets(state.data(), state.model.dictionaries, state.penalty, options.execution),
                  state);
    state.penalty.penalty = variance > 0 ? recipe.byte_factor / (4 * variance) : 0;
}

// CQ.
Quantizer train_unconstrained(const Problem& problem) {
    const CompositeOptions& options = problem.options;
    CompositeState state = options.resume ? resume(problem, *options.resume) : unconstrained_start(problem);
    alternate_unconstrained(problem, problem.recipe.iterations, state);
    if (options.anisotropy != 1)
        weigh_direction(problem, state);
    else
        tie_offsets(state.model);
    if (options.bias == BiasStorage::byte) append_third_term(problem, state);
    Quantizer model = assemble(problem, state);
    if (options.bias == BiasStorage::float32) model.bias = Bias::stored;
    return model;
}

// QAV. |q - x|² = |q|² + [q; 1]·[-2x; |x|²]: whoever approximates the augmented vector has turned distances into inner
// products. A word of it, [-2c; o], is a word c and its offset o, and with the words [-2c; o] summed up
//
//     |[-2y; |y|²] - Σ_m [-2c; o]|² = 4 (|y - ȳ|² + 1/4 (|y|² - Σ_m word_offset)²)
//
// That is the objective of the composite family with penalty 1/4, theta = 1, free offsets and an expected query of
// zero. Codes fixed, words and offsets are two least-squares problems with the same matrix.
Quantizer train_augmented(const Problem& problem) {
    const Recipe& recipe = problem.recipe;
    const CompositeOptions& options = problem.options;
    const WarmStart kind = options.start == WarmStart::pq ? WarmStart::pq : WarmStart::opq;
    CompositeState state = block_state(problem, kind, problem.vectors->vectors.rows());
    CompositeModel& model = state.model;
    state.penalty.penalty = 0.25;
    model.word_offsets.assign(model.dictionaries.rows.rows(), 0.0f);
    while (state.step < recipe.iterations) {
        solve_dictionaries(state.data(), recipe.ridge, options.execution, model.dictionaries);
        update_offsets(problem, state.penalty, state);
        update_codes(problem, state.penalty, state);
        ++state.step;
        state.objective.push_back(
            evaluate(state.data(), model, state.penalty, options.execution).objective(state.penalty));
        report_step(options.execution, "QAV", state.step, recipe.iterations, state.objective.back(), problem.watch);
    }
    update_offsets(problem, state.penalty, state);
    return assemble(problem, state);
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const CompositeOptions& options) {
    check_options(options);
    const std::size_t values = options.dictionaries * options.words * vectors.columns();
    require(options.nonzeros <= values, "train: expected at most ", values, " values that are not zero, got ",
            options.nonzeros);
    if (options.constraint == Constraint::orthogonal) return train_orthogonal(vectors, options);
    const Problem problem = pose(vectors, options);
    if (options.constraint == Constraint::none) return train_unconstrained(problem);
    if (options.constraint == Constraint::augmented) return train_augmented(problem);
    return train_penalised(problem);
}

}  // namespace summand
