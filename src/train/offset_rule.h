// What the offsets of a code should add up to. With r = y - ȳ,
//
//     Σ_m word_offset = |y|² - 2 a·y·r + (1 - θ)·|r|²         a: the expectation
//
// makes the score right for the query a·y, and (1 - θ)·|r|² too large. The paper's choice, |ȳ|², is a = 1, θ = 0. But
// queries near y are not centred on it: they lean towards the mean of the data, the more so the farther the nearest
// neighbours are, and then other values rank better. How much differs between data sets (docs/decisions/0006), so they
// are searched for.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/recipe.h"

namespace summand {

struct OffsetRule {
    double expectation = 1;
    double theta = 0;
};

/// The numbers that the user gives; the search finds the others.
struct GivenRule {
    std::optional<double> expectation = {}, theta = {};
};

/// Returns the rule with which queries find their nearest neighbour earliest if offsets follow it exactly. Row n of
/// `sums` is the sum of the words of vector n. Of expectations that are equally good among the vectors it takes the
/// smallest; it then chooses the tilt by the costs among recipe.rule.growth times as many vectors. With too few queries
/// it returns the usual rule.
OffsetRule best_offset_rule(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                            const GivenRule& given, const Execution& execution, const Recipe& recipe = {});

/// The rule that is good on average over data sets, with the numbers given.
OffsetRule usual_offset_rule(const GivenRule& given, const RuleRecipe& recipe = {});

}  // namespace summand
