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

/// What may be given beforehand; the rest is searched for.
struct GivenRule {
    std::optional<double> expectation = {}, theta = {};
};

/// The row of `vectors` that is nearest to each of the first queries.
std::vector<std::size_t> nearest_rows(MatrixView<float> queries, MatrixView<float> vectors, const Execution& execution,
                                      const JudgeRecipe& recipe = {});

/// How late the first queries find these rows, where rows are scored by offset - 2 q·sum: log2(1 + rank), in a row for
/// each row of `offsets`, in a column for each query.
Matrix<double> search_costs(MatrixView<float> queries, const std::vector<std::size_t>& nearest, MatrixView<float> sums,
                            const Matrix<float>& offsets, const Execution& execution);

/// The rule with which they would be found earliest among four times as many vectors, where the offsets follow it
/// exactly; of expectations that are as good the smallest. A fixed one where fewer than 512 queries cannot tell, or
/// where there are fewer than four vectors.
OffsetRule best_offset_rule(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                            const GivenRule& given, const Execution& execution, const Recipe& recipe = {});

/// A good one on average over data sets.
OffsetRule usual_offset_rule(const GivenRule& given, const RuleRecipe& recipe = {});

}  // namespace summand
