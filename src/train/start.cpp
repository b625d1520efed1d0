#include "train/start.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/stopwatch.h"
#include "train/judge.h"
#include "train/subspace.h"

namespace summand {
namespace {

// A problem in fewer dimensions where there are many: trials need not be exact.
struct TrialRoom {
    std::optional<Subspace> subspace;
    Problem problem;
};

int trial_iterations(const Problem& problem) {
    const int most = problem.recipe.start.trial_iterations;
    return std::clamp(problem.recipe.iterations / most, 1, most);
}

TrialRoom trial_room(const Problem& problem) {
    const StartRecipe& recipe = problem.recipe.start;
    TrialRoom room{.subspace = {}, .problem = for_trial(problem, trial_iterations(problem))};
    if (problem.vectors->vectors.columns() <= recipe.dimensions) return room;
    const Execution& execution = problem.execution();
    room.subspace.emplace(problem.first(problem.sample).vectors, recipe.dimensions, execution);
    const auto project = [&](const CompositeInput& rows) {
        return std::make_shared<CompositeInput>(
            composite_input(room.subspace->project(rows.vectors.view(), execution)));
    };
    room.problem.vectors = project(*problem.vectors);
    room.problem.held_out = project(*problem.held_out);
    return room;
}

// A copy of the state after a few iterations.
CompositeState tried(const TrialRoom& room, const CompositeState& state, double penalty) {
    Dictionaries words = state.model.dictionaries;
    if (room.subspace) words.rows = room.subspace->project(words.rows.view(), room.problem.execution());
    CompositeState trial = begin(room.problem, std::move(words), state.codes);
    trial.penalty.penalty = penalty;
    alternate(room.problem, room.problem.recipe.iterations, trial);
    return trial;
}

// μ = factor/(4 s²), from the errors of scores over near pairs that the state covers.
double automatic_penalty(const Problem& problem, const CompositeState& state) {
    NearPairs covered;
    std::copy_if(problem.pairs.begin(), problem.pairs.end(), std::back_inserter(covered),
                 [&](const auto& pair) { return pair.first < state.codes.rows(); });
    const double variance =
        score_variance(problem.vectors->vectors.view(), covered, {state.penalty.expectation, state.penalty.theta},
                       state.model.dictionaries, state.codes, problem.execution());
    return variance > 0 ? problem.recipe.penalty.factor / (4 * variance) : 0;
}

// Trains with each candidate and keeps the one that the judge likes best.
double validated_penalty(const Problem& problem, const CompositeState& start, double automatic) {
    const Problem trial = for_trial(problem, problem.recipe.iterations);
    const std::vector<double>& factors = problem.recipe.penalty.validated;
    const Judge judge(trial);
    const Stopwatch watch;
    double best = automatic, lowest = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < factors.size(); ++i) {
        CompositeState state = start;
        state.penalty.penalty = automatic * factors[i];
        alternate(trial, trial.recipe.iterations, state);
        const double cost = mean(judge.costs(state));
        if (cost < lowest) {
            lowest = cost;
            best = state.penalty.penalty;
        }
        report_step(problem.execution(),
                    "validate mu=" + std::to_string(state.penalty.penalty) + ", cost " + std::to_string(cost),
                    static_cast<int>(i + 1), static_cast<int>(factors.size()), state.objective.back(), watch);
    }
    return best;
}

double penalty_of(const Problem& problem, const CompositeState& state) {
    if (problem.options.rule == PenaltyRule::fixed) return problem.options.penalty;
    const double automatic = automatic_penalty(problem, state);
    const bool validate = problem.options.rule == PenaltyRule::validate && problem.held_out->vectors.rows() > 0;
    return validate ? validated_penalty(problem, state, automatic) : automatic;
}

// Tries the starts at one common μ, that of the first. Of fewer vectors than are enough, trials leave some to the
// judge; the start that is chosen then learns from those too, unless they are to judge μ as well.
CompositeState best_start(const Problem& problem) {
    const TrialRoom room = trial_room(problem);
    const Judge judge(room.problem);
    const bool derived = problem.options.rule != PenaltyRule::fixed;
    CompositeState best;
    WarmStart chosen = WarmStart::pq;
    double lowest = std::numeric_limits<double>::max(), penalty = 0;
    for (const WarmStart kind : {WarmStart::pq, WarmStart::opq}) {
        CompositeState state = block_state(problem, kind, problem.sample, RotationStart::pca);
        if (kind == WarmStart::pq) penalty = derived ? automatic_penalty(problem, state) : problem.options.penalty;
        const double cost = mean(judge.costs(tried(room, state, penalty)));
        if (cost >= lowest) continue;
        lowest = cost;
        chosen = kind;
        best = std::move(state);
    }
    const bool spared = problem.sample < problem.enough && problem.options.rule != PenaltyRule::validate;
    return spared ? block_state(problem, chosen, problem.enough, RotationStart::pca) : best;
}

// The start where none are compared. A rotation that few vectors teach does not fit others, and a trial of so few
// cannot tell (docs/decisions/0016-few-vectors.md).
WarmStart only_start(const Problem& problem) {
    const WarmStart usual = problem.recipe.start.usual;
    const WarmStart kind = problem.options.start == WarmStart::automatic ? usual : problem.options.start;
    if (kind != WarmStart::automatic) return kind;
    return problem.few() ? WarmStart::pq : WarmStart::opq;
}

}  // namespace

CompositeState block_state(const Problem& problem, WarmStart kind, std::size_t rows, RotationStart rotation) {
    const CompositeOptions& options = problem.options;
    const StartOptions start{options.dictionaries, options.words, options.seed,
                             options.execution,    rotation,      problem.recipe.start};
    const MatrixView<float> vectors = problem.first(rows).vectors;
    const bool rotated = kind == WarmStart::opq && options.dictionaries > 1;  // one dictionary gains nothing by it
    BlockStart blocks = rotated ? opq_start(vectors, start) : pq_start(vectors, start);
    return begin(problem, std::move(blocks.dictionaries), std::move(blocks.codes));
}

CompositeState start(const Problem& problem) {
    CompositeState state =
        compares_starts(problem) ? best_start(problem) : block_state(problem, only_start(problem), problem.sample);
    if (problem.recipe.penalty.factor > 0) state.penalty.penalty = penalty_of(problem, state);
    return state;
}

}  // namespace summand
