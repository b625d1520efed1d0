// Name → options → training. A new method adds one row to `method_rows`.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "summand/train.h"

namespace summand {

/// A training whose options are settled.
using Trainer = std::function<Quantizer(MatrixView<float> vectors)>;

/// What the number after a method's name counts, and the largest.
struct SpecNumber {
    std::string_view what = "dictionaries";
    std::size_t most = kMaxDictionaries;
};

struct MethodRow {
    MethodInfo info;
    Trainer (*trainer)(const Spec& spec, const TrainSettings& settings);  ///< throws where an option is wrong
    SpecNumber number = {};
    std::optional<Constraint> constraint = {};  ///< of the composite family, whose recipe specs can change
};

std::span<const MethodRow> method_rows();

/// "CQ", "OCQ", "NOCQ" …
std::string_view method_name(const CompositeOptions& options);

/// What stands after the method's name in the spec of a model.
std::size_t spec_number(const Quantizer& model);

/// Throws `Error` that lists the known names.
const MethodRow& method_row(std::string_view name);

/// Throws `Error` that lists the methods that are.
void require_resumable(std::string_view name);

}  // namespace summand
