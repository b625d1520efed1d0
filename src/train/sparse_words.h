// Words with few values that are not zero: tables of queries then cost as many products.
#pragma once

#include <cstddef>
#include <cstdint>

#include "summand/dictionaries.h"
#include "summand/matrix.h"

namespace summand {

/// As many values as the tables of PQ multiply, or those of OPQ with its rotation.
enum class Sparsity { as_pq, as_opq };

/// K·D, and min(K·D + D², M·K·D).
std::size_t nonzeros_of(Sparsity sparsity, std::size_t dictionaries, std::size_t words, std::size_t dimensions);

/// From `all` values at the share 0 to `last` at 1, by equal factors.
std::size_t falling_nonzeros(std::size_t all, std::size_t last, double share);

/// Sets all but the `count` values to zero whose loss would cost most: the square of a value times how often its word
/// is used. Ties go to the smaller number.
void keep_strongest(const Matrix<std::uint8_t>& codes, std::size_t count, Dictionaries& dictionaries);

}  // namespace summand
