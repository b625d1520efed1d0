// Shared by the block methods PQ and OPQ.
#pragma once

#include <cstddef>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/quantizer.h"

namespace summand {

/// M blocks of D dimensions whose sizes differ by at most one; throws `Error` where M > D.
std::vector<std::size_t> even_blocks(std::size_t dimensions, std::size_t count);

/// Zero words with the given block structure.
Dictionaries block_dictionaries(std::size_t words, const std::vector<std::size_t>& block_begin);

/// Independent k-means in each block; returns the mean squared error of the whole.
struct BlockTraining {
    Dictionaries dictionaries;
    Matrix<std::uint8_t> codes;
    double distortion = 0;
};
BlockTraining train_blocks(MatrixView<float> vectors, const std::vector<std::size_t>& block_begin, std::size_t words,
                           int iterations, std::uint64_t seed, const Execution& execution);

/// |c|² of every word: the offsets of a method whose dictionaries are orthogonal to each other.
std::vector<float> squared_word_norms(const Dictionaries& dictionaries);

}  // namespace summand
