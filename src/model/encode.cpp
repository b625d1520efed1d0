#include "base/parallel.h"
#include "model/block_encoder.h"
#include "model/transform.h"
#include "summand/quantizer.h"

namespace summand {

Codes encode(const Quantizer& quantizer, MatrixView<float> vectors, const EncodeOptions& options) {
    const Matrix<float> moved = to_code_space(quantizer, vectors, "encode", options.execution);
    Codes codes{.model = identity(quantizer)};
    codes.rows = encode_blocks(quantizer.dictionaries, moved.view(), options.execution);
    return codes;
}

}  // namespace summand
