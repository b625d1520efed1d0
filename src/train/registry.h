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

/// "CQ", "OCQ", "NOCQ" or "LOCQ".
std::string_view method_name(Constraint constraint);

/// Throws `Error` that lists the known names.
const MethodRow& method_row(std::string_view name);

}  // namespace summand
