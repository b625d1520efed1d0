#include "train/method_costs.h"

#include <algorithm>

namespace summand {
namespace {

// Where all else is small: vectors, the same centred and shuffled.
constexpr double kHeld = 2;

Recipe recipe_of(const Work& w, Constraint constraint) { return default_recipe(constraint, w.spec.dictionaries); }

// 2,048 vectors compared with at most 100,000.
double near_pairs(const Work& w) { return 2 * 2048 * w.of(100'000).N * w.D; }

// The vectors of trials.
Work sample_of(const Work& w, const SplitRecipe& recipe) {
    return w.of(
        std::max(static_cast<double>(recipe.smallest_sample), static_cast<double>(recipe.sample_per_word) * w.K));
}

// Cartesian k-means on a sample; where there are more dimensions, within the subspace that it takes place in.
double composite_start(const Work& w) {
    const Work sample = w.of(64 * w.K), inner = sample.within(256);
    const double subspace = inner.D < w.D ? 4 * sample.N * w.D * w.D + 20 * w.D * w.D * w.D : 0;
    return 27 * rotated_step(inner) + subspace;
}

// Products, 4 sweeps, normal equations.
double unconstrained_step(const Work& w) { return dense_products(w) + 4 * sweep(w) + normal_equations(w); }

// Codes and 26 evaluations, or with free offsets 6, and a factor of the pairs of words as well.
double penalised_step(const Work& w, bool free_offsets) {
    const double cube = w.words() * w.pairs_of_words();
    return dense_products(w) + 3 * sweep(w) + (free_offsets ? 6 * gradient(w) + cube / 3 : 26 * gradient(w));
}

// Two starts, each tried for some iterations on the sample; of few vectors none.
double trials(const Work& w, const Recipe& recipe, bool free_offsets) {
    const Work sample = sample_of(w, recipe.split);
    const double tried = recipe.start.trial_iterations;
    const bool many = w.N >= recipe.anchor.few * w.words();
    const bool compared = recipe.start.usual == WarmStart::automatic && w.option("start", "auto") == "auto" && many;
    return compared ? 2 * (composite_start(w) + tried * penalised_step(sample.within(256), free_offsets)) : 0;
}

// A composite training copies its vectors once more while it shuffles them. A start moves and rotates what it sees, and
// in many dimensions all of the vectors are brought into a subspace for the trials.
double posed_bytes(const Work& w) { return copies_bytes(w, kHeld + 1); }
double start_bytes(const Work& w, const Work& sample) {
    const Work inner = w.within(256);
    return copies_bytes(w, kHeld) + copies_bytes(sample, 2) + (inner.D < w.D ? copies_bytes(inner, 1) : 0) +
           modes_bytes(w);
}

TrainingCost penalised_cost(const Work& w, Constraint constraint) {
    const Recipe recipe = recipe_of(w, constraint);
    const bool free_offsets = constraint == Constraint::learnt_offsets, paired = recipe.penalty.factor > 0;
    const double all =
        w.option("mu", "auto") == "validate" ? 1 + static_cast<double>(recipe.penalty.validated.size()) : 1;
    const double step_bytes = free_offsets ? newton_bytes(w) : descent_bytes(w, recipe.lbfgs);
    return {
        composite_start(w) + (paired ? near_pairs(w) : 0) +
            all * w.iterations(recipe.iterations) * penalised_step(w, free_offsets) + trials(w, recipe, free_offsets),
        std::max({posed_bytes(w) + (paired ? copies_bytes(w.of(100'000), 1) : 0),
                  start_bytes(w, sample_of(w, recipe.split)), copies_bytes(w, kHeld) + modes_bytes(w) + step_bytes})};
}

}  // namespace

TrainingCost pq_cost(const Work& w) {
    return {w.iterations() * block_products(w), copies_bytes(w, 2 + 1 / w.M) + 4 * word_bytes(w)};
}

// The rotated vectors, and a block of them.
TrainingCost opq_cost(const Work& w) {
    return {rotated_training(w.iterations(), w) + near_pairs(w),
            copies_bytes(w, 3 + 1 / w.M) + 4 * word_bytes(w) + rotation_bytes(w)};
}

// Signs are turned and compared: 8 bits a dictionary.
TrainingCost itq_cost(const Work& w) {
    const Work bits = w.within(8 * w.M);
    return {
        w.iterations() * (6 * w.N * bits.D * bits.D + 30 * bits.D * bits.D * bits.D) + 2 * w.N * w.D * (w.D + bits.D),
        copies_bytes(w, 2) + copies_bytes(bits, 3) + rotation_bytes(w)};
}

TrainingCost otq_cost(const Work& w) {
    const double step = 4 * w.N * w.D * w.D + 30 * w.D * w.D * w.D + dense_products(w) / 4 + tree_search(w);
    return {rotated_training(12, w) + near_pairs(w) + w.iterations() * step,
            copies_bytes(w, 5) + sizeof(float) * w.words() * w.K + 4 * word_bytes(w) + rotation_bytes(w)};
}

// k-means of residuals and beam search, dictionary by dictionary.
TrainingCost rq_cost(const Work& w) {
    return {w.iterations() * dense_products(w) + w.M / 2 * (dense_products(w) + beam_search(w, 4, false)),
            copies_bytes(w, 3) + sizeof(float) * w.pairs_of_words() + 4 * word_bytes(w)};
}

TrainingCost aq_cost(const Work& w) {
    const double start = 10 * dense_products(w) + w.M / 2 * (dense_products(w) + beam_search(w, 4, false));
    const double step = dense_products(w) + normal_equations(w) + beam_search(w, 8, true);
    return {start + w.iterations() * step,
            std::max(copies_bytes(w, 3) + sizeof(float) * w.pairs_of_words(), copies_bytes(w, 2) + normal_bytes(w))};
}

// CQ, and its kin that keep the third term elsewhere.
TrainingCost cq_cost(const Work& w) {
    const Recipe recipe = recipe_of(w, Constraint::none);
    const bool weighed = w.option("anisotropy", "1") != "1", rotated = w.option("start", "auto") == "opq";
    const double start = rotated ? composite_start(w) : 12 * block_products(w.of(64 * w.K));
    const double step = unconstrained_step(w) + (weighed ? penalised_step(w, true) : 0);
    return {
        start + w.iterations(recipe.iterations) * step,
        std::max({posed_bytes(w), rotated ? start_bytes(w, w) : 0,
                  copies_bytes(w, kHeld) + modes_bytes(w) + std::max(normal_bytes(w), weighed ? newton_bytes(w) : 0)})};
}

TrainingCost qav_cost(const Work& w) {
    return {composite_start(w) + w.iterations(recipe_of(w, Constraint::augmented).iterations) * unconstrained_step(w),
            std::max(start_bytes(w, w), copies_bytes(w, kHeld) + modes_bytes(w) + normal_bytes(w))};
}

// 7 evaluations, each with the products of all pairs of words, twice. The start is a whole training of Cartesian
// k-means, beside the vectors of this one.
TrainingCost ocq_cost(const Work& w) {
    const Recipe recipe = recipe_of(w, Constraint::orthogonal);
    const double iterations = w.iterations(recipe.iterations);
    const double step = dense_products(w) + sweep(w) + 7 * (gradient(w) + 4 * w.pairs_of_words() * w.D);
    return {
        rotated_training(recipe.orthogonal.start_steps * iterations, w) + near_pairs(w) +
            iterations * (step + 5 * rotated_step(w)),
        copies_bytes(w, 3) + std::max(copies_bytes(w, 2 + 1 / w.M), modes_bytes(w) + descent_bytes(w, recipe.lbfgs) +
                                                                        sizeof(float) * w.pairs_of_words())};
}

TrainingCost nocq_cost(const Work& w) { return penalised_cost(w, Constraint::near_orthogonal); }

TrainingCost ub_cost(const Work& w) { return penalised_cost(w, Constraint::upper_bound); }

TrainingCost locq_cost(const Work& w) { return penalised_cost(w, Constraint::learnt_offsets); }

}  // namespace summand
