// CQ, NOCQ and LOCQ: the start, the penalty, the alternation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "summand/error.h"
#include "train/composite.h"
#include "train/ocq.h"
#include "train/qav.h"
#include "train/subspace.h"
#include "train/warm_start.h"

namespace summand {
namespace {

// The block method that a start is made of.
struct Blocks {
    bool rotated;
    RotationStart rotation = RotationStart::automatic;
};

// Without a constraint the paper's start, PQ, ends lower than OPQ.
Blocks blocks_of(const CompositeOptions& options) {
    const bool automatic = options.start == WarmStart::automatic;
    return {automatic ? options.constraint != Constraint::none : options.start != WarmStart::pq};
}

CompositeStart block_start(const CompositeTask& task, MatrixView<float> vectors, Blocks blocks,
                           std::size_t dictionaries) {
    const CompositeOptions& options = task.options;
    const StartOptions start{dictionaries,      options.words,   options.seed,
                             options.execution, blocks.rotation, task.recipe.start};
    const bool rotated = blocks.rotated && dictionaries > 1;  // one dictionary gains nothing by it
    return rotated ? opq_start(vectors, start) : pq_start(vectors, start);
}

// A block method's solution.
CompositeState from_blocks(const CompositeTask& task, Blocks blocks, std::size_t dictionaries) {
    CompositeStart start = block_start(task, task.sample_rows(), blocks, dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
    state.penalty = automatic_penalty(task, state.model.dictionaries, state.codes);
    tie_offsets(state.model);
    return state;
}

// M-1 dictionaries without a constraint, and one of offset levels.
CompositeState from_levels(const CompositeTask& task, Blocks blocks) {
    const CompositeOptions& options = task.options;
    CompositeState state = from_blocks(task, blocks, options.dictionaries - 1);
    improve_unconstrained(task.first(task.sample), task.recipe.start.level_iterations, task.recipe, options.execution,
                          state);
    state.objective.clear();
    const std::vector<double> targets = offset_targets({task.first(task.sample), state.codes}, state.model.dictionaries,
                                                       task.penalty(0), options.execution);
    append_levels(targets, options.words, options.seed, task.recipe, options.execution, state.model, state.codes);
    return state;
}

struct Trial {
    std::vector<double> costs;  // how late the codes find the neighbour of each held-out vector
    double objective;
};

// Where the same queries cannot tell, by the objective, which varies less.
bool is_better(const Trial& one, const Trial& other, double tie) {
    const auto count = static_cast<double>(one.costs.size());
    double sum = 0, squares = 0;
    for (std::size_t q = 0; q < one.costs.size(); ++q) {
        const double difference = one.costs[q] - other.costs[q];
        sum += difference;
        squares += difference * difference;
    }
    const double deviation = std::sqrt(std::max(0.0, squares - sum * sum / count));  // of the sum
    return std::abs(sum) > tie * deviation ? sum < 0 : one.objective < other.objective;
}

// Runs copies of starts for a few iterations, in fewer dimensions where there are many.
class Trials {
public:
    explicit Trials(CompositeTask& task) : task_(task) {
        if (task.vectors.columns() > task.recipe.start.dimensions) small_ = std::make_unique<Small>(task);
    }

    /// Nothing for a start that is given up.
    std::optional<Trial> of(CompositeState state) {
        if (!small_) return run(task_, std::move(state));
        Matrix<float>& words = state.model.dictionaries.rows;
        words = small_->subspace.project(words.view(), task_.options.execution);
        return run(small_->task, std::move(state));
    }

private:
    struct Small {
        Subspace subspace;
        CompositeTask task;

        explicit Small(const CompositeTask& whole)
            : subspace(whole.sample_rows(), whole.recipe.start.dimensions, whole.options.execution),
              task{.options = whole.options,
                   .recipe = whole.recipe,
                   .vectors = subspace.project(whole.vectors.view(), whole.options.execution),
                   .sample = whole.sample,
                   .held_out = subspace.project(whole.held_out.view(), whole.options.execution),
                   .rule = whole.rule} {
            task.translate(std::vector<float>(whole.recipe.start.dimensions, 0.0f));
        }
    };

    std::optional<Trial> run(CompositeTask& task, CompositeState state) {
        const Execution& execution = task.options.execution;
        if (nearest_.empty())
            nearest_ = nearest_rows(task.held_out_input.vectors.view(), judged_vectors(task, state).vectors, execution,
                                    task.recipe.judge);
        const std::vector<float> translation = task.translation;
        const int trial_iterations = task.recipe.start.trial_iterations;
        const int iterations = std::clamp(task.recipe.iterations / trial_iterations, 1, trial_iterations);
        iterate(task, iterations, state);
        const bool hopeless = state.objective.front() > task.recipe.start.hopeless * lowest_first_;
        lowest_first_ = std::min(lowest_first_, state.objective.front());
        while (!hopeless && state.step < iterations) iterate(task, iterations, state);
        std::optional<Trial> trial;
        if (!hopeless) trial = {search_costs(task, state, nearest_), state.objective.back()};
        if (task.translation != translation) task.translate(translation);
        return trial;
    }

    CompositeTask& task_;
    std::unique_ptr<Small> small_;
    std::vector<std::size_t> nearest_;  // judged vectors to each held-out one, the same for all starts
    double lowest_first_ = std::numeric_limits<double>::infinity();  // objective after the first iteration
};

// PQ, OPQ from either rotation (in a subspace, only from PCA) and, where offsets are learnt, levels after the best of
// them: the one with the best trial.
CompositeState better_start(CompositeTask& task) {
    Trials trials(task);
    const int count = task.recipe.start.candidates;
    std::vector<Blocks> candidates = {{false}, {true, RotationStart::pca}};
    if (count > 2 && task.vectors.columns() <= task.recipe.start.dimensions)
        candidates.push_back({true, RotationStart::identity});
    CompositeState best;
    Blocks chosen = candidates[0];
    std::optional<Trial> best_trial;
    const auto try_start = [&](CompositeState state) {
        std::optional<Trial> trial = trials.of(state);
        if (!trial || (best_trial && !is_better(*trial, *best_trial, task.recipe.start.tie))) return false;
        best = std::move(state);
        best_trial = std::move(trial);
        return true;
    };
    for (const Blocks& blocks : candidates)
        if (try_start(from_blocks(task, blocks, task.options.dictionaries))) chosen = blocks;
    if (count > 3) {
        CompositeState levels = from_levels(task, chosen);
        levels.penalty = best.penalty;
        try_start(std::move(levels));
    }
    return best;
}

CompositeState start(CompositeTask& task) {
    const CompositeOptions& options = task.options;
    CompositeState state = options.start == WarmStart::levels ? from_levels(task, {true})
                           : compares_starts(options) && !task.held_out.empty()
                               ? better_start(task)
                               : from_blocks(task, blocks_of(options), options.dictionaries);
    if (options.rule == PenaltyRule::fixed) state.penalty = options.penalty;
    if (options.rule == PenaltyRule::validate) state.penalty = validated_penalty(task, state);
    if (options.constraint == Constraint::upper_bound) state.penalty = 1;
    return state;
}

CompositeState unconstrained_start(const CompositeTask& task) {
    CompositeStart start = block_start(task, task.vectors.view(), blocks_of(task.options), task.options.dictionaries);
    return {.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
}

// The weight of e² = 4 (y·r)² that counts the error along a vector of the usual length `anisotropy` times.
double anisotropic_penalty(const CompositeTask& task) {
    const std::vector<float>& norms = task.input.squared_norms;
    const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
    return sum > 0 ? (task.options.anisotropy - 1) * static_cast<double>(norms.size()) / (4 * sum) : 0;
}

// CQ: the alternation without a penalty, in closed form; then, for inner products, with the error along the vectors
// weighed; then the bias.
Quantizer train_unconstrained(CompositeTask& task) {
    const CompositeOptions& options = task.options;
    CompositeState state = options.resume ? resume(task, *options.resume) : unconstrained_start(task);
    const std::uint64_t hash = task_hash(task);
    improve_unconstrained(task.input.view(), task.recipe.iterations, task.recipe, options.execution, state,
                          [&] { save_checkpoint(task, hash, state); });
    if (options.anisotropy != 1) {
        state.penalty = anisotropic_penalty(task);
        state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
        alternate(task, state);
    } else {
        tie_offsets(state.model);
    }
    if (options.bias == BiasStorage::byte) {
        const double variance = score_variance(
            task.vectors.view(), near_pairs(task.vectors.view(), options.execution, task.recipe.penalty.pairs),
            task.rule, state.model.dictionaries, state.codes, options.execution);
        const CompositeData data{task.input.view(), state.codes};
        append_levels(offset_targets(data, state.model.dictionaries, task.penalty(0), options.execution), options.words,
                      options.seed, task.recipe, options.execution, state.model, state.codes);
        state.penalty = variance > 0 ? task.recipe.penalty.byte_factor / (4 * variance) : 0;
    }
    Quantizer model = assemble(task, state);
    if (options.bias == BiasStorage::float32) model.bias = Bias::stored;
    return model;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const CompositeOptions& options) {
    check_options(options);
    const std::size_t values = options.dictionaries * options.words * vectors.columns();
    require(options.nonzeros <= values, "train: expected at most ", values, " values that are not zero, got ",
            options.nonzeros);
    if (options.constraint == Constraint::orthogonal) return train_orthogonal(vectors, options);
    CompositeTask task = composite_task(vectors, options);
    if (options.constraint == Constraint::none) return train_unconstrained(task);
    if (options.constraint == Constraint::augmented) return train_augmented(task);
    CompositeState state = options.resume ? resume(task, *options.resume) : start(task);
    alternate(task, state);
    return assemble(task, state);
}

}  // namespace summand
