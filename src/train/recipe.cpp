#include "train/recipe.h"

#include <algorithm>

#include "base/hash.h"

namespace summand {
namespace {

// Weight of the penalty against the natural one, 1/(4 s²); more with few dictionaries, where errors are large, and
// where the offsets are free to meet it.
double penalty_factor(Constraint constraint, std::size_t dictionaries) {
    if (constraint == Constraint::learnt_offsets) return std::clamp(4.0 / static_cast<double>(dictionaries), 0.25, 0.6);
    return dictionaries <= 5 ? 0.6 : 0.25;
}

constexpr double kMany = 1e9;  // as good as no limit

constexpr RecipeOption kOptions[] = {
    {"iterations", [](Recipe& r) -> RecipeField { return &r.iterations; }, 1, 10000},
    {"sweeps", [](Recipe& r) -> RecipeField { return &r.sweeps; }, 1, 100},
    {"perturbations", [](Recipe& r) -> RecipeField { return &r.perturbations; }, 0, 1000},
    {"starts", [](Recipe& r) -> RecipeField { return &r.start.candidates; }, 1, 4},
    {"trial", [](Recipe& r) -> RecipeField { return &r.start.trial_iterations; }, 1, 100},
    {"hopeless", [](Recipe& r) -> RecipeField { return &r.start.hopeless; }, 1, kMany},
    {"tie", [](Recipe& r) -> RecipeField { return &r.start.tie; }, 0, kMany},
    {"start_dimensions", [](Recipe& r) -> RecipeField { return &r.start.dimensions; }, 1, kMany},
    {"ramp", [](Recipe& r) -> RecipeField { return &r.penalty.ramp; }, 0, 1},
    {"decades", [](Recipe& r) -> RecipeField { return &r.penalty.decades; }, 0, 10},
    {"factor", [](Recipe& r) -> RecipeField { return &r.penalty.factor; }, 0, kMany},
    {"coding_factor", [](Recipe& r) -> RecipeField { return &r.penalty.coding_factor; }, 0, kMany},
    {"fineness", [](Recipe& r) -> RecipeField { return &r.rule.fineness; }, 0, 1000},
    {"growth", [](Recipe& r) -> RecipeField { return &r.rule.growth; }, 1, 16},
    {"lbfgs", [](Recipe& r) -> RecipeField { return &r.lbfgs.iterations; }, 1, 10000},
    {"line_searches", [](Recipe& r) -> RecipeField { return &r.lbfgs.line_searches; }, 1, 100},
    {"newton", [](Recipe& r) -> RecipeField { return &r.newton.iterations; }, 1, 1000},
};

}  // namespace

Recipe default_recipe(Constraint constraint, std::size_t dictionaries) {
    Recipe recipe;
    recipe.penalty.factor = recipe.penalty.coding_factor = penalty_factor(constraint, dictionaries);
    switch (constraint) {
        case Constraint::learnt_offsets:
            // Few dictionaries with offsets to learn gain from more iterations, and cost little.
            if (dictionaries < 6) recipe.iterations = 20;
            recipe.start.candidates = 4;
            // Words are learnt better with less of the natural weight than codes are found with once words are learnt.
            recipe.penalty.coding_factor = std::clamp(6.0 / static_cast<double>(dictionaries), 0.5, 0.75);
            break;
        case Constraint::near_orthogonal:
            recipe.start.candidates = 3;
            break;
        case Constraint::orthogonal:
            recipe.sweeps = 1;
            recipe.perturbations = 0;
            recipe.lbfgs.iterations = 6;
            break;
        case Constraint::none:
        case Constraint::augmented:
            recipe.sweeps = 2;
            recipe.perturbations = 1;
            break;
        case Constraint::upper_bound:
            break;
    }
    return recipe;
}

std::span<const RecipeOption> recipe_options() { return kOptions; }

std::uint64_t hash_of(const Recipe& r) {
    std::vector<double> all;
    const auto add = [&](auto... values) { (all.push_back(static_cast<double>(values)), ...); };
    add(r.iterations, r.sweeps, r.perturbations, r.ridge);
    add(r.split.held_out_one_in, r.split.most_held_out, r.split.sample_per_word, r.split.smallest_sample,
        r.split.judged_share);
    add(r.start.candidates, r.start.trial_iterations, r.start.hopeless, r.start.tie, r.start.vectors_per_word,
        r.start.pq_iterations, r.start.opq_iterations, r.start.rotation_iterations, r.start.dimensions,
        r.start.level_iterations, r.start.level_clustering);
    add(r.judge.most_queries, r.judge.most_vectors, r.judge.sweeps);
    add(r.penalty.factor, r.penalty.coding_factor, r.penalty.byte_factor, r.penalty.ramp, r.penalty.decades,
        r.penalty.pairs.queries, r.penalty.pairs.candidates, r.penalty.pairs.neighbors);
    add(r.rule.when, r.rule.fewest_queries, r.rule.highest_tilt, r.rule.tilt_step, r.rule.tilts, r.rule.fineness,
        r.rule.tie, r.rule.growth, r.rule.usual_expectation, r.rule.usual_theta);
    add(r.lbfgs.iterations, r.lbfgs.line_searches, r.lbfgs.corrections, r.lbfgs.few_corrections,
        r.lbfgs.many_variables);
    add(r.newton.iterations, r.newton.ridge, r.newton.halvings, r.newton.most_words);
    add(r.offsets.ridge, r.offsets.iterations);
    add(r.orthogonal.first_penalty, r.orthogonal.last_penalty, r.orthogonal.start_steps, r.orthogonal.first_polish,
        r.orthogonal.last_polish);
    all.insert(all.end(), r.penalty.validated.begin(), r.penalty.validated.end());
    all.insert(all.end(), r.rule.expectations.begin(), r.rule.expectations.end());
    return hash64(all.data(), all.size() * sizeof(double));
}

}  // namespace summand
