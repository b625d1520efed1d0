// Checks that the parts of a model fit each other. Code that takes a model from outside calls this once; code that
// works with the model need not.
#pragma once

#include "summand/partition.h"
#include "summand/quantizer.h"

namespace summand {

inline constexpr std::size_t kMostColumns = std::size_t{1} << 32;  ///< products with M and K then fit 64 bits

/// Throws `Error`, beginning with `what`, unless all parts have the shapes that M, K and D give them and all numbers
/// are finite.
void require_valid(const Quantizer& quantizer, const char* what);
void require_valid(const Partition& partition, const char* what);

/// Block m is [begin[m], begin[m+1]); together they cover all dimensions.
bool valid_blocks(const std::vector<std::size_t>& begin, std::size_t count, std::size_t dimensions);

/// The same for the cells of groups.
bool valid_groups(const std::vector<std::uint64_t>& begin, std::size_t groups, std::size_t cells);

}  // namespace summand
