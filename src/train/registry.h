// Name → options → training. A new method adds one row to `method_rows`.
#pragma once

#include <functional>
#include <span>

#include "summand/train.h"

namespace summand {

/// A training whose options are settled.
using Trainer = std::function<Quantizer(MatrixView<float> vectors)>;

struct MethodRow {
    MethodInfo info;
    Trainer (*trainer)(const Spec& spec, const TrainSettings& settings);  ///< throws where an option is wrong
};

std::span<const MethodRow> method_rows();

/// "CQ", "OCQ", "NOCQ" or "LOCQ".
std::string_view method_name(Constraint constraint);

/// Throws `Error` that lists the known names.
const MethodRow& method_row(std::string_view name);

/// Throws `Error` that lists the methods that are.
void require_resumable(std::string_view name);

}  // namespace summand
