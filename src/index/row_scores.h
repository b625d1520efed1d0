// Scores of vectors that an index holds itself, for one query:
//
//     fp32, fp16   |q - x̄|²                                or  -q·x̄
//     u8           |q - x|²; cosine: |q - x/|x||²          or  -q·x
//     sq8          |(q - smallest) - step·byte|²           or  -q·smallest - (q·step)·byte     per dimension
//
// x̄ is the row as it is held. Sums are those of our kernels: the same bits on every CPU.
#pragma once

#include <cstddef>
#include <vector>

#include "summand/index.h"

namespace summand {

class RowScores {
public:
    RowScores(const RefineRows& rows, Metric metric, std::size_t dimensions);

    /// For the scores that follow. The query is borrowed; for cosine its length is one.
    void set_query(const float* query);

    float operator()(std::size_t row) const;

    /// Asks the memory for a row that will be scored soon.
    void fetch(std::size_t row) const;

private:
    float distance(const std::byte* row) const;
    float product(const std::byte* row) const;
    float scale(const std::uint8_t* row) const;

    const RefineRows& rows_;
    Metric metric_;
    std::size_t dimensions_, row_bytes_;
    const float* query_ = nullptr;
    std::vector<float> moved_ = {};  // sq8: what of the query does not depend on the row
    float offset_ = 0;
};

}  // namespace summand
