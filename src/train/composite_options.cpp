// What is wrong with options of the composite family before any vector is seen.
#include <cmath>
#include <vector>

#include "summand/error.h"
#include "train/problem.h"
#include "train/registry.h"

namespace summand {
namespace {

void check_translation(const CompositeOptions& options) {
    require(
        options.constraint != Constraint::none || options.translation != Translation::learnt,
        "train: translation=learnt would change nothing for CQ: its words are free to take a translation up; expected "
        "mean or none");
    require(options.constraint != Constraint::augmented || options.translation != Translation::learnt,
            "train: QAV has no translation to learn; expected mean or none");
    require(options.constraint != Constraint::orthogonal || options.translation == Translation::mean,
            "train: OCQ subtracts the mean, it has no other translation");
}

void check_anisotropy(const CompositeOptions& options) {
    require(std::isfinite(options.anisotropy) && options.anisotropy >= 1,
            "train: expected an anisotropy of at least 1, got ", options.anisotropy);
    if (options.anisotropy == 1) return;
    require(options.constraint == Constraint::none && options.bias != BiasStorage::byte,
            "train: anisotropy is an option of CQ with bias=float or dropped, got ", method_name(options));
    require(options.translation == Translation::none,
            "train: anisotropy weighs the error along the vector itself; expected translation=none");
}

void check_anchor(const CompositeOptions& options, const Recipe& recipe) {
    const double weight = options.anchor.value_or(recipe.anchor.weight);
    require(std::isfinite(weight) && weight >= 0, "train: expected an anchor of at least 0 vectors, got ", weight);
}

}  // namespace

CompositeOptions paper_options(Constraint constraint, std::size_t dictionaries) {
    require(constraint == Constraint::near_orthogonal || constraint == Constraint::none,
            "train: the paper's algorithm is a preset of NOCQ and CQ");
    return {.constraint = constraint,
            .dictionaries = dictionaries,
            .recipe = paper_recipe(constraint, dictionaries),
            .start = WarmStart::pq,
            .rule = PenaltyRule::validate,
            .translation = Translation::none,
            .effort = Effort::fast};
}

void check_options(const CompositeOptions& options) {
    const Recipe recipe = recipe_of(options);
    require(recipe.iterations >= 1, "train: expected at least 1 iteration, got ", recipe.iterations);
    require(options.constraint != Constraint::none || options.bias != BiasStorage::byte ||
                options.dictionaries < kMaxDictionaries,
            "train: CQ with bias=byte adds a dictionary; expected at most ", kMaxDictionaries - 1,
            " dictionaries, got ", options.dictionaries);
    require(options.rule != PenaltyRule::fixed || (std::isfinite(options.penalty) && options.penalty >= 0),
            "train: expected a penalty of at least 0, got ", options.penalty);
    require(options.nonzeros == 0 || options.constraint == Constraint::near_orthogonal,
            "train: sparse words are an option of NOCQ, got ", method_name(options));
    check_anchor(options, recipe);
    check_translation(options);
    check_anisotropy(options);
    if (options.resume || options.checkpoint) require_resumable(method_name(options));
}

}  // namespace summand
