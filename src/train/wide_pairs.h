// Near-orthogonal words for the cells of a multi-index, of two dictionaries of any size: NOCQ with M = 2 where codes of
// a byte do not reach.
//
//     1/N Σ_n |y_n - a_n - b_n|² + μ (2 a_n·b_n - ε)²
//
// by turns: the nearest cell of each vector, then ε and the words of one dictionary with the other one fixed.
#pragma once

#include "summand/execution.h"
#include "summand/partition.h"

namespace summand {

struct WidePairsOptions {
    int iterations = 10;
    Execution execution = {};
};

/// `words`: the start, two dictionaries around the origin, as the vectors are. The partition is not orthogonal and has
/// word offsets |c|² + ε/2.
Partition train_wide_pairs(MatrixView<float> vectors, Dictionaries words, const WidePairsOptions& options);

}  // namespace summand
