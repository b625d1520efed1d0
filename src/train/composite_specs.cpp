// The composite family by spec.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "summand/error.h"
#include "train/problem.h"
#include "train/recipe.h"
#include "train/sparse_words.h"
#include "train/spec_options.h"
#include "train/spec_trainers.h"

namespace summand {
namespace {

PenaltyRule penalty_rule(const std::string& text) {
    if (text == "auto") return PenaltyRule::automatic;
    return text == "validate" ? PenaltyRule::validate : PenaltyRule::fixed;
}

std::optional<double> automatic_or_number(SpecOptions& read, std::string_view name) {
    if (read.text(name, "auto") == "auto") return {};
    return read.number(name, 0, "auto or a number");
}

Translation translation_of(SpecOptions& read, Constraint constraint, Translation usual) {
    if (read.text("translation", "") == "") return usual;
    if (constraint != Constraint::none && constraint != Constraint::augmented)
        return read.choice<Translation>(
            "translation", {{"mean", Translation::mean}, {"none", Translation::none}, {"learnt", Translation::learnt}});
    if (read.text("translation", "") == "learnt") return Translation::learnt;  // check_options says why not
    return read.choice<Translation>("translation", {{"mean", Translation::mean}, {"none", Translation::none}});
}

// The numbers of the recipe that the spec changes.
void read_recipe(Constraint constraint, SpecOptions& read, Recipe& recipe) {
    for (const RecipeOption& option : recipe_options()) {
        if (!option.serves(constraint)) continue;
        std::visit(
            [&](auto* value) {
                using Number = std::remove_pointer_t<decltype(value)>;
                if constexpr (std::is_floating_point_v<Number>)
                    *value = read.number(option.name, *value, option.least, option.most);
                else
                    *value = static_cast<Number>(read.integer(option.name, static_cast<int>(*value),
                                                              static_cast<int>(option.least),
                                                              static_cast<int>(option.most)));
            },
            option.field(recipe));
    }
}

// What the options are before the spec changes any.
CompositeOptions usual_options(Constraint constraint, const Spec& spec, SpecOptions& read) {
    enum class Preset { ours, paper };
    const bool printed = offers(method_row(spec.method), "preset");  // the paper prints the algorithm of few
    const bool paper = printed && read.choice<Preset>(
                                      "preset", {{"default", Preset::ours}, {"paper", Preset::paper}}) == Preset::paper;
    if (paper) return paper_options(constraint, spec.dictionaries);
    return {.constraint = constraint, .recipe = default_recipe(constraint, spec.dictionaries)};
}

// The options that all methods of a constraint have.
CompositeOptions composite_options(Constraint constraint, const Spec& spec, SpecOptions& read) {
    CompositeOptions options = usual_options(constraint, spec, read);
    options.dictionaries = spec.dictionaries;
    options.words = spec.words();
    read_recipe(constraint, read, *options.recipe);
    if (read.text("start", "") != "")
        options.start = read.choice<WarmStart>(
            "start", {{"auto", WarmStart::automatic}, {"pq", WarmStart::pq}, {"opq", WarmStart::opq}});
    const bool learnt = constraint == Constraint::learnt_offsets, tied = constraint == Constraint::near_orthogonal;
    if (learnt) {
        options.theta = automatic_or_number(read, "theta");
        options.expectation = automatic_or_number(read, "expectation");
    }
    if ((tied || learnt) && read.text("mu", "") != "") {
        options.rule = penalty_rule(read.text("mu", ""));
        if (options.rule == PenaltyRule::fixed) options.penalty = read.number("mu", 0, "auto, validate or a number");
    }
    if (tied) options.learn_epsilon = read.choice<bool>("epsilon", {{"learnt", true}, {"0", false}});
    if (constraint == Constraint::none && read.text("solver", "") != "")
        options.recipe->solver =
            read.choice<Solver>("solver", {{"closed", Solver::closed}, {"iterative", Solver::iterative}});
    if (constraint != Constraint::orthogonal) {
        options.anchor = automatic_or_number(read, "anchor");
        options.translation = translation_of(read, constraint, options.translation);
        if (const std::string effort = read.text("effort", ""); !effort.empty()) options.effort = parse_effort(effort);
    }
    return options;
}

CompositeOptions settled(CompositeOptions options, const TrainSettings& settings) {
    apply(settings, options);
    options.resume = settings.resume;
    options.checkpoint = settings.checkpoint;
    check_options(options);
    require(options.anisotropy == 1 || !settings.residuals,
            "train: anisotropy weighs the error along the vectors, which residuals do not tell; expected "
            "coding=plain for the cells, and no anisotropy in Refine(...)");
    return options;
}

Trainer trainer_with(const CompositeOptions& options, const TrainSettings& settings) {
    return [options = settled(options, settings)](MatrixView<float> vectors) { return train(vectors, options); };
}

template <Constraint constraint>
Trainer plain_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    const CompositeOptions options = composite_options(constraint, spec, read);
    read.finish();
    return trainer_with(options, settings);
}

// CQ whose third term takes some of the spec's codes.
Trainer counted_trainer(BiasStorage storage, std::size_t taken, const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::none, spec, read);
    read.finish();
    options.dictionaries = left_of(spec, taken, "the third term");
    options.bias = storage;
    return trainer_with(options, settings);
}

