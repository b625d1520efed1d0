#include "train/composite.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/kernels.h"
#include "model/effort.h"
#include "model/word_sum.h"
#include "train/dictionary_step.h"
#include "train/gauss_newton.h"
#include "train/offset_rule.h"
#include "train/registry.h"
#include "train/sparse_words.h"

namespace summand {
namespace {

GivenRule given_rule(const CompositeOptions& options) { return {options.expectation, options.theta}; }

// The terms of e that a method has (composite_objective.h), while μ is not known.
CompositePenalty penalty_terms(const Problem& problem) {
    const CompositeOptions& options = problem.options;
    switch (options.constraint) {
        case Constraint::learnt_offsets: {
            const OffsetRule rule = usual_offset_rule(given_rule(options), problem.recipe.rule);
            return {.theta = rule.theta, .expectation = rule.expectation, .offsets = Offsets::free};
        }
        case Constraint::augmented:
            return {.theta = 1, .expectation = 0, .offsets = Offsets::free};
        case Constraint::upper_bound:
            return {.absolute = 1};
        case Constraint::none:
            if (options.anisotropy != 1) return {.theta = 1, .offsets = Offsets::none, .norm = 0};
            return {};
        case Constraint::near_orthogonal:
        case Constraint::orthogonal:
            return {};
    }
    return {};
}

// The share of the ramp that `steps` iterations have passed.
double ramp_share(int steps, const Recipe& recipe) {
    const double rising = recipe.penalty.ramp * recipe.iterations;
    return rising > 0 ? steps / rising : 1;
}

CompositeEncoder encoder_of(const CompositeState& state, const CompositePenalty& penalty, const Execution& execution) {
    return {state.model.dictionaries, state.model.word_offsets, code_penalty(penalty), execution};
}

// Sparse words lose values while the penalty rises: an iteration then steps with all values, drops some, and steps with
// the rest. Later iterations step with the rest alone.
void update_sparse(const Problem& problem, const CompositePenalty& penalty, CompositeState& state) {
    const LbfgsRecipe& lbfgs = problem.recipe.lbfgs;
    Dictionaries& words = state.model.dictionaries;
    if (state.step == 0 || ramp_share(state.step, problem.recipe) < 1) {
        descend(state.data(), penalty, lbfgs, problem.execution(), state.model);
        const double share = ramp_share(state.step + 1, problem.recipe);
        keep_strongest(state.codes, falling_nonzeros(words.rows.size(), problem.options.nonzeros, share), words);
    }
    descend(state.data(), penalty, lbfgs, problem.execution(), state.model, Support::nonzeros);
}

constexpr CompositePenalty kPlain = {.offsets = Offsets::free};  // |r|² and |ȳ|² - Σ word_offset

// The weight of the anchor: the start of a word counts as so many vectors.
double start_weight(const Problem& problem) {
    return problem.options.anchor.value_or(problem.few() ? problem.recipe.anchor.weight : 0);
}

}  // namespace

CompositeState begin(const Problem& problem, Dictionaries dictionaries, Matrix<std::uint8_t> codes) {
    CompositeState state{.model = {.dictionaries = std::move(dictionaries)},
                         .codes = std::move(codes),
                         .penalty = penalty_terms(problem),
                         .translation = std::vector<float>(problem.centre.size(), 0.0f),
                         .vectors = problem.vectors,
                         .held_out = problem.held_out};
    if (state.penalty.offsets == Offsets::none)
        state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
    else
        tie_offsets(state.model);
    state.anchor = std::make_shared<Anchor>(anchor_at(state.model, start_weight(problem)));
    return state;
}

CodePenalty code_penalty(const CompositePenalty& penalty) {
    return {static_cast<float>(penalty.penalty), static_cast<float>(penalty.theta),
            static_cast<float>(penalty.expectation), static_cast<float>(penalty.absolute),
            static_cast<float>(penalty.norm)};
}

CompositePenalty ramped(const CompositePenalty& penalty, int step, const Recipe& recipe) {
    const double decades = recipe.penalty.decades;
    const double rising = recipe.penalty.ramp * recipe.iterations;
    const double factor = std::min(1.0, std::pow(10.0, -decades + decades * (step + 1) / rising));
    CompositePenalty result = penalty;
    result.penalty *= factor;
    result.absolute *= factor;
    return result;
}

void translate(const Problem& problem, std::vector<float> translation, CompositeState& state) {
    state.translation = std::move(translation);
    state.vectors = moved(*problem.vectors, state.translation);
    state.held_out = moved(*problem.held_out, state.translation);
}

void cover_all(const Problem& problem, CompositeState& state) {
    const std::size_t covered = state.codes.rows(), all = state.vectors->vectors.rows();
    if (covered == all) return;
    const Matrix<std::uint8_t> rest =
        encoder_of(state, ramped(state.penalty, state.step, problem.recipe), problem.execution())
            .encode(state.vectors->view().slice(covered, all - covered), {.sweeps = problem.recipe.judge.sweeps},
                    problem.execution());
    std::vector<std::uint8_t> codes = state.codes.values();
    codes.insert(codes.end(), rest.values().begin(), rest.values().end());
    state.codes = Matrix<std::uint8_t>(all, rest.columns(), std::move(codes));
}

void update_offsets(const Problem& problem, const CompositePenalty& penalty, CompositeState& state) {
    const Execution& execution = problem.execution();
    CompositeModel& model = state.model;
    if (penalty.offsets == Offsets::free) {
        const std::vector<double> targets = offset_targets(state.data(), model.dictionaries, penalty, execution);
        fit_offsets(state.data(), targets, problem.recipe.offsets, execution, model);
    } else if (penalty.offsets == Offsets::tied) {
        // e is the cross term less ε: its mean is what ε lacks. UB has no ε.
        tie_offsets(model);
        if (problem.options.learn_epsilon && penalty.absolute == 0)
            model.epsilon += evaluate(state.data(), model, penalty, execution).excess;
        tie_offsets(model);
    }
}

void update_dictionaries(const Problem& problem, const CompositePenalty& penalty, CompositeState& state) {
    const Recipe& recipe = problem.recipe;
    if (problem.options.nonzeros > 0)
        update_sparse(problem, penalty, state);
    else if (penalty.offsets != Offsets::tied && state.model.dictionaries.rows.rows() <= recipe.newton.most_words)
        newton_step(state.data(), penalty, recipe.newton, problem.execution(), state.model);
    else
        descend(state.data(), penalty, recipe.lbfgs, problem.execution(), state.model);
}

void update_codes(const Problem& problem, const CompositePenalty& penalty, CompositeState& state) {
    const Recipe& recipe = problem.recipe;
    const bool risen = ramp_share(state.step, recipe) >= 1;
    const LocalSearch search{.sweeps = recipe.sweeps,
                             .perturbations = risen ? recipe.perturbations : 0,
                             .seed = static_cast<std::uint64_t>(state.step)};
    encoder_of(state, penalty, problem.execution()).improve(state.view(), search, problem.execution(), state.codes);
}

void update_translation(const Problem& problem, CompositeState& state) {
    if (problem.options.translation != Translation::learnt) return;
    const CompositeView view = state.view();
    const std::size_t D = view.vectors.columns();
    const Matrix<float> sums = word_sums(state.model.dictionaries, state.codes, problem.execution());
    std::vector<double> mean(D, 0.0);
    for (std::size_t n = 0; n < view.rows(); ++n)
        for (std::size_t d = 0; d < D; ++d) mean[d] += static_cast<double>(view.vectors[n][d] - sums[n][d]);
    std::vector<float> translation = state.translation;
    for (std::size_t d = 0; d < D; ++d)
        translation[d] += static_cast<float>(mean[d] / static_cast<double>(view.rows()));
    translate(problem, std::move(translation), state);
}

void update_rule(const Problem& problem, CompositeState& state) {
    if (state.penalty.offsets != Offsets::free) return;
    const Execution& execution = problem.execution();
    const OffsetRule rule = best_offset_rule(state.held_out->vectors.view(), state.view().vectors,
                                             word_sums(state.model.dictionaries, state.codes, execution).view(),
                                             given_rule(problem.options), execution, problem.recipe);
    state.penalty.theta = rule.theta;
    state.penalty.expectation = rule.expectation;
}

CompositePenalty coding_penalty(const Problem& problem, const CompositeState& state) {
    CompositePenalty penalty = state.penalty;
    if (problem.options.rule == PenaltyRule::automatic && problem.recipe.penalty.factor > 0)
        penalty.penalty *= problem.recipe.penalty.coding_factor / problem.recipe.penalty.factor;
    return penalty;
}

CompositeTerms held_out_terms(const Problem& problem, const CompositeState& state, const CompositePenalty& penalty) {
    const Execution& execution = problem.execution();
    const CompositeView held_out = state.held_out->view();
    const LocalSearch search = local_search(problem.options.effort, state.model.dictionaries.count);
    const Matrix<std::uint8_t> codes =
        encoder_of(state, coding_penalty(problem, state), execution).encode(held_out, search, execution);
    return evaluate({held_out, codes}, state.model, penalty, execution);
}

Quantizer assemble(const Problem& problem, const CompositeState& state) {
    const CompositeOptions& options = problem.options;
    Quantizer model{.method = std::string(method_name(options)), .unit_length = options.unit_length};
    model.centre = problem.centre;
    for (std::size_t d = 0; d < model.centre.size(); ++d) model.centre[d] += state.translation[d];
    model.dictionaries = state.model.dictionaries;
    model.word_offsets = state.model.word_offsets;
    const CodePenalty penalty = code_penalty(coding_penalty(problem, state));
    model.encoder = {.penalty = penalty.penalty,
                     .theta = penalty.theta,
                     .expectation = penalty.expectation,
                     .absolute_penalty = penalty.absolute,
                     .norm = penalty.norm,
                     .effort = options.effort};
    const CompositeTerms learnt = evaluate({state.view(), state.codes}, state.model, kPlain, options.execution);
    model.training = {.vectors = state.codes.rows(),
                      .distortion = learnt.error,
                      .cross_term_deviation = learnt.deviation(),
                      .objective = state.objective};
    if (problem.held_out->vectors.rows() == 0) return model;
    const CompositeTerms fresh = held_out_terms(problem, state, kPlain);
    model.training.held_out_distortion = fresh.error;
    model.training.cross_term_deviation = fresh.deviation();
    return model;
}

}  // namespace summand
