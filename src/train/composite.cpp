#include "train/composite.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "model/composite_encoder.h"
#include "model/effort.h"
#include "model/word_sum.h"
#include "train/additive_fit.h"
#include "train/dictionary_step.h"
#include "train/gauss_newton.h"
#include "train/prepare.h"
#include "train/registry.h"
#include "train/sparse_words.h"

namespace summand {
namespace {

// Words are learnt better with less of the natural weight than codes are found with once words are learnt.
double coding_penalty(const CompositeTask& task, double penalty) {
    if (task.options.rule == PenaltyRule::fixed || task.options.rule == PenaltyRule::validate) return penalty;
    return penalty * task.recipe.penalty.coding_factor / task.recipe.penalty.factor;
}

double ramped(double penalty, int step, int steps, const PenaltyRecipe& recipe) {
    const double exponent = -recipe.decades + recipe.decades * (step + 1) / (recipe.ramp * steps);
    return penalty * std::min(1.0, std::pow(10.0, exponent));
}

void update_offsets(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                    const OffsetRecipe& recipe, CompositeModel& model) {
    if (penalty.offsets == Offsets::free) {
        const std::vector<double> targets = offset_targets(data, model.dictionaries, penalty, options.execution);
        fit_additive(data.codes, targets, model.dictionaries.words, options.execution, model.word_offsets, recipe);
    } else if (penalty.offsets == Offsets::tied) {
        // e is the cross term less ε: its mean is what ε lacks.
        tie_offsets(model);
        const bool learnt = options.learn_epsilon && options.constraint == Constraint::near_orthogonal;
        if (learnt) model.epsilon += evaluate(data, model, penalty, options.execution).excess;
        tie_offsets(model);
    }
}

// Sparse words lose values while the penalty rises: a step with all values, those that are kept, and a step with them;
// from then on with them alone.
void update_sparse(const CompositeData& data, const CompositePenalty& penalty, const CompositeTask& task, double share,
                   CompositeState& state) {
    const CompositeOptions& options = task.options;
    const LbfgsRecipe& lbfgs = task.recipe.lbfgs;
    Dictionaries& words = state.model.dictionaries;
    if (share < 1) {
        descend(data, penalty, lbfgs, options.execution, state.model);
        const double next = share + 1 / (task.recipe.penalty.ramp * task.recipe.iterations);
        keep_strongest(data.codes, falling_nonzeros(words.rows.size(), options.nonzeros, next), words);
    }
    descend(data, penalty, lbfgs, options.execution, state.model, Support::nonzeros);
}

void update_dictionaries(const CompositeData& data, const CompositePenalty& penalty, const CompositeTask& task,
                         CompositeState& state) {
    const Execution& execution = task.options.execution;
    const Recipe& recipe = task.recipe;
    const double rising = recipe.penalty.ramp * recipe.iterations;
    if (task.options.nonzeros > 0)
        update_sparse(data, penalty, task, state.step < rising ? state.step / rising : 1, state);
    else if (penalty.offsets != Offsets::tied && state.model.dictionaries.rows.rows() <= recipe.newton.most_words)
        newton_step(data, penalty, recipe.newton, execution, state.model);
    else
        descend(data, penalty, recipe.lbfgs, execution, state.model);
}

CompositeEncoder encoder_of(const CompositeState& state, const CompositePenalty& penalty, const Execution& execution) {
    return {state.model.dictionaries, state.model.word_offsets, code_penalty(penalty), execution};
}

void update_codes(const CompositeTask& task, const CompositePenalty& penalty, int iterations, CompositeState& state) {
    const bool risen = state.step >= task.recipe.penalty.ramp * iterations;
    const LocalSearch search{.sweeps = task.recipe.sweeps,
                             .perturbations = risen ? task.recipe.perturbations : 0,
                             .seed = static_cast<std::uint64_t>(state.step)};
    encoder_of(state, penalty, task.options.execution)
        .improve(task.first(state.codes.rows()), search, task.options.execution, state.codes);
}

// From the sample to all vectors.
void cover_all(const CompositeTask& task, const CompositePenalty& penalty, CompositeState& state) {
    const std::size_t covered = state.codes.rows(), all = task.vectors.rows();
    if (covered == all) return;
    const Matrix<std::uint8_t> rest = encoder_of(state, penalty, task.options.execution)
                                          .encode(task.input.view().slice(covered, all - covered),
                                                  {.sweeps = task.recipe.judge.sweeps}, task.options.execution);
    std::vector<std::uint8_t> codes = state.codes.values();
    codes.insert(codes.end(), rest.values().begin(), rest.values().end());
    state.codes = Matrix<std::uint8_t>(all, rest.columns(), std::move(codes));
}

// Σc of the vectors that the state covers.
Matrix<float> sums_of(const CompositeState& state, const Execution& execution) {
    return word_sums(state.model.dictionaries, state.codes, execution);
}

GivenRule given_rule(const CompositeOptions& options) { return {options.expectation, options.theta}; }

// Near the end the residuals are what they will be, and the rule that fits them can be told.
void choose_rule(const CompositeState& state, CompositeTask& task) {
    if (task.options.constraint != Constraint::learnt_offsets) return;
    const Execution& execution = task.options.execution;
    task.rule = best_offset_rule(task.held_out_input.vectors.view(), task.first(state.codes.rows()).vectors,
                                 sums_of(state, execution).view(), given_rule(task.options), execution, task.recipe);
}

Matrix<float> moved(const Matrix<float>& rows, const std::vector<float>& translation) {
    Matrix<float> result = rows;
    for (std::size_t n = 0; n < rows.rows(); ++n)
        for (std::size_t d = 0; d < translation.size(); ++d) result[n][d] -= translation[d];
    return result;
}

// t = t + mean residual, which is the closed form of the paper's global translation.
void update_translation(CompositeTask& task, const CompositeState& state) {
    const std::size_t D = task.vectors.columns();
    const Dictionaries& words = state.model.dictionaries;
    const CompositeView view = task.first(state.codes.rows());
    std::vector<double> mean(D, 0.0);
    std::vector<float> sum(D);
    std::vector<const float*> chosen(words.count);
    for (std::size_t n = 0; n < view.rows(); ++n) {
        for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, state.codes[n][m]);
        kernels().sum_rows(chosen.data(), words.count, D, sum.data());
        for (std::size_t d = 0; d < D; ++d) mean[d] += static_cast<double>(view.vectors[n][d] - sum[d]);
    }
    std::vector<float> translation = task.translation;
    for (std::size_t d = 0; d < D; ++d)
        translation[d] += static_cast<float>(mean[d] / static_cast<double>(view.rows()));
    task.translate(std::move(translation));
}

double deviation(const CompositeTerms& terms) {
    return std::sqrt(std::max(0.0, terms.squared_excess - terms.excess * terms.excess));
}

void report(const CompositeTask& task, const CompositeState& state, const CompositeTerms& terms,
            const Stopwatch& watch) {
    if (!task.options.execution.progress) return;
    task.options.execution.progress({.stage = method_name(task.options),
                                     .step = static_cast<std::size_t>(state.step),
                                     .steps = static_cast<std::size_t>(task.recipe.iterations),
                                     .objective = terms.objective(task.penalty(state.penalty)),
                                     .distortion = terms.error,
                                     .cross_term_spread = terms.error > 0 ? deviation(terms) / terms.error : 0,
                                     .seconds = watch.seconds()});
}

Matrix<std::uint8_t> held_out_codes(const CompositeTask& task, const CompositeState& state) {
    return encoder_of(state, task.penalty(state.penalty), task.options.execution)
        .encode(task.held_out_input.view(), local_search(task.options.effort, task.options.dictionaries),
                task.options.execution);
}

// |r|² and |ȳ|² - Σ word_offset with the finished model.
CompositeTerms plain_terms(const Matrix<float>& vectors, const Matrix<std::uint8_t>& codes, const Quantizer& model,
                           const CompositeTask& task, const Execution& execution) {
    const CompositeInput input = composite_input(moved(vectors, task.translation));
    return evaluate({input.view().slice(0, codes.rows()), codes}, {model.dictionaries, model.word_offsets},
                    {.offsets = Offsets::free}, execution);
}

}  // namespace

