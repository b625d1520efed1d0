// The one judge of a state: how late held-out vectors find their nearest neighbour by the scores of codes. Starts, μ
// and the rule of the offsets are chosen by it.
//
//     cost of a query = log2(1 + how many vectors score below its nearest neighbour)
#pragma once

#include <cstddef>
#include <vector>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "train/composite.h"

namespace summand {

/// The row of `vectors` that is nearest to each of the first queries.
std::vector<std::size_t> nearest_rows(MatrixView<float> queries, MatrixView<float> vectors, const Execution& execution,
                                      const JudgeRecipe& recipe = {});

/// Costs where vectors are scored by offset - 2 q·sum: a row for each row of `offsets`, a column for each query.
Matrix<double> rank_costs(MatrixView<float> queries, const std::vector<std::size_t>& nearest, MatrixView<float> sums,
                          const Matrix<float>& offsets, const Execution& execution);

/// Searches vectors outside the sample, since words flatter what they were learnt from; the sample where it is all.
class Judge {
public:
    /// The problem must outlive the judge.
    explicit Judge(const Problem& problem);

    /// Of each query, with codes found as the state's model would find them.
    std::vector<double> costs(const CompositeState& state) const;

private:
    const Problem& problem_;
    std::size_t first_ = 0, count_ = 0;
    std::vector<std::size_t> nearest_;
};

double mean(const std::vector<double>& costs);

}  // namespace summand
