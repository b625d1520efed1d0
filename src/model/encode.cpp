#include "model/beam_encoder.h"
#include "model/bias.h"
#include "model/block_encoder.h"
#include "model/composite_encoder.h"
#include "model/composite_input.h"
#include "model/effort.h"
#include "model/levels.h"
#include "model/transform.h"
#include "model/tree_encoder.h"
#include "summand/quantizer.h"

namespace summand {
namespace {

Effort effort_of(const Quantizer& quantizer, const EncodeOptions& options) {
    return options.effort_from_model ? quantizer.encoder.effort : options.effort;
}

Matrix<std::uint8_t> encode_beam(const Quantizer& quantizer, const Matrix<float>& vectors,
                                 const EncodeOptions& options) {
    const Dictionaries words = without_levels(quantizer.dictionaries);
    Matrix<std::uint8_t> codes =
        BeamEncoder(words, quantizer.encoder.search, options.execution)
            .encode(vectors.view(), beam_width(effort_of(quantizer, options)), options.execution);
    return with_levels(quantizer, std::move(codes), options.execution);
}

Matrix<std::uint8_t> encode_composite(const Quantizer& quantizer, Matrix<float> vectors, const EncodeOptions& options) {
    const EncoderSettings& settings = quantizer.encoder;
    const CompositeInput input = composite_input(std::move(vectors));
    return CompositeEncoder(
               quantizer.dictionaries, quantizer.word_offsets,
               {settings.penalty, settings.theta, settings.expectation, settings.absolute_penalty, settings.norm},
               options.execution)
        .encode(input.view(), local_search(effort_of(quantizer, options), quantizer.dictionaries.count, options.seed),
                options.execution);
}

Matrix<std::uint8_t> encode_moved(const Quantizer& quantizer, Matrix<float> vectors, const EncodeOptions& options) {
    if (quantizer.dictionaries.blocks())
        return encode_blocks(quantizer.dictionaries, vectors.view(), options.execution);
    switch (quantizer.encoder.search) {
        case CodeSearch::beam:
        case CodeSearch::residual:
            return encode_beam(quantizer, vectors, options);
        case CodeSearch::tree:
            return TreeEncoder(quantizer.dictionaries, options.execution).encode(vectors.view(), options.execution);
        case CodeSearch::modes:
            break;
    }
    return encode_composite(quantizer, std::move(vectors), options);
}

}  // namespace

Codes encode(const Quantizer& quantizer, MatrixView<float> vectors, const EncodeOptions& options) {
    Matrix<float> moved = to_code_space(quantizer, vectors, "encode", options.execution);
    Codes codes{.model = identity(quantizer)};
    codes.rows = encode_moved(quantizer, std::move(moved), options);
    if (quantizer.bias == Bias::stored) codes.bias = biases(quantizer, codes.rows, options.execution);
    return codes;
}

}  // namespace summand