bool compares_starts(const CompositeOptions& options) {
    return options.start == WarmStart::automatic && options.dictionaries > 1 &&
           recipe_of(options).start.candidates > 1 &&
           (options.constraint == Constraint::learnt_offsets ||
            (options.constraint == Constraint::near_orthogonal && options.nonzeros == 0));
}

CodePenalty code_penalty(const CompositePenalty& penalty) {
    return {static_cast<float>(penalty.penalty), static_cast<float>(penalty.theta),
            static_cast<float>(penalty.expectation), static_cast<float>(penalty.absolute),
            static_cast<float>(penalty.norm)};
}

void CompositeTask::translate(std::vector<float> to) {
    translation = std::move(to);
    input = composite_input(moved(vectors, translation));
    held_out_input = composite_input(moved(held_out, translation));
}

CompositeTask composite_task(MatrixView<float> vectors, const CompositeOptions& options) {
    Prepared data = prepare(vectors, {options.dictionaries, options.words}, options.unit_length, options.execution);
    if (options.translation == Translation::none)
        for (std::size_t d = 0; d < data.centre.size(); ++d) {
            for (std::size_t n = 0; n < data.vectors.rows(); ++n) data.vectors[n][d] += data.centre[d];
            data.centre[d] = 0;
        }
    CompositeTask task{.options = options, .recipe = recipe_of(options), .mean = std::move(data.centre)};
    const SplitRecipe& split = task.recipe.split;
    task.translation.assign(vectors.columns(), 0.0f);
    const std::size_t N = vectors.rows(), D = vectors.columns();
    const std::size_t spare = N > 2 * options.words ? std::min(split.most_held_out, N / split.held_out_one_in) : 0;
    Random random(options.seed);
    const std::vector<std::size_t> order = permutation(N, random);
    task.held_out = Matrix<float>(spare, D);
    task.vectors = Matrix<float>(N - spare, D);
    for (std::size_t i = 0; i < N; ++i)
        std::copy_n(data.vectors.row(order[i]), D, i < spare ? task.held_out.row(i) : task.vectors.row(i - spare));
    const std::size_t enough = std::max(split.smallest_sample, split.sample_per_word * options.words);
    task.sample = std::min(N - spare, enough);
    const bool judged = compares_starts(options) || options.rule == PenaltyRule::validate;
    if (spare > 0 && judged)
        task.sample =
            std::min(static_cast<std::size_t>((1 - split.judged_share) * static_cast<double>(N - spare)), enough);
    if (task.penalised()) task.pairs = near_pairs(task.vectors.view(), options.execution, task.recipe.penalty.pairs);
    if (options.constraint == Constraint::learnt_offsets)
        task.rule = usual_offset_rule(given_rule(options), task.recipe.rule);
    if (options.constraint == Constraint::augmented) task.rule = {.expectation = 0, .theta = 1};
    task.input = composite_input(task.vectors);
    task.held_out_input = composite_input(task.held_out);
    return task;
}

