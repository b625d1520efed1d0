// Exact encoding where the words of the dictionaries overlap along the edges of a tree: for a vector y the codes that
// minimise
//
//     |y - Σ_m c[m][code_m]|² = |y|² + Σ_m (|c|² - 2 y·c) + Σ_edges 2 c_i·c_j
//
// by dynamic programming: from the leaves to the root, every word of a parent learns the cheapest word of its child;
// then the codes are read off from the root to the leaves. (M-1)·K² steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct TreeEdge {
    std::size_t child, parent;  ///< dictionaries

    friend bool operator==(const TreeEdge&, const TreeEdge&) = default;
};

/// Whether two dictionaries have words that are not zero in the same dimension: M × M.
Matrix<std::uint8_t> word_overlaps(const Dictionaries& dictionaries);

/// Returns the edges of a forest, each after the edges of its child's subtree. The smallest number of each tree is its
/// root. Throws `Error` that begins with `what` where the neighbours, M × M, form a cycle.
std::vector<TreeEdge> tree_of(const Matrix<std::uint8_t>& neighbours, const char* what);

class TreeEncoder {
public:
    /// Copies nothing of the dictionaries: they must outlive the encoder. Throws `Error` where they form no tree.
    TreeEncoder(const Dictionaries& dictionaries, const Execution& execution);

    Matrix<std::uint8_t> encode(MatrixView<float> vectors, const Execution& execution) const;

    /// Keeps each of `codes` unless the search finds one with a smaller exact error; with rounding it may find none.
    void improve(MatrixView<float> vectors, const Execution& execution, Matrix<std::uint8_t>& codes) const;

private:
    template <class Take>
    void for_each_code(MatrixView<float> vectors, const Execution& execution, const Take& take) const;
    void find(float* costs, std::uint8_t* choices, std::uint8_t* code) const;

    const Dictionaries& dictionaries_;
    std::vector<TreeEdge> edges_;
    std::vector<float> norms_;          // |c|²
    std::vector<Matrix<float>> pairs_;  // of each edge: row of a parent's word, 2 c·c' with the words of the child
};

}  // namespace summand
