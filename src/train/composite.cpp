#include "train/composite.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "model/composite_encoder.h"
#include "model/effort.h"
#include "model/word_sum.h"
#include "train/dictionary_step.h"
#include "train/gauss_newton.h"
#include "train/prepare.h"
#include "train/registry.h"
#include "train/sparse_words.h"

namespace summand {
namespace {

constexpr int kDescentIterations = 24;  // of L-BFGS per outer iteration
constexpr int kNewtonIterations = 4;    // of conjugate gradients per outer iteration
constexpr int kPerturbations = 2;       // of the codes per outer iteration, once the penalty has risen
constexpr double kRamp = 0.6;           // share of the iterations in which the penalty rises from 1/100
constexpr std::size_t kSamplePerWord = 128, kSmallestSample = 16384;
constexpr std::size_t kMostHeldOut = 2048;
// Weight of the penalty against the natural one, 1/(4 s²); more with few dictionaries, where errors are large, and
// where the offsets are free to meet it.
double penalty_factor(const CompositeOptions& options) {
    if (options.constraint == Constraint::learnt_offsets)
        return std::clamp(4.0 / static_cast<double>(options.dictionaries), 0.25, 0.6);
    return options.dictionaries <= 5 ? 0.6 : 0.25;
}

// Words are learnt better with less of the natural weight than codes are found with once words are learnt.
double coding_penalty(const CompositeOptions& options, double penalty) {
    if (options.constraint != Constraint::learnt_offsets || options.rule != PenaltyRule::automatic) return penalty;
    return penalty * std::clamp(6.0 / static_cast<double>(options.dictionaries), 0.5, 0.75) / penalty_factor(options);
}

double ramped(double penalty, int step, int steps) {
    return penalty * std::min(1.0, std::pow(10.0, -2 + 2 * (step + 1) / (kRamp * steps)));
}

void update_offsets(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                    CompositeModel& model) {
    if (penalty.offsets == Offsets::free) {
        fit_offsets(data, offset_targets(data, model.dictionaries, penalty, options.execution), options.execution,
                    model);
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
void update_sparse(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                   double share, CompositeState& state) {
    Dictionaries& words = state.model.dictionaries;
    if (share < 1) {
        descend(data, penalty, kDescentIterations, options.execution, state.model);
        const double next = share + 1 / (kRamp * options.iterations);
        keep_strongest(data.codes, falling_nonzeros(words.rows.size(), options.nonzeros, next), words);
    }
    descend(data, penalty, kDescentIterations, options.execution, state.model, Support::nonzeros);
}

void update_dictionaries(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                         CompositeState& state) {
    const Execution& execution = options.execution;
    if (options.nonzeros > 0)
        update_sparse(data, penalty, options, state.step / (kRamp * options.iterations), state);
    else if (penalty.offsets != Offsets::tied && state.model.dictionaries.rows.rows() <= kMostNewtonWords)
        newton_step(data, penalty, kNewtonIterations, execution, state.model);
    else
        descend(data, penalty, kDescentIterations, execution, state.model);
}

CompositeEncoder encoder_of(const CompositeState& state, const CompositePenalty& penalty, const Execution& execution) {
    return {state.model.dictionaries, state.model.word_offsets, code_penalty(penalty), execution};
}

void update_codes(const CompositeTask& task, const CompositePenalty& penalty, int iterations, CompositeState& state) {
    const bool risen = state.step >= kRamp * iterations;
    const LocalSearch search{.perturbations = risen ? kPerturbations : 0,
                             .seed = static_cast<std::uint64_t>(state.step)};
    encoder_of(state, penalty, task.options.execution)
        .improve(task.first(state.codes.rows()), search, task.options.execution, state.codes);
}

// From the sample to all vectors.
void cover_all(const CompositeTask& task, const CompositePenalty& penalty, CompositeState& state) {
    const std::size_t covered = state.codes.rows(), all = task.vectors.rows();
    if (covered == all) return;
    const Matrix<std::uint8_t> rest =
        encoder_of(state, penalty, task.options.execution)
            .encode(task.input.view().slice(covered, all - covered), {.sweeps = 2}, task.options.execution);
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
                                 sums_of(state, execution).view(), given_rule(task.options), execution);
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
                                     .steps = static_cast<std::size_t>(task.options.iterations),
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
    CompositeTask task{.options = options, .mean = std::move(data.centre)};
    task.translation.assign(vectors.columns(), 0.0f);
    const std::size_t N = vectors.rows(), D = vectors.columns();
    const std::size_t spare = N > 2 * options.words ? std::min(kMostHeldOut, N / 20) : 0;
    Random random(options.seed);
    const std::vector<std::size_t> order = permutation(N, random);
    task.held_out = Matrix<float>(spare, D);
    task.vectors = Matrix<float>(N - spare, D);
    for (std::size_t i = 0; i < N; ++i)
        std::copy_n(data.vectors.row(order[i]), D, i < spare ? task.held_out.row(i) : task.vectors.row(i - spare));
    const std::size_t enough = std::max(kSmallestSample, kSamplePerWord * options.words);
    task.sample = std::min(N - spare, enough);
    const bool judged = compares_starts(options) || options.rule == PenaltyRule::validate;
    if (spare > 0 && judged) task.sample = std::min((N - spare) * 3 / 4, enough);
    if (task.penalised()) task.pairs = near_pairs(task.vectors.view(), options.execution);
    if (options.constraint == Constraint::learnt_offsets) task.rule = usual_offset_rule(given_rule(options));
    if (options.constraint == Constraint::augmented) task.rule = {.expectation = 0, .theta = 1};
    task.input = composite_input(task.vectors);
    task.held_out_input = composite_input(task.held_out);
    return task;
}

double automatic_penalty(const CompositeTask& task, const Dictionaries& words, const Matrix<std::uint8_t>& codes) {
    NearPairs covered;
    std::copy_if(task.pairs.begin(), task.pairs.end(), std::back_inserter(covered),
                 [&](const auto& pair) { return pair.first < codes.rows(); });
    const double variance =
        score_variance(task.vectors.view(), covered, task.rule, words, codes, task.options.execution);
    return variance > 0 ? penalty_factor(task.options) / (4 * variance) : 0;
}

CompositeTerms iterate(CompositeTask& task, int iterations, CompositeState& state) {
    const CompositeOptions& options = task.options;
    const CompositePenalty penalty = task.penalty(ramped(state.penalty, state.step, iterations));
    const CompositeData data = state.data(task.first(state.codes.rows()));
    update_offsets(data, penalty, options, state.model);
    update_dictionaries(data, penalty, options, state);
    update_codes(task, penalty, iterations, state);
    if (options.translation == Translation::learnt) update_translation(task, state);
    ++state.step;
    const CompositeTerms terms = evaluate(state.data(task.first(state.codes.rows())), state.model,
                                          task.penalty(state.penalty), options.execution);
    state.objective.push_back(terms.objective(task.penalty(state.penalty)));
    return terms;
}

void alternate(CompositeTask& task, CompositeState& state) {
    const Stopwatch watch;
    const CompositeOptions& options = task.options;
    const std::uint64_t hash = task_hash(task);
    const int last_ones = std::min(options.iterations - 1, static_cast<int>(std::ceil(kRamp * options.iterations)));
    cover_all(task, task.penalty(ramped(state.penalty, state.step, options.iterations)), state);
    while (state.step < options.iterations) {
        if (state.step == last_ones) choose_rule(state, task);
        report(task, state, iterate(task, options.iterations, state), watch);
        save_checkpoint(task, hash, state);
    }
    update_offsets(state.data(task.input.view()), task.penalty(state.penalty), options, state.model);
}

CompositeTerms held_out_terms(const CompositeTask& task, const CompositeState& state) {
    return evaluate({task.held_out_input.view(), held_out_codes(task, state)}, state.model, task.penalty(state.penalty),
                    task.options.execution);
}

CompositeView judged_vectors(const CompositeTask& task, const CompositeState& state) {
    const std::size_t covered = state.codes.rows(), fresh = std::min(covered, task.vectors.rows() - covered);
    const CompositeView all = fresh > 0 ? task.input.view().slice(covered, fresh) : task.first(covered);
    return all.slice(0, std::min(kJudgedVectors, fresh > 0 ? fresh : covered));
}

JudgedScores judged_scores(const CompositeTask& task, const CompositeState& state) {
    const Execution& execution = task.options.execution;
    const Matrix<std::uint8_t> codes = encoder_of(state, task.penalty(state.penalty), execution)
                                           .encode(judged_vectors(task, state), {.sweeps = 2}, execution);
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
    const CodePenalty penalty = code_penalty(task.penalty(coding_penalty(options, state.penalty)));
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
