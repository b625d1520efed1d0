#include "base/parallel.h"
#include "kernels/kernels.h"
#include "model/block_encoder.h"
#include "model/composite_encoder.h"
#include "model/composite_input.h"
#include "model/effort.h"
#include "model/transform.h"
#include "summand/quantizer.h"

namespace summand {
namespace {

// |ȳ|² - Σ word_offset: what the look-ups leave out of the Euclidean score.
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

Matrix<std::uint8_t> encode_composite(const Quantizer& quantizer, Matrix<float> vectors, const EncodeOptions& options) {
    const EncoderSettings& settings = quantizer.encoder;
    const CompositeInput input = composite_input(std::move(vectors));
    const Effort effort = options.effort_from_model ? settings.effort : options.effort;
    return CompositeEncoder(quantizer.dictionaries, quantizer.word_offsets,
                            {settings.penalty, settings.theta, settings.expectation}, options.execution)
        .encode(input.view(), local_search(effort, options.seed), options.execution);
}

}  // namespace

Codes encode(const Quantizer& quantizer, MatrixView<float> vectors, const EncodeOptions& options) {
    Matrix<float> moved = to_code_space(quantizer, vectors, "encode", options.execution);
    Codes codes{.model = identity(quantizer)};
    codes.rows = quantizer.dictionaries.blocks()
                     ? encode_blocks(quantizer.dictionaries, moved.view(), options.execution)
                     : encode_composite(quantizer, std::move(moved), options);
    if (quantizer.stores_bias) codes.bias = biases(quantizer, codes.rows, options.execution);
    return codes;
}

}  // namespace summand
