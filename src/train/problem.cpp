#include "train/problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "train/prepare.h"

namespace summand {
namespace {

struct Split {
    Matrix<float> vectors, held_out;
};

// Rows in random order, the first of them held out: none where they would be too few to tell anything.
Split split(const Matrix<float>& rows, std::size_t held_out, std::uint64_t seed) {
    const std::size_t N = rows.rows(), D = rows.columns();
    Random random(seed);
    const std::vector<std::size_t> order = permutation(N, random);
    Split result{Matrix<float>(N - held_out, D), Matrix<float>(held_out, D)};
    for (std::size_t i = 0; i < N; ++i)
        std::copy_n(rows.row(order[i]), D, i < held_out ? result.held_out.row(i) : result.vectors.row(i - held_out));
    return result;
}

std::size_t held_out_of(std::size_t rows, std::size_t words, const SplitRecipe& recipe) {
    return rows > recipe.held_out_from * words ? std::min(recipe.most_held_out, rows / recipe.held_out_one_in) : 0;
}

std::size_t enough_of(const Problem& problem) {
    const SplitRecipe& recipe = problem.recipe.split;
    return std::min(std::max(recipe.smallest_sample, recipe.sample_per_word * problem.options.words),
                    problem.vectors->vectors.rows());
}

std::size_t sample_of(const Problem& problem) {
    const bool judged = compares_starts(problem) || problem.options.rule == PenaltyRule::validate;
    if (!judged || problem.held_out->vectors.rows() == 0) return problem.enough;
    const double others = problem.recipe.split.judged_share * static_cast<double>(problem.vectors->vectors.rows());
    return std::min(problem.enough, problem.vectors->vectors.rows() - static_cast<std::size_t>(std::ceil(others)));
}

}  // namespace

Recipe recipe_of(const CompositeOptions& options) {
    Recipe recipe = options.recipe.value_or(default_recipe(options.constraint, options.dictionaries));
    if (options.iterations) recipe.iterations = *options.iterations;
    return recipe;
}

Problem pose(MatrixView<float> vectors, const CompositeOptions& options) {
    const Centring centring = options.translation == Translation::none ? Centring::none : Centring::mean;
    Prepared data =
        prepare(vectors, {options.dictionaries, options.words, centring}, options.unit_length, options.execution);
    Problem problem{.options = options, .recipe = recipe_of(options), .centre = std::move(data.centre)};
    Split rows = split(data.vectors, held_out_of(vectors.rows(), options.words, problem.recipe.split), options.seed);
    if (options.resume || options.checkpoint)
        problem.hash = training_hash(options, rows.vectors.view(), rows.held_out.rows());
    problem.vectors = std::make_shared<CompositeInput>(composite_input(std::move(rows.vectors)));
    problem.held_out = std::make_shared<CompositeInput>(composite_input(std::move(rows.held_out)));
    problem.enough = enough_of(problem);
    problem.sample = sample_of(problem);
    if (problem.recipe.penalty.factor > 0 && options.rule != PenaltyRule::fixed)
        problem.pairs = near_pairs(problem.vectors->vectors.view(), options.execution, problem.recipe.penalty.pairs);
    return problem;
}

bool compares_starts(const Problem& problem) {
    return problem.options.start == WarmStart::automatic && problem.options.dictionaries > 1 &&
           problem.options.nonzeros == 0 && problem.recipe.start.usual == WarmStart::automatic && !problem.few() &&
           problem.held_out->vectors.rows() > 0;
}

Problem for_trial(const Problem& problem, int iterations) {
    Problem trial = problem;
    trial.recipe.iterations = iterations;
    trial.options.execution.progress = {};
    trial.options.checkpoint = {};
    return trial;
}

std::shared_ptr<const CompositeInput> moved(const CompositeInput& rows, const std::vector<float>& translation) {
    Matrix<float> result = rows.vectors;
    for (std::size_t n = 0; n < result.rows(); ++n)
        for (std::size_t d = 0; d < translation.size(); ++d) result[n][d] -= translation[d];
    return std::make_shared<CompositeInput>(composite_input(std::move(result)));
}

}  // namespace summand
