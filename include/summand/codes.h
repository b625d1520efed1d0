// What is stored of each vector: M bytes, and one float where a method keeps its third term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/matrix.h"

namespace summand {

struct Codes {
    Matrix<std::uint8_t> rows = {};  ///< n × M, row order; rows[i][m] < K
    std::vector<float> bias = {};    ///< n values, or empty where the model stores none
    std::uint64_t model = 0;         ///< identity of the quantizer that made them

    std::size_t size() const { return rows.rows(); }

    friend bool operator==(const Codes&, const Codes&) = default;
};

}  // namespace summand