// Anisotropy has no use for a translation.
void read_anisotropy(SpecOptions& read, CompositeOptions& options) {
    options.anisotropy = read.number("anisotropy", 1);
    if (options.anisotropy != 1 && read.text("translation", "none") == "none") options.translation = Translation::none;
}

}  // namespace

std::size_t codes_of_float(std::size_t words) { return words <= 16 ? 2 * sizeof(float) : sizeof(float); }

Trainer cq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::none, spec, read);
    options.bias = read.choice<BiasStorage>(
        "bias", {{"float", BiasStorage::float32}, {"byte", BiasStorage::byte}, {"dropped", BiasStorage::dropped}});
    read_anisotropy(read, options);
    read.finish();
    return trainer_with(options, settings);
}

Trainer ocq_trainer(const Spec& spec, const TrainSettings& settings) {
    return plain_trainer<Constraint::orthogonal>(spec, settings);
}

Trainer nocq_trainer(const Spec& spec, const TrainSettings& settings) {
    return plain_trainer<Constraint::near_orthogonal>(spec, settings);
}

Trainer locq_trainer(const Spec& spec, const TrainSettings& settings) {
    return plain_trainer<Constraint::learnt_offsets>(spec, settings);
}

Trainer qav_trainer(const Spec& spec, const TrainSettings& settings) {
    return plain_trainer<Constraint::augmented>(spec, settings);
}

Trainer ub_trainer(const Spec& spec, const TrainSettings& settings) {
    return plain_trainer<Constraint::upper_bound>(spec, settings);
}

Trainer cqe_trainer(const Spec& spec, const TrainSettings& settings) {
    return counted_trainer(BiasStorage::byte, 1, spec, settings);
}

Trainer cqd_trainer(const Spec& spec, const TrainSettings& settings) {
    return counted_trainer(BiasStorage::dropped, 0, spec, settings);
}

Trainer cqc_trainer(const Spec& spec, const TrainSettings& settings) {
    return counted_trainer(BiasStorage::float32, codes_of_float(spec.words()), spec, settings);
}

Trainer snocq_trainer(const Spec& spec, const TrainSettings& settings) {
    SpecOptions read(spec);
    CompositeOptions options = composite_options(Constraint::near_orthogonal, spec, read);
    const Sparsity level = read.choice<Sparsity>("level", {{"1", Sparsity::as_pq}, {"2", Sparsity::as_opq}});
    const int given = read.integer("nonzeros", 0, 1, std::numeric_limits<int>::max());
    read.finish();
    options.nonzeros = static_cast<std::size_t>(std::max(given, 1));  // of a level: once the dimensions are known
    return [options = settled(options, settings), level, given](MatrixView<float> vectors) mutable {
        if (given == 0) options.nonzeros = nonzeros_of(level, options.dictionaries, options.words, vectors.columns());
        return train(vectors, options);
    };
}

}  // namespace summand
