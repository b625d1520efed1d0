// Rows of which most values are zero, kept as the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "summand/dictionaries.h"

namespace summand {

/// Values of row r are begin[r] … begin[r+1]-1.
struct SparseRows {
    std::vector<std::uint32_t> begin = {0}, dimensions = {};
    std::vector<float> values = {};

    bool empty() const { return begin.size() == 1; }
    void add(std::span<const float> row);
};

/// Few enough values that are not zero for their products to cost less than all of them.
bool is_sparse(const Dictionaries& dictionaries);

}  // namespace summand
