// Answers in the arrays of the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "summand/neighbors.h"

namespace summand::capi {

/// Rows of k ids, and of k scores unless that is null; -1 and +infinity behind the last answer.
inline void put(const Neighbors& found, std::size_t k, std::int64_t* ids, float* scores) {
    for (std::size_t q = 0; q < found.ids.rows(); ++q) {
        std::fill_n(std::copy_n(found.ids.row(q), found.ids.columns(), ids + q * k), k - found.ids.columns(), kNoId);
        if (!scores) continue;
        std::fill_n(std::copy_n(found.scores.row(q), found.scores.columns(), scores + q * k),
                    k - found.scores.columns(), std::numeric_limits<float>::infinity());
    }
}

}  // namespace summand::capi
