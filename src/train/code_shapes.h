// What the codes of each method are like, for its row in the registry.
#pragma once

#include "train/cost.h"

namespace summand {

using CodeShapeOf = CodeShape(const Spec& spec);

CodeShapeOf block_codes, rotated_block_codes, sign_codes;      // words with dimensions of their own
CodeShapeOf dense_codes, levelled_codes, cq_codes, cqc_codes;  // found by conditional modes
CodeShapeOf residual_codes, beam_codes, levelled_beam_codes, tree_codes;

/// What the numbers after ITQ and CQc count, of a model.
std::size_t bit_number(const Quantizer& model);
std::size_t counted_number(const Quantizer& model);

}  // namespace summand
