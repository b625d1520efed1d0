// Name → options → training. A new method adds one row to `method_rows`.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "summand/train.h"
#include "train/cost.h"

namespace summand {

/// A training whose options are settled.
using Trainer = std::function<Quantizer(MatrixView<float> vectors)>;

struct Work;  // work.h

/// What most numbers after a method's name are: M.
std::size_t dictionary_number(const Quantizer& model);

/// What the number after a method's name counts, and the largest.
struct SpecNumber {
    std::string_view what = "dictionaries";
    std::size_t most = kMaxDictionaries;
    std::size_t (*of)(const Quantizer& model) = dictionary_number;
};

/// All that tells a method from others.
struct MethodRow {
    MethodInfo info;
    Trainer (*trainer)(const Spec& spec, const TrainSettings& settings);  ///< throws where an option is wrong
    TrainingCost (*cost)(const Work& work);
    CodeShape (*codes)(const Spec& spec);
    SpecNumber number = {};
    std::optional<Constraint> constraint = {};  ///< of the composite family, whose recipe specs can change
};

std::span<const MethodRow> method_rows();

/// "CQ", "OCQ", "NOCQ" …
std::string_view method_name(const CompositeOptions& options);

/// What stands after the method's name in the spec of a model; a model of no known method has dictionaries.
std::size_t spec_number(const Quantizer& model);

/// Whether the method's specs can say the option.
bool offers(const MethodRow& row, std::string_view option);

/// Throws `Error` that lists the known names.
const MethodRow& method_row(std::string_view name);

/// Throws `Error` that lists the methods that are.
void require_resumable(std::string_view name);

}  // namespace summand
