#include "model/word_sum.h"

#include <numeric>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr std::size_t kChunk = 1024;  // vectors that a thread takes at a time

}  // namespace

void word_sum(const Dictionaries& dictionaries, const std::uint8_t* code, float* sum) {
    const float* rows[kMaxDictionaries];
    for (std::size_t m = 0; m < dictionaries.count; ++m) rows[m] = dictionaries.word(m, code[m]);
    kernels().sum_rows(rows, dictionaries.count, dictionaries.dimensions(), sum);
}

double squared_error(const Dictionaries& dictionaries, const float* vector, const std::uint8_t* code) {
    const std::size_t D = dictionaries.dimensions();
    thread_local Scratch<float> scratch;
    float* sum = scratch.at_least(D);
    word_sum(dictionaries, code, sum);
    return static_cast<double>(kernels().squared_distance(vector, sum, D));
}

double mean_squared_error(const Dictionaries& dictionaries, MatrixView<float> vectors,
                          const Matrix<std::uint8_t>& codes, const Execution& execution) {
    std::vector<double> errors(vectors.rows());
    parallel_ranges(execution, vectors.rows(), kChunk, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            errors[i] = squared_error(dictionaries, vectors.row(i), codes.row(i));
    });
    return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

Matrix<float> word_sums(const Dictionaries& dictionaries, const Matrix<std::uint8_t>& codes,
                        const Execution& execution) {
    Matrix<float> sums(codes.rows(), dictionaries.dimensions());
    parallel_ranges(execution, codes.rows(), kChunk, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) word_sum(dictionaries, codes.row(i), sums.row(i));
    });
    return sums;
}

}  // namespace summand
