#include "model/bias.h"

#include "base/parallel.h"
#include "kernels/kernels.h"

namespace summand {

std::vector<float> biases(const Quantizer& quantizer, const Matrix<std::uint8_t>& codes, const Execution& execution) {
    const Dictionaries& words = quantizer.dictionaries;
    std::vector<float> bias(codes.rows());
    parallel_ranges(execution, codes.rows(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<const float*> chosen(words.count);
        std::vector<float> sum(words.dimensions());
        for (std::size_t i = first; i < last; ++i) {
            double offsets = 0;
            for (std::size_t m = 0; m < words.count; ++m) {
                chosen[m] = words.word(m, codes[i][m]);
                offsets += static_cast<double>(quantizer.word_offsets[m * words.words + codes[i][m]]);
            }
            kernels().sum_rows(chosen.data(), words.count, sum.size(), sum.data());
            bias[i] =
                static_cast<float>(static_cast<double>(kernels().dot(sum.data(), sum.data(), sum.size())) - offsets);
        }
    });
    return bias;
}

}  // namespace summand
