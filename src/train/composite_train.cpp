// CQ, NOCQ and LOCQ: the start, the penalty, the alternation.
#include <cmath>
#include <utility>

#include "base/random.h"
#include "summand/error.h"
#include "train/composite.h"
#include "train/ocq.h"
#include "train/qav.h"
#include "train/registry.h"
#include "train/warm_start.h"

namespace summand {
namespace {

constexpr int kFreeIterations = 6;   // without a constraint, before levels are added
constexpr int kTrialIterations = 4;  // of each start, on a part of the data
constexpr std::size_t kTrialVectors = 25000;
constexpr double kBytePenalty = 0.02;  // of the automatic one: CQ with a byte minds the error first

StartOptions start_options(const CompositeOptions& options, std::size_t dictionaries) {
    return {dictionaries, options.words, options.seed, options.execution};
}

CompositeStart block_start(const CompositeTask& task, std::size_t dictionaries) {
    const StartOptions options = start_options(task.options, dictionaries);
    const MatrixView<float> vectors = task.vectors.view();
    const bool rotated = task.options.start != WarmStart::pq && dictionaries > 1;  // one dictionary gains nothing by it
    return rotated ? opq_start(vectors, options) : pq_start(vectors, options);
}

// A block method's solution, its words brought into the metric of the task.
CompositeState from_blocks(const CompositeTask& task) {
    CompositeStart start = block_start(task, task.options.dictionaries);
    CompositeState state{.codes = std::move(start.codes)};
    state.penalty = automatic_penalty(task, start.dictionaries, state.codes);
    state.model.dictionaries = transformed_words(start.dictionaries, task.queries.metric, task.options.execution);
    tie_offsets(state.model);
    return state;
}

// M-1 dictionaries without a constraint, and one of offset levels.
CompositeState from_levels(const CompositeTask& task, std::size_t free_dictionaries, int iterations) {
    const CompositeOptions& options = task.options;
    CompositeStart start = block_start(task, free_dictionaries);
    CompositeState state{.codes = std::move(start.codes)};
    state.penalty = automatic_penalty(task, start.dictionaries, state.codes);
    state.model.dictionaries = transformed_words(start.dictionaries, task.queries.metric, options.execution);
    improve_unconstrained(task.input.view(), iterations, options.execution, state);
    state.objective.clear();
    const std::vector<double> targets =
        offset_targets({task.input.view(), state.codes}, state.model.dictionaries, task.theta(), options.execution);
    append_levels(targets, options.words, options.seed, options.execution, state.model, state.codes);
    return state;
}

// Both starts on a part of the data for a few iterations: is the held-out objective lower with levels?
bool levels_win(MatrixView<float> vectors, const CompositeOptions& options) {
    Random random(options.seed);
    const std::vector<std::size_t> rows = sample_without_replacement(vectors.rows(), kTrialVectors, random);
    Matrix<float> part(rows.size(), vectors.columns());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(vectors.row(rows[i]), vectors.columns(), part.row(i));
    CompositeOptions trial = options;
    trial.iterations = kTrialIterations;
    trial.start = WarmStart::opq;
    trial.execution.progress = {};
    trial.checkpoint = {};
    CompositeTask task = composite_task(part.view(), trial);
    if (task.held_out.empty()) return false;
    CompositeState blocks = from_blocks(task);
    CompositeState levels = from_levels(task, options.dictionaries - 1, kTrialIterations);
    levels.penalty = blocks.penalty;
    alternate(task, blocks);
    alternate(task, levels);
    return held_out_terms(task, levels).objective(blocks.penalty) <
           held_out_terms(task, blocks).objective(blocks.penalty);
}

CompositeState start(CompositeTask& task, MatrixView<float> vectors) {
    const CompositeOptions& options = task.options;
    const bool may_choose = options.constraint == Constraint::learnt_offsets && options.dictionaries >= 2;
    const bool levels = may_choose && (options.start == WarmStart::levels ||
                                       (options.start == WarmStart::automatic && levels_win(vectors, options)));
    require(options.start != WarmStart::levels || may_choose,
            "train: start=levels needs LOCQ with at least 2 dictionaries, got ", options.dictionaries);
    CompositeState state = levels ? from_levels(task, options.dictionaries - 1, kFreeIterations) : from_blocks(task);
    if (options.rule == PenaltyRule::fixed) state.penalty = options.penalty;
    if (options.rule == PenaltyRule::validate) state.penalty = validated_penalty(task, state);
    if (options.constraint == Constraint::upper_bound) state.penalty = 1;
    return state;
}

// CQ: the alternation without a penalty, in closed form; then the bias. A translation to learn would change nothing:
// the words take it up.
Quantizer train_unconstrained(const CompositeTask& task) {
    const CompositeOptions& options = task.options;
    CompositeStart blocks = block_start(task, options.dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(blocks.dictionaries)}, .codes = std::move(blocks.codes)};
    improve_unconstrained(task.input.view(), options.iterations, options.execution, state);
    tie_offsets(state.model);
    if (options.bias == BiasStorage::byte) {
        const double variance = score_variance(task.vectors.view(), near_pairs(task.vectors.view(), options.execution),
                                               nullptr, 0, state.model.dictionaries, state.codes, options.execution);
        const CompositeData data{task.input.view(), state.codes};
        append_levels(offset_targets(data, state.model.dictionaries, 0, options.execution), options.words, options.seed,
                      options.execution, state.model, state.codes);
        state.penalty = variance > 0 ? kBytePenalty / (4 * variance) : 0;
    }
    Quantizer model = assemble(task, state);
    if (options.bias == BiasStorage::float32) model.bias = Bias::stored;
    return model;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const CompositeOptions& options) {
    require(options.constraint != Constraint::none || options.bias != BiasStorage::byte ||
                options.dictionaries < kMaxDictionaries,
            "train: CQ with bias=byte adds a dictionary; expected at most ", kMaxDictionaries - 1,
            " dictionaries, got ", options.dictionaries);
    const std::size_t values = options.dictionaries * options.words * vectors.columns();
    require(options.nonzeros <= values, "train: expected at most ", values, " values that are not zero, got ",
            options.nonzeros);
    require(options.nonzeros == 0 || options.constraint == Constraint::near_orthogonal,
            "train: sparse words are an option of NOCQ, got ", method_name(options));
    require(options.rule != PenaltyRule::fixed || (std::isfinite(options.penalty) && options.penalty >= 0),
            "train: expected a penalty of at least 0, got ", options.penalty);
    if (options.constraint == Constraint::orthogonal) return train_orthogonal(vectors, options);
    CompositeTask task = composite_task(vectors, options);
    if (options.constraint == Constraint::none) return train_unconstrained(task);
    if (options.constraint == Constraint::augmented) return train_augmented(task);
    CompositeState state = options.resume ? resume(task, *options.resume) : start(task, vectors);
    alternate(task, state);
    return assemble(task, state);
}

}  // namespace summand
