// Which dictionaries code which dimensions together: a tree over the dictionaries, and an edge of it for each
// dimension. Only the two dictionaries of its edge have words that are not zero there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

struct DictionaryTree {
    struct Edge {
        std::size_t first, second;            ///< dictionaries
        std::vector<std::size_t> dimensions;  ///< ascending
    };
    std::vector<Edge> edges;  ///< M - 1
};

/// A greedy choice. What two dictionaries explain of a dimension, given the codes, is a least-squares fit; edges join
/// the tree one by one, each time the one that, without closing a cycle, adds most to what the best edge of every
/// dimension explains. Then every dimension takes its best edge.
DictionaryTree choose_tree(MatrixView<float> vectors, const Matrix<std::uint8_t>& codes, std::size_t words,
                           const Execution& execution);

/// Words by least squares with the codes fixed, for each edge of the tree and its dimensions; a ridge keeps words that
/// no vector uses. Never raises the error.
void solve_tree(MatrixView<float> vectors, const Matrix<std::uint8_t>& codes, const DictionaryTree& tree,
                const Execution& execution, Dictionaries& dictionaries);

}  // namespace summand
