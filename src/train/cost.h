// What methods cost, in operations and bytes, from sizes alone: no clock, so that the same command chooses the same
// number of vectors everywhere. Operations are multiplications and additions as a matrix product does them; other loops
// count more by what they take beside it (bench/estimate compares all of it with what is measured).
#pragma once

#include <cstddef>

#include "summand/index_spec.h"
#include "summand/quantizer.h"
#include "summand/train.h"

namespace summand {

/// Sizes of the work, as real numbers so that products do not overflow.
struct Sizes {
    double vectors, dimensions;
};

struct TrainingCost {
    double operations = 0;
    double bytes = 0;  ///< at the peak, the vectors themselves included
};

struct EncodingCost {
    double operations = 0;   ///< of one vector
    double table_bytes = 0;  ///< that the encoder holds
    double code_bytes = 0;   ///< of one vector
    double model_bytes = 0;  ///< in a file, where words of blocks have their own dimensions only
    double held_bytes = 0;   ///< of the model in memory
};

TrainingCost training_cost(const Spec& spec, const Sizes& sizes);
EncodingCost encoding_cost(const Spec& spec, double dimensions);
EncodingCost encoding_cost(const Quantizer& model);

/// Words that cells are made of, in one dictionary.
std::size_t cell_words(const Spec& cells);

/// Learning cells from as many vectors, and finding the cell of one.
TrainingCost cell_training_cost(const Spec& cells, const Sizes& sizes);
double assignment_operations(const Spec& cells, double dimensions);

/// What the cells themselves and, for distances of residuals, their tables hold when an index is searched.
double cell_bytes(const Spec& cells, double dimensions);
double cell_table_bytes(const Spec& cells, const Spec& code);

/// Whether training of the method makes checkpoints.
bool makes_checkpoints(const Spec& spec);

}  // namespace summand