Recipe recipe_of(const CompositeOptions& options) {
    Recipe recipe = options.recipe.value_or(default_recipe(options.constraint, options.dictionaries));
    if (options.iterations) recipe.iterations = *options.iterations;
    return recipe;
}

double automatic_penalty(const CompositeTask& task, const Dictionaries& words, const Matrix<std::uint8_t>& codes) {
    if (task.options.rule == PenaltyRule::energy) {
        const std::vector<float>& norms = task.input.squared_norms;
        const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
        return sum > 0 ? 25 * static_cast<double>(norms.size()) / sum : 0;
    }
    NearPairs covered;
    std::copy_if(task.pairs.begin(), task.pairs.end(), std::back_inserter(covered),
                 [&](const auto& pair) { return pair.first < codes.rows(); });
    const double variance =
        score_variance(task.vectors.view(), covered, task.rule, words, codes, task.options.execution);
    return variance > 0 ? task.recipe.penalty.factor / (4 * variance) : 0;
}

CompositeTerms iterate(CompositeTask& task, int iterations, CompositeState& state) {
    const CompositeOptions& options = task.options;
    const CompositePenalty penalty = task.penalty(ramped(state.penalty, state.step, iterations, task.recipe.penalty));
    const CompositeData data{task.first(state.codes.rows()), state.codes};
    update_offsets(data, penalty, options, task.recipe.offsets, state.model);
    update_dictionaries(data, penalty, task, state);
    update_codes(task, penalty, iterations, state);
    if (options.translation == Translation::learnt) update_translation(task, state);
    ++state.step;
    const CompositeTerms terms = evaluate({task.first(state.codes.rows()), state.codes}, state.model,
                                          task.penalty(state.penalty), options.execution);
    state.objective.push_back(terms.objective(task.penalty(state.penalty)));
    return terms;
}

