#include "index/reconstruction.h"

#include "kernels/kernels.h"

namespace summand {

Reconstruction::Reconstruction(const InvertedModel& model)
    : model_(model),
      cell_words_(model.coding == Coding::plain ? Matrix<float>() : rotated(model.partition.dictionaries.rows)) {
    const Dictionaries& words = model.quantizer.dictionaries;
    if (is_sparse(words))
        for (std::size_t row = 0; row < words.rows.rows(); ++row) sparse_.add(words.rows[row]);
}

Matrix<float> Reconstruction::rotated(const Matrix<float>& rows) const {
    const Matrix<float>& rotation = model_.quantizer.rotation;
    if (rotation.empty()) return rows;
    Matrix<float> result(rows.rows(), rotation.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t d = 0; d < rotation.rows(); ++d)
            result[i][d] = kernels().dot(rotation.row(d), rows.row(i), rotation.columns());
    return result;
}

Matrix<float> Reconstruction::moved(MatrixView<float> queries) const {
    const std::vector<float>& centre = model_.quantizer.centre;
    const std::size_t D = queries.columns();
    const bool euclidean = is_distance(model_.metric);
    Matrix<float> given(queries.rows(), D);
    for (std::size_t i = 0; i < queries.rows(); ++i)
        for (std::size_t d = 0; d < D; ++d) given[i][d] = queries[i][d] - (euclidean ? centre[d] : 0.0f);
    Matrix<float> turned = rotated(given);
    if (euclidean) return turned;
    Matrix<float> result(queries.rows(), D + 1);
    for (std::size_t i = 0; i < queries.rows(); ++i) {
        std::copy_n(turned.row(i), D, result.row(i));
        result[i][D] = kernels().dot(queries.row(i), centre.data(), D);
    }
    return result;
}

// Adds what the word has that is not zero: single values, its block.
void Reconstruction::add_word(std::size_t m, std::size_t k, float* sum) const {
    const Dictionaries& words = model_.quantizer.dictionaries;
    if (words.blocks()) {
        const float* word = words.word(m, k);
        for (std::size_t d = words.block_begin[m]; d < words.block_begin[m + 1]; ++d) sum[d] += word[d];
        return;
    }
    const std::size_t row = m * words.words + k;
    for (std::uint32_t i = sparse_.begin[row]; i < sparse_.begin[row + 1]; ++i)
        sum[sparse_.dimensions[i]] += sparse_.values[i];
}

float Reconstruction::score(std::span<const float> moved_query, std::size_t cell, const PackedCodes& codes,
                            std::size_t position, std::vector<float>& sum) const {
    const Dictionaries& words = model_.quantizer.dictionaries;
    const Dictionaries& coarse = model_.partition.dictionaries;
    const bool dense = !words.blocks() && sparse_.empty();
    const float* rows[kMaxDictionaries + 2];
    std::size_t count = 0;
    std::uint8_t code[kMaxDictionaries];
    codes.read_words(position, code);
    for (std::size_t m = 0; dense && m < words.count; ++m) rows[count++] = words.word(m, code[m]);
    if (!cell_words_.empty()) {
        rows[count++] = cell_words_.row(coarse.count == 1 ? cell : cell / coarse.words);
        if (coarse.count == 2) rows[count++] = cell_words_.row(coarse.words + cell % coarse.words);
    }
    sum.resize(words.dimensions());
    kernels().sum_rows(rows, count, sum.size(), sum.data());
    for (std::size_t m = 0; !dense && m < words.count; ++m) add_word(m, code[m], sum.data());
    if (is_distance(model_.metric)) return kernels().squared_distance(moved_query.data(), sum.data(), sum.size());
    return -kernels().dot(moved_query.data(), sum.data(), sum.size()) - moved_query[sum.size()];
}

}  // namespace summand
