// Cells that divide the space, so that a search looks at few of the vectors. A cell has a centre that is a word, or the
// sum of two words of two dictionaries:
//
//     IVF    c = c[0][k0]                  K cells, from k-means
//     IMI    c = c[0][k0] + c[1][k1]       K·K cells, the inverted multi-index; cell k0·K + k1
//
//     |q - c|² = |q|² + Σ_i (word_offset[i][k_i] - 2 q·c[i][k_i])
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

inline constexpr std::size_t kMaxCellWords = std::size_t{1} << 20;        ///< of one dictionary
inline constexpr std::size_t kMaxPairedCellWords = std::size_t{1} << 14;  ///< of two

struct Partition {
    Dictionaries dictionaries = {};        ///< one or two, dense, of up to kMaxCellWords or kMaxPairedCellWords words
    std::vector<float> word_offsets = {};  ///< count × K; their sum is |c|², or close to it
    bool orthogonal = true;                ///< c[0][k]·c[1][l] = 0 for all k and l: each word is chosen by itself

    // Two levels, for many cells of one dictionary: group g has the cells group_begin[g] … group_begin[g+1]-1.
    Matrix<float> groups = {};                    ///< centres of groups of cells, or empty
    std::vector<std::uint64_t> group_begin = {};  ///< groups + 1, or empty

    std::size_t dimensions() const { return dictionaries.dimensions(); }
    std::size_t cells() const {
        return dictionaries.count == 2 ? dictionaries.words * dictionaries.words : dictionaries.words;
    }

    friend bool operator==(const Partition&, const Partition&) = default;
};

/// The cell of each vector: the one with the nearest centre. With groups, only the cells of the few nearest groups are
/// looked at. Words that are not orthogonal give a pair that no other word of either dictionary improves; with more
/// than 256 words, none of the 64 or more that are best alone.
std::vector<std::uint32_t> assign(const Partition& partition, MatrixView<float> vectors,
                                  const Execution& execution = {});

/// x - c, what is left of each vector.
Matrix<float> residuals(const Partition& partition, const std::vector<std::uint32_t>& cells, MatrixView<float> vectors);

}  // namespace summand
