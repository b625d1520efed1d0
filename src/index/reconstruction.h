// Scores of vectors that are put together again, in the space of the words:
//
//     euclidean       |R(q - centre) - Rc - ȳ|²          c: centre of the cell, none for plain codes
//     inner product   -(Rq)·(Rc + ȳ) - q·centre
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "index/packed_codes.h"
#include "model/sparse_rows.h"
#include "summand/inverted_index.h"

namespace summand {

class Reconstruction {
public:
    /// The model is borrowed.
    explicit Reconstruction(const InvertedModel& model);

    /// R(q - centre) for euclidean; else Rq, and q·centre after it.
    Matrix<float> moved(MatrixView<float> queries) const;

    /// `sum`: room for the vector, grown as needed.
    float score(std::span<const float> moved_query, std::size_t cell, const PackedCodes& codes, std::size_t position,
                std::vector<float>& sum) const;

private:
    Matrix<float> rotated(const Matrix<float>& rows) const;
    void add_word(std::size_t m, std::size_t k, float* sum) const;

    const InvertedModel& model_;
    Matrix<float> cell_words_;  // rotated; empty for plain codes
    SparseRows sparse_;         // of the words, where they are sparse
};

}  // namespace summand
