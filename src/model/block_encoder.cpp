#include "model/block_encoder.h"

#include <algorithm>

#include "math/clusters.h"

namespace summand {

Matrix<float> column_block(MatrixView<float> rows, std::size_t first, std::size_t last) {
    Matrix<float> block(rows.rows(), last - first);
    for (std::size_t i = 0; i < rows.rows(); ++i) std::copy(rows.row(i) + first, rows.row(i) + last, block.row(i));
    return block;
}

Matrix<std::uint8_t> encode_blocks(const Dictionaries& dictionaries, MatrixView<float> vectors,
                                   const Execution& execution) {
    const std::size_t words = dictionaries.words;
    Matrix<std::uint8_t> codes(vectors.rows(), dictionaries.count);
    for (std::size_t m = 0; m < dictionaries.count; ++m) {
        const std::size_t first = dictionaries.block_begin[m], last = dictionaries.block_begin[m + 1];
        const Matrix<float> centres = column_block(dictionaries.rows.view().slice(m * words, words), first, last);
        const Assignment nearest =
            nearest_centres(column_block(vectors, first, last).view(), centres.view(), execution);
        for (std::size_t i = 0; i < codes.rows(); ++i) codes[i][m] = static_cast<std::uint8_t>(nearest.centre[i]);
    }
    return codes;
}

}  // namespace summand
