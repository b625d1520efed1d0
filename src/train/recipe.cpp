#include "train/recipe.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/hash.h"

namespace summand {
namespace {

template <class... Constraints>
constexpr unsigned methods_of(Constraints... constraints) {
    return (0u | ... | (1u << static_cast<unsigned>(constraints)));
}

using enum Constraint;

constexpr unsigned kAll = methods_of(none, orthogonal, near_orthogonal, learnt_offsets, augmented, upper_bound);
constexpr unsigned kPenalised = methods_of(near_orthogonal, learnt_offsets, upper_bound);
constexpr unsigned kAnchored = methods_of(none, near_orthogonal, learnt_offsets, augmented, upper_bound);
constexpr unsigned kDerived = methods_of(near_orthogonal, learnt_offsets);  // μ is derived, starts are tried
constexpr unsigned kDescended = methods_of(none, orthogonal, near_orthogonal, upper_bound);
constexpr double kMany = 1e9;  // as good as no limit

constexpr RecipeOption kOptions[] = {
    {"iterations", [](Recipe& r) -> RecipeField { return &r.iterations; }, 1, 10000, kAll},
    {"sweeps", [](Recipe& r) -> RecipeField { return &r.sweeps; }, 1, 100, kAll},
    {"perturbations", [](Recipe& r) -> RecipeField { return &r.perturbations; }, 0, 1000, kAll},
    {"trial", [](Recipe& r) -> RecipeField { return &r.start.trial_iterations; }, 1, 100, kDerived},
    {"few", [](Recipe& r) -> RecipeField { return &r.anchor.few; }, 0, kMany, kAnchored},
    {"ramp", [](Recipe& r) -> RecipeField { return &r.penalty.ramp; }, 0, 1, kPenalised},
    {"decades", [](Recipe& r) -> RecipeField { return &r.penalty.decades; }, 0, 10, kPenalised},
    {"factor", [](Recipe& r) -> RecipeField { return &r.penalty.factor; }, 1e-6, kMany, kDerived},
    {"coding_factor", [](Recipe& r) -> RecipeField { return &r.penalty.coding_factor; }, 0, kMany, kDerived},
    {"growth", [](Recipe& r) -> RecipeField { return &r.rule.growth; }, 1, 16, methods_of(learnt_offsets)},
    {"lbfgs", [](Recipe& r) -> RecipeField { return &r.lbfgs.iterations; }, 1, 10000, kDescended},
    {"line_searches", [](Recipe& r) -> RecipeField { return &r.lbfgs.line_searches; }, 1, 100, kDescended},
    {"newton", [](Recipe& r) -> RecipeField { return &r.newton.iterations; }, 1, 1000, methods_of(learnt_offsets)},
};

// Factors were chosen by measured recall (docs/math.md). More with few dictionaries, where errors are large, and where
// the offsets are free to meet it.
void set_factors(Constraint constraint, std::size_t dictionaries, PenaltyRecipe& penalty) {
    if (constraint == learnt_offsets) {
        const double M = static_cast<double>(dictionaries);
        penalty.factor = std::clamp(4 / M, 0.25, 0.6);
        // Words are learnt better with less of the natural weight than codes are found with once words are learnt.
        penalty.coding_factor = std::clamp(6 / M, 0.5, 0.75);
    } else if (constraint == near_orthogonal) {
        penalty.factor = penalty.coding_factor = dictionaries <= 5 ? 0.6 : 0.25;
    }
}

}  // namespace

Recipe default_recipe(Constraint constraint, std::size_t dictionaries) {
    Recipe recipe;
    set_factors(constraint, dictionaries, recipe.penalty);
    switch (constraint) {
        case learnt_offsets:
            // Few dictionaries with offsets to learn gain from more iterations, and cost little.
            if (dictionaries < 6) recipe.iterations = 20;
            break;
        case near_orthogonal:
            break;
        case orthogonal:
            recipe.start.usual = WarmStart::opq;
            recipe.sweeps = 1;
            recipe.perturbations = 0;
            recipe.lbfgs.iterations = 6;
            break;
        case none:
            recipe.start.usual = WarmStart::pq;  // ends lower than OPQ where no constraint holds the words
            recipe.sweeps = 2;
            recipe.perturbations = 1;
            // Of more vectors a pull still lowers the error, but the recall too (docs/decisions/0016-few-vectors.md).
            recipe.anchor.few = 3;
            break;
        case augmented:
            recipe.start.usual = WarmStart::opq;
            recipe.sweeps = 2;
            recipe.perturbations = 1;
            recipe.penalty.ramp = 0;
            break;
        case upper_bound:
            recipe.start.usual = WarmStart::opq;
            break;
    }
    return recipe;
}

Recipe paper_recipe(Constraint constraint, std::size_t dictionaries) {
    Recipe recipe = default_recipe(constraint, dictionaries);
    recipe.start.usual = WarmStart::pq;
    recipe.anchor.few = 0;
    recipe.sweeps = 1;
    recipe.perturbations = 0;
    recipe.penalty.ramp = 0;
    recipe.penalty.coding_factor = recipe.penalty.factor;
    recipe.lbfgs.iterations = 10;
    recipe.lbfgs.line_searches = 5;
    recipe.solver = Solver::iterative;
    return recipe;
}

std::span<const RecipeOption> recipe_options() { return kOptions; }

std::string shown(const RecipeOption& option, Constraint constraint, std::size_t dictionaries) {
    Recipe recipe = default_recipe(constraint, dictionaries);
    std::ostringstream text;
    text << option.name << '=';
    std::visit([&](const auto* value) { text << *value; }, option.field(recipe));
    return text.str();
}

std::uint64_t hash_of(const Recipe& r) {
    std::vector<double> all;
    const auto add = [&](auto... values) { (all.push_back(static_cast<double>(values)), ...); };
    add(r.iterations, r.sweeps, r.perturbations, r.solver, r.ridge, r.level_clustering);
    add(r.split.held_out_one_in, r.split.held_out_from, r.split.most_held_out, r.split.sample_per_word,
        r.split.smallest_sample, r.split.judged_share);
    add(r.start.usual, r.start.trial_iterations, r.start.vectors_per_word, r.start.pq_iterations,
        r.start.opq_iterations, r.start.rotation_iterations, r.start.dimensions);
    add(r.anchor.few, r.anchor.weight);
    add(r.judge.most_queries, r.judge.most_vectors, r.judge.sweeps);
    add(r.penalty.factor, r.penalty.coding_factor, r.penalty.byte_factor, r.penalty.ramp, r.penalty.decades,
        r.penalty.pairs.queries, r.penalty.pairs.candidates, r.penalty.pairs.neighbors);
    add(r.rule.when, r.rule.fewest_queries, r.rule.tie, r.rule.growth, r.rule.usual_expectation, r.rule.usual_theta);
    add(r.lbfgs.iterations, r.lbfgs.line_searches, r.lbfgs.corrections, r.lbfgs.few_corrections,
        r.lbfgs.many_variables);
    add(r.newton.iterations, r.newton.ridge, r.newton.halvings, r.newton.most_words);
    add(r.offsets.ridge, r.offsets.iterations);
    add(r.orthogonal.first_penalty, r.orthogonal.last_penalty, r.orthogonal.start_steps, r.orthogonal.first_polish,
        r.orthogonal.last_polish);
    for (const std::vector<double>* list : {&r.penalty.validated, &r.rule.expectations, &r.rule.tilts}) {
        add(list->size());
        all.insert(all.end(), list->begin(), list->end());
    }
    return hash64(all.data(), all.size() * sizeof(double));
}

}  // namespace summand
