// Product quantization: the dimensions are cut into M blocks and k-means is run in each.
#include "summand/train.h"
#include "train/blocks.h"
#include "train/prepare.h"

namespace summand {
namespace {

// Row i picks the dimension that comes i-th when every M-th one is taken: 0, M, 2M, …, 1, M+1, …
Matrix<float> structured_order(std::size_t dimensions, std::size_t dictionaries) {
    Matrix<float> permutation(dimensions, dimensions);
    std::size_t i = 0;
    for (std::size_t first = 0; first < dictionaries; ++first)
        for (std::size_t d = first; d < dimensions; d += dictionaries) permutation[i++][d] = 1;
    return permutation;
}

// Blocks that fit `structured_order`: block m holds the dimensions with remainder m.
std::vector<std::size_t> structured_blocks(std::size_t dimensions, std::size_t dictionaries) {
    std::vector<std::size_t> begin(1, 0);
    for (std::size_t m = 0; m < dictionaries; ++m)
        begin.push_back(begin.back() + (dimensions - m + dictionaries - 1) / dictionaries);
    return begin;
}

Matrix<float> reordered(const Matrix<float>& vectors, std::size_t dictionaries) {
    Matrix<float> result(vectors.rows(), vectors.columns());
    for (std::size_t n = 0; n < vectors.rows(); ++n) {
        std::size_t i = 0;
        for (std::size_t first = 0; first < dictionaries; ++first)
            for (std::size_t d = first; d < vectors.columns(); d += dictionaries) result[n][i++] = vectors[n][d];
    }
    return result;
}

}  // namespace

Quantizer train(MatrixView<float> vectors, const PqOptions& options) {
    const std::size_t dimensions = vectors.columns(), count = options.dictionaries;
    Prepared data = prepare(vectors, {count, options.words}, options.unit_length, options.execution);
    std::vector<std::size_t> blocks = even_blocks(dimensions, count);
    Quantizer model{.method = "PQ", .unit_length = options.unit_length, .centre = data.centre};
    if (options.order == BlockOrder::structured) {
        data.vectors = reordered(data.vectors, count);
        model.rotation = structured_order(dimensions, count);
        blocks = structured_blocks(dimensions, count);
    }
    BlockTraining trained =
        train_blocks(data.vectors.view(), blocks, options.words, options.iterations, options.seed, options.execution);
    model.word_offsets = squared_word_norms(trained.dictionaries);
    model.dictionaries = std::move(trained.dictionaries);
    model.training = {.vectors = vectors.rows(), .distortion = trained.distortion};
    return model;
}

}  // namespace summand
