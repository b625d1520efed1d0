#include "train/blocks.h"

#include <algorithm>
#include <numeric>

#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/clusters.h"
#include "model/block_encoder.h"
#include "summand/error.h"

namespace summand {

std::vector<std::size_t> even_blocks(std::size_t dimensions, std::size_t count) {
    require(count <= dimensions, "train: expected at most one dictionary per dimension (", dimensions, "), got ", count,
            " dictionaries");
    std::vector<std::size_t> begin(count + 1);
    for (std::size_t m = 0; m <= count; ++m) begin[m] = dimensions * m / count;
    return begin;
}

Dictionaries block_dictionaries(std::size_t words, const std::vector<std::size_t>& block_begin) {
    const std::size_t count = block_begin.size() - 1;
    return {.count = count,
            .words = words,
            .rows = Matrix<float>(count * words, block_begin.back()),
            .block_begin = block_begin};
}

BlockTraining train_blocks(MatrixView<float> vectors, const std::vector<std::size_t>& block_begin, std::size_t words,
                           int iterations, std::uint64_t seed, const Execution& execution) {
    const Stopwatch watch;
    BlockTraining result{block_dictionaries(words, block_begin),
                         Matrix<std::uint8_t>(vectors.rows(), block_begin.size() - 1)};
    const int blocks = static_cast<int>(result.dictionaries.count);
    const Execution quiet{.threads = execution.threads, .stop = execution.stop};
    for (std::size_t m = 0; m < result.dictionaries.count; ++m) {
        const Matrix<float> block = column_block(vectors, block_begin[m], block_begin[m + 1]);
        const KMeans clusters = kmeans(block.view(), {.clusters = words,
                                                      .iterations = iterations,
                                                      .seed = seed + m,
                                                      .execution = blocks == 1 ? execution : quiet});
        for (std::size_t k = 0; k < words; ++k)
            std::copy_n(clusters.centres.row(k), block.columns(), result.dictionaries.word(m, k) + block_begin[m]);
        for (std::size_t i = 0; i < vectors.rows(); ++i)
            result.codes[i][m] = static_cast<std::uint8_t>(clusters.assignment.centre[i]);
        result.distortion += clusters.objective.back();
        if (blocks > 1) report_step(execution, "PQ", static_cast<int>(m + 1), blocks, result.distortion, watch);
    }
    return result;
}

std::vector<float> squared_word_norms(const Dictionaries& dictionaries) {
    std::vector<float> norms(dictionaries.rows.rows());
    for (std::size_t w = 0; w < norms.size(); ++w)
        norms[w] = kernels().dot(dictionaries.rows.row(w), dictionaries.rows.row(w), dictionaries.dimensions());
    return norms;
}

}  // namespace summand
