#include "train/composite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/hash.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "model/composite_encoder.h"
#include "model/effort.h"
#include "summand/error.h"
#include "train/additive_fit.h"
#include "train/dictionary_step.h"
#include "train/prepare.h"
#include "train/registry.h"
#include "train/sparse_words.h"

namespace summand {
namespace {

constexpr int kDescentIterations = 8;  // of L-BFGS per outer iteration
constexpr double kRamp = 0.6;          // share of the iterations in which the penalty rises from 1/100
constexpr std::size_t kMostHeldOut = 2048;
constexpr std::size_t kLargestQueryModel = 256;    // dimensions: with 784 (Fashion-MNIST) the model cost recall
constexpr std::size_t kVectorsPerDimension = 100;  // that the model is estimated from
// Weight of the penalty against the natural one, 1/(4 s²); more with few dictionaries, where errors are large.
double penalty_factor(std::size_t dictionaries) { return dictionaries <= 5 ? 0.6 : 0.25; }

double ramped(double penalty, int step, int steps) {
    return penalty * std::min(1.0, std::pow(10.0, -2 + 2 * (step + 1) / (kRamp * steps)));
}

// L-BFGS. Sparse words lose values while the penalty rises: a step with all values, those that are kept, and a step
// with them; from then on with them alone.
void update_dictionaries(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                         CompositeState& state) {
    const auto step = [&](Support support) {
        descend(data, penalty, kDescentIterations, options.execution, state.model, support);
    };
    const double length = kRamp * options.iterations;
    if (options.nonzeros == 0 || state.step < length) step(Support::all);
    if (options.nonzeros == 0) return;
    if (state.step < length)
        keep_strongest(
            state.codes,
            falling_nonzeros(state.model.dictionaries.rows.size(), options.nonzeros, (state.step + 1) / length),
            state.model.dictionaries);
    step(Support::nonzeros);
}

void update_offsets(const CompositeData& data, const CompositePenalty& penalty, const CompositeOptions& options,
                    CompositeModel& model) {
    if (penalty.offsets == Offsets::free) {
        const std::vector<double> targets = offset_targets(data, model.dictionaries, penalty.theta, options.execution);
        fit_additive(data.codes, targets, model.dictionaries.words, options.execution, model.word_offsets);
    } else {
        // e is the cross term less ε: its mean is what ε lacks.
        tie_offsets(model);
        const bool learnt = options.learn_epsilon && options.constraint == Constraint::near_orthogonal;
        if (learnt) model.epsilon += evaluate(data, model, penalty, options.execution).excess;
        tie_offsets(model);
    }
}

void update_codes(const CompositeTask& task, const CompositePenalty& penalty, CompositeState& state) {
    const CompositeEncoder encoder(state.model.dictionaries, state.model.word_offsets, code_penalty(penalty),
                                   task.options.execution);
    encoder.improve(task.input.view(), {.sweeps = 1, .seed = static_cast<std::uint64_t>(state.step)},
                    task.options.execution, state.codes);
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
    const CompositeView view = task.input.view();
    std::vector<double> mean(D, 0.0);
    std::vector<float> sum(D);
    std::vector<const float*> chosen(words.count);
    for (std::size_t n = 0; n < view.rows(); ++n) {
        for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, state.codes[n][m]);
        kernels().sum_rows(chosen.data(), words.count, D, sum.data());
        for (std::size_t d = 0; d < D; ++d) mean[d] += static_cast<double>(view.targets[n][d] - sum[d]);
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
    const CompositeEncoder encoder(state.model.dictionaries, state.model.word_offsets,
                                   code_penalty(task.penalty(state.penalty)), task.options.execution);
    return encoder.encode(task.held_out_input.view(), local_search(task.options.effort), task.options.execution);
}

// |r|² and |ȳ|² - Σ word_offset with the finished model: Euclidean, whatever metric the training had.
CompositeTerms plain_terms(const Matrix<float>& vectors, const Matrix<std::uint8_t>& codes, const Quantizer& model,
                           const CompositeTask& task, const Execution& execution) {
    if (vectors.empty()) return {};
    const CompositeInput input = composite_input(moved(vectors, task.translation), {}, {}, execution);
    return evaluate({input.view(), codes}, {model.dictionaries, model.word_offsets}, {.offsets = Offsets::free},
                    execution);
}

// Every option that influences the result, and the data.
std::uint64_t task_hash(const CompositeTask& task) {
    const CompositeOptions& o = task.options;
    const double numbers[] = {static_cast<double>(o.constraint),
                              static_cast<double>(o.dictionaries),
                              static_cast<double>(o.words),
                              static_cast<double>(o.iterations),
                              static_cast<double>(o.start),
                              static_cast<double>(o.rule),
                              o.penalty,
                              static_cast<double>(o.learn_epsilon),
                              task.theta(),
                              o.lean,
                              o.power,
                              static_cast<double>(o.bias),
                              static_cast<double>(o.translation),
                              static_cast<double>(o.seed),
                              static_cast<double>(task.held_out.rows()),
                              static_cast<double>(o.nonzeros)};
    return hash64(task.vectors.data(), task.vectors.size() * sizeof(float), hash64(numbers, sizeof(numbers)));
}

void save(const CompositeTask& task, std::uint64_t hash, const CompositeState& state) {
    if (!task.options.checkpoint) return;
    task.options.checkpoint({.task = hash,
                             .step = state.step,
                             .penalty = state.penalty,
                             .epsilon = state.model.epsilon,
                             .translation = task.translation,
                             .dictionaries = state.model.dictionaries,
                             .word_offsets = state.model.word_offsets,
                             .codes = state.codes,
                             .objective = state.objective});
}

}  // namespace

CodePenalty code_penalty(const CompositePenalty& penalty) {
    return {static_cast<float>(penalty.penalty), static_cast<float>(penalty.theta),
            static_cast<float>(penalty.absolute)};
}

void CompositeTask::translate(std::vector<float> to) {
    translation = std::move(to);
    input = composite_input(moved(vectors, translation), {}, {}, options.execution);
    held_out_input = composite_input(moved(held_out, translation), {}, {}, options.execution);
}

CompositeTask composite_task(MatrixView<float> vectors, const CompositeOptions& options) {
    require(options.iterations >= 1, "train: expected at least 1 iteration, got ", options.iterations);
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
    const std::vector<std::size_t> held = sample_without_replacement(N, spare, random);
    task.vectors = Matrix<float>(N - spare, D);
    task.held_out = Matrix<float>(spare, D);
    for (std::size_t n = 0, h = 0; n < N; ++n) {
        const bool out = h < spare && held[h] == n;
        std::copy_n(data.vectors.row(n), D, out ? task.held_out.row(h) : task.vectors.row(n - h));
        h += out;
    }
    if (task.penalised()) task.pairs = near_pairs(task.vectors.view(), options.execution);
    if (options.constraint == Constraint::learnt_offsets && (options.lean != 0 || options.power != 0) &&
        D <= kLargestQueryModel && task.vectors.rows() >= kVectorsPerDimension * D && !task.pairs.empty())
        task.queries = query_model(task.vectors.view(), task.pairs, {options.lean, options.power}, options.execution);
    if (options.constraint == Constraint::augmented) task.queries.probe = Matrix<float>(D, D);
    task.input = composite_input(task.vectors, task.queries.metric, task.queries.probe, options.execution);
    task.held_out_input = composite_input(task.held_out, task.queries.metric, task.queries.probe, options.execution);
    return task;
}

double automatic_penalty(const CompositeTask& task, const Dictionaries& words, const Matrix<std::uint8_t>& codes) {
    const double variance =
        score_variance(task.vectors.view(), task.pairs, task.uses_queries() ? &task.queries : nullptr, task.theta(),
                       words, codes, task.options.execution);
    return variance > 0 ? penalty_factor(task.options.dictionaries) / (4 * variance) : 0;
}

void alternate(CompositeTask& task, CompositeState& state) {
    const Stopwatch watch;
    const CompositeOptions& options = task.options;
    const std::uint64_t hash = task_hash(task);
    while (state.step < options.iterations) {
        const CompositePenalty penalty = task.penalty(ramped(state.penalty, state.step, options.iterations));
        const CompositeData data{task.input.view(), state.codes};
        update_offsets(data, penalty, options, state.model);
        update_dictionaries(data, penalty, options, state);
        update_codes(task, penalty, state);
        if (options.translation == Translation::learnt && !task.uses_queries()) update_translation(task, state);
        ++state.step;
        const CompositeTerms terms =
            evaluate({task.input.view(), state.codes}, state.model, task.penalty(state.penalty), options.execution);
        state.objective.push_back(terms.objective(task.penalty(state.penalty)));
        report(task, state, terms, watch);
        save(task, hash, state);
    }
    update_offsets({task.input.view(), state.codes}, task.penalty(state.penalty), options, state.model);
}

CompositeTerms held_out_terms(const CompositeTask& task, const CompositeState& state) {
    return evaluate({task.held_out_input.view(), held_out_codes(task, state)}, state.model, task.penalty(state.penalty),
                    task.options.execution);
}

Quantizer assemble(const CompositeTask& task, const CompositeState& state) {
    const CompositeOptions& options = task.options;
    Quantizer model{.method = std::string(method_name(options)), .unit_length = options.unit_length};
    model.centre = task.mean;
    for (std::size_t d = 0; d < model.centre.size(); ++d) model.centre[d] += task.translation[d];
    model.dictionaries = transformed_words(state.model.dictionaries, task.queries.inverse, options.execution);
    model.word_offsets = state.model.word_offsets;
    const CodePenalty penalty = code_penalty(task.penalty(state.penalty));
    model.encoder = {.penalty = penalty.penalty,
                     .theta = penalty.theta,
                     .absolute_penalty = penalty.absolute,
                     .effort = options.effort,
                     .metric = task.queries.metric,
                     .probe = task.queries.probe};
    const CompositeTerms learnt = plain_terms(task.vectors, state.codes, model, task, options.execution);
    const CompositeTerms held_out =
        plain_terms(task.held_out, held_out_codes(task, state), model, task, options.execution);
    const CompositeTerms& shown = task.held_out.empty() ? learnt : held_out;
    model.training = {.vectors = task.vectors.rows(),
                      .distortion = learnt.error,
                      .held_out_distortion = held_out.error,
                      .cross_term_deviation = deviation(shown),
                      .objective = state.objective};
    return model;
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
    if (checkpoint.translation != task.translation) task.translate(checkpoint.translation);
    return state;
}

}  // namespace summand
