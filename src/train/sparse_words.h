// Words with few values that are not zero: tables of queries then cost as many products.
#pragma once

#include <cstddef>
#include <cstdint>

#include "summand/dictionaries.h"
#include "summand/matrix.h"

namespace summand {

/// How many values of the words stay: as many as the tables of PQ multiply, or those of OPQ and its rotation.
enum class Sparsity { as_pq, as_opq };

/// Returns K·D for PQ, min(K·D + D², M·K·D) for OPQ.
std::size_t nonzeros_of(Sparsity sparsity, std::size_t dictionaries, std::size_t words, std::size_t dimensions);

/// Number of values at a share of the way: it falls from `all` at 0 to `last` at 1 by equal factors.
std::size_t falling_nonzeros(std::size_t all, std::size_t last, double share);

/// Sets all but the `count` values to zero whose loss would cost most: the square of a value times how often its word
/// is used. Ties go to the smaller number.
void keep_strongest(const Matrix<std::uint8_t>& codes, std::size_t count, Dictionaries& dictionaries);

}  // namespace summand
