// M dictionaries of K words each, in D dimensions. A vector is approximated by a sum of one word of each:
//
//     x ≈ c[0][code_0] + c[1][code_1] + … + c[M-1][code_{M-1}]
#pragma once

#include <cstddef>
#include <vector>

#include "summand/matrix.h"

namespace summand {

inline constexpr std::size_t kMaxWords = 256;
inline constexpr std::size_t kMaxDictionaries = 64;

struct Dictionaries {
    std::size_t count = 0;  ///< M
    std::size_t words = 0;  ///< K, from 2 to 256

    // Row m*K + k is word k of dictionary m:
    //     | word 0,0 | word 0,1 | … | word 0,K-1 | word 1,0 | …      each D floats
    Matrix<float> rows = {};

    // Block structure (PQ, OPQ): words of dictionary m are zero outside the dimensions
    // [block_begin[m], block_begin[m+1]). Empty: words are dense.
    std::vector<std::size_t> block_begin = {};

    std::size_t dimensions() const { return rows.columns(); }
    bool blocks() const { return !block_begin.empty(); }
    const float* word(std::size_t m, std::size_t k) const { return rows.row(m * words + k); }
    float* word(std::size_t m, std::size_t k) { return rows.row(m * words + k); }

    friend bool operator==(const Dictionaries&, const Dictionaries&) = default;
};

}  // namespace summand
