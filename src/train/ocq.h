// Orthogonal composite quantization.
#pragma once

#include "summand/train.h"

namespace summand {

Quantizer train_orthogonal(MatrixView<float> vectors, const CompositeOptions& options);

}  // namespace summand