void alternate(CompositeTask& task, CompositeState& state) {
    const Stopwatch watch;
    const CompositeOptions& options = task.options;
    const std::uint64_t hash = task_hash(task);
    const int iterations = task.recipe.iterations;
    const int last_ones = std::min(iterations - 1, static_cast<int>(std::ceil(task.recipe.rule.when * iterations)));
    cover_all(task, task.penalty(ramped(state.penalty, state.step, iterations, task.recipe.penalty)), state);
    while (state.step < iterations) {
        if (state.step == last_ones) choose_rule(state, task);
        report(task, state, iterate(task, iterations, state), watch);
        save_checkpoint(task, hash, state);
    }
    update_offsets({task.input.view(), state.codes}, task.penalty(state.penalty), options, task.recipe.offsets,
                   state.model);
}

CompositeTerms held_out_terms(const CompositeTask& task, const CompositeState& state) {
    return evaluate({task.held_out_input.view(), held_out_codes(task, state)}, state.model, task.penalty(state.penalty),
                    task.options.execution);
}

CompositeView judged_vectors(const CompositeTask& task, const CompositeState& state) {
    const std::size_t covered = state.codes.rows(), fresh = std::min(covered, task.vectors.rows() - covered);
    const CompositeView all = fresh > 0 ? task.input.view().slice(covered, fresh) : task.first(covered);
    return all.slice(0, std::min(task.recipe.judge.most_vectors, fresh > 0 ? fresh : covered));
}

JudgedScores judged_scores(const CompositeTask& task, const CompositeState& state) {
    const Execution& execution = task.options.execution;
    const Matrix<std::uint8_t> codes =
        encoder_of(state, task.penalty(state.penalty), execution)
            .encode(judged_vectors(task, state), {.sweeps = task.recipe.judge.sweeps}, execution);
    JudgedScores scores{word_sums(state.model.dictionaries, codes, execution), Matrix<float>(1, codes.rows())};
    for (std::size_t n = 0; n < codes.rows(); ++n)
        for (std::size_t m = 0; m < codes.columns(); ++m)
            scores.offsets[0][n] += state.model.word_offsets[m * task.options.words + codes[n][m]];
    return scores;
}

std::vector<double> search_costs(const CompositeTask& task, const CompositeState& state,
                                 const std::vector<std::size_t>& nearest) {
    const JudgedScores scores = judged_scores(task, state);
    return search_costs(task.held_out_input.vectors.view(), nearest, scores.sums.view(), scores.offsets,
                        task.options.execution)
        .values();
}

Quantizer assemble(const CompositeTask& task, const CompositeState& state) {
    const CompositeOptions& options = task.options;
    Quantizer model{.method = std::string(method_name(options)), .unit_length = options.unit_length};
    model.centre = task.mean;
    for (std::size_t d = 0; d < model.centre.size(); ++d) model.centre[d] += task.translation[d];
    model.dictionaries = state.model.dictionaries;
    model.word_offsets = state.model.word_offsets;
    const CodePenalty penalty = code_penalty(task.penalty(coding_penalty(task, state.penalty)));
    model.encoder = {.penalty = penalty.penalty,
                     .theta = penalty.theta,
                     .expectation = penalty.expectation,
                     .absolute_penalty = penalty.absolute,
                     .norm = penalty.norm,
                     .effort = options.effort};
    const CompositeTerms learnt = plain_terms(task.vectors, state.codes, model, task, options.execution);
    model.training = {.vectors = task.vectors.rows(),
                      .distortion = learnt.error,
                      .cross_term_deviation = deviation(learnt),
                      .objective = state.objective};
    if (task.held_out.empty()) return model;
    const CompositeTerms held_out =
        plain_terms(task.held_out, held_out_codes(task, state), model, task, options.execution);
    model.training.held_out_distortion = held_out.error;
    model.training.cross_term_deviation = deviation(held_out);
    return model;
}

}  // namespace summand
