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

constexpr int kFreeIterations = 4;     // without a constraint, before levels are added
constexpr int kTrialIterations = 3;    // of each start, at most; a third of the iterations where they are fewer
constexpr double kTie = 2;             // standard errors of a cost: smaller differences are left to the objective
constexpr double kHopeless = 1.25;     // times the lowest objective after one iteration: the start is given up
constexpr double kBytePenalty = 0.02;  // of the automatic one: CQ with a byte minds the error first

int trial_iterations(const CompositeOptions& options) {
    return std::clamp(options.iterations / kTrialIterations, 1, kTrialIterations);
}

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
    const StartOptions start{dictionaries, options.words, options.seed, options.execution, blocks.rotation};
    const bool rotated = blocks.rotated && dictionaries > 1;  // one dictionary gains nothing by it
    return rotated ? opq_start(vectors, start) : pq_start(vectors, start);
}

// A block method's solution.
CompositeState from_blocks(const CompositeTask& task, Blocks blocks, std::size_t dictionaries) {
    CompositeStart start = block_start(task, task.sample_rows(), blocks, dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
    state.penalty = automatic_penalty(task, state.model.dictionaries, state.codes);
    anchor_to_start(task, state);
    return state;
}

// M-1 dictionaries without a constraint, and one of offset levels.
CompositeState from_levels(const CompositeTask& task, Blocks blocks) {
    const CompositeOptions& options = task.options;
    CompositeState state = from_blocks(task, blocks, options.dictionaries - 1);
    improve_unconstrained(task.first(task.sample), kFreeIterations, options.execution, state);
    state.objective.clear();
    const std::vector<double> targets = offset_targets({task.first(task.sample), state.codes}, state.model.dictionaries,
                                                       task.penalty(0), options.execution);
    append_levels(targets, options.words, options.seed, options.execution, state);
    return state;
}

struct Trial {
    std::vector<double> costs;  // how late the codes find the neighbour of each held-out vector
    double objective;
};

// Where the same queries cannot tell, by the objective, which varies less.
bool is_better(const Trial& one, const Trial& other) {
    const auto count = static_cast<double>(one.costs.size());
    double sum = 0, squares = 0;
    for (std::size_t q = 0; q < one.costs.size(); ++q) {
        const double difference = one.costs[q] - other.costs[q];
        sum += difference;
        squares += difference * difference;
    }
    const double deviation = std::sqrt(std::max(0.0, squares - sum * sum / count));  // of the sum
    return std::abs(sum) > kTie * deviation ? sum < 0 : one.objective < other.objective;
}

// Runs copies of starts for a few iterations, in fewer dimensions where there are many.
class Trials {
public:
    explicit Trials(CompositeTask& task) : task_(task) {
        if (task.vectors.columns() > kStartDimensions) small_ = std::make_unique<Small>(task);
    }

    /// Nothing for a start that is given up.
    std::optional<Trial> of(CompositeState state) {
        if (!small_) return run(task_, std::move(state));
        Matrix<float>& words = state.model.dictionaries.rows;
        Anchor anchor = *state.anchor;
        for (Matrix<float>* rows : {&words, &anchor.words})
            *rows = small_->subspace.project(rows->view(), task_.options.execution);
        state.anchor = std::make_shared<Anchor>(std::move(anchor));
        return run(small_->task, std::move(state));
    }

private:
    struct Small {
        Subspace subspace;
        CompositeTask task;

        explicit Small(const CompositeTask& whole)
            : subspace(whole.sample_rows(), kStartDimensions, whole.options.execution),
              task{.options = whole.options,
                   .vectors = subspace.project(whole.vectors.view(), whole.options.execution),
                   .sample = whole.sample,
                   .held_out = subspace.project(whole.held_out.view(), whole.options.execution),
                   .rule = whole.rule} {
            task.translate(std::vector<float>(kStartDimensions, 0.0f));
        }
    };

    std::optional<Trial> run(CompositeTask& task, CompositeState state) {
        const Execution& execution = task.options.execution;
        if (nearest_.empty())
            nearest_ = nearest_rows(task.held_out_input.vectors.view(), judged_vectors(task, state).vectors, execution);
        const std::vector<float> translation = task.translation;
        const int iterations = trial_iterations(task.options);
        iterate(task, iterations, state);
        const bool hopeless = state.objective.front() > kHopeless * lowest_first_;
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
    std::vector<Blocks> candidates = {{false}, {true, RotationStart::pca}};
    if (task.vectors.columns() <= kStartDimensions) candidates.push_back({true, RotationStart::identity});
    CompositeState best;
    Blocks chosen = candidates[0];
    bool has_levels = false;
    std::optional<Trial> best_trial;
    const auto try_start = [&](CompositeState state) {
        std::optional<Trial> trial = trials.of(state);
        if (!trial || (best_trial && !is_better(*trial, *best_trial))) return false;
        best = std::move(state);
        best_trial = std::move(trial);
        return true;
    };
    for (const Blocks& blocks : candidates)
        if (try_start(from_blocks(task, blocks, task.options.dictionaries))) chosen = blocks;
    if (task.options.constraint == Constraint::learnt_offsets) {
        CompositeState levels = from_levels(task, chosen);
        levels.penalty = best.penalty;
        has_levels = try_start(std::move(levels));
    }
    // Few vectors had to spare some for the trials; now the start learns from them too.
    if (task.few() && task.options.rule != PenaltyRule::validate) {
        task.sample = task.vectors.rows();
        best = has_levels ? from_levels(task, chosen) : from_blocks(task, chosen, task.options.dictionaries);
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
    const int iterations = trial_iterations(options);
    choose_anchor(
        task,
        [&](CompositeState& trial) {
            while (trial.step < iterations) iterate(task, iterations, trial);
        },
        state);
    return state;
}

CompositeState unconstrained_start(CompositeTask& task) {
    CompositeStart start = block_start(task, task.vectors.view(), blocks_of(task.options), task.options.dictionaries);
    CompositeState state{.model = {.dictionaries = std::move(start.dictionaries)}, .codes = std::move(start.codes)};
    anchor_to_start(task, state);
    choose_anchor(
        task,
        [&](CompositeState& trial) {
            const Execution& execution = task.options.execution;
            improve_unconstrained(task.input.view(), trial_iterations(task.options),
                                  {.threads = execution.threads, .stop = execution.stop}, trial);
        },
        state);
    return state;
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
    improve_unconstrained(task.input.view(), options.iterations, options.execution, state,
                          [&] { save_checkpoint(task, hash, state); });
    if (options.anisotropy != 1) {
        state.penalty = anisotropic_penalty(task);
        state.model.word_offsets.assign(state.model.dictionaries.rows.rows(), 0.0f);
        alternate(task, state);
    } else {
        tie_offsets(state.model);
    }
    if (options.bias == BiasStorage::byte) {
        const double variance = score_variance(task.vectors.view(), near_pairs(task.vectors.view(), options.execution),
                                               task.rule, state.model.dictionaries, state.codes, options.execution);
        const CompositeData data{task.input.view(), state.codes};
        append_levels(offset_targets(data, state.model.dictionaries, task.penalty(0), options.execution), options.words,
                      options.seed, options.execution, state);
        state.penalty = variance > 0 ? kBytePenalty / (4 * variance) : 0;
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
