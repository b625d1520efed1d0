// Name → options → training. A new method adds one row to `method_rows`.
#pragma once

#include <span>

#include "summand/train.h"

namespace summand {

struct MethodRow {
    MethodInfo info;
    Quantizer (*train)(MatrixView<float> vectors, const Spec& spec, const TrainSettings& settings);
};

std::span<const MethodRow> method_rows();

/// "CQ", "OCQ", "NOCQ" …
std::string_view method_name(Constraint constraint);

/// What stands after the method's name in the spec of a model.
std::size_t spec_number(const Quantizer& model);

/// Throws `Error` that lists the known names.
const MethodRow& method_row(std::string_view name);

}  // namespace summand
