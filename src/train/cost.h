// What methods cost, in operations and bytes, from sizes alone: no clock, so that the same command chooses the same
// number of vectors everywhere. Operations are multiplications and additions as a matrix product does them; other loops
// count more by what they take beside it (bench/estimate compares all of it with what is measured).
#pragma once

#include <cstddef>

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

/// What the codes of a method are like.
struct CodeShape {
    std::size_t dictionaries = 0, words = 0;  ///< words of each
    bool blocks = false;                      ///< words of different dictionaries share no dimension
    bool rotated = false;                     ///< a rotation comes before the words
    CodeSearch search = CodeSearch::modes;    ///< where there are no blocks
    bool stored_bias = false;                 ///< a float with each code
    std::size_t levels = 0;                   ///< of the dictionaries, those that hold numbers instead of words
};

struct EncodingCost {
    double operations = 0;    ///< of one vector
    double copies = 0;        ///< of the vectors that are encoded at a time
    double table_bytes = 0;   ///< that the encoder holds
    double thread_bytes = 0;  ///< that each thread holds, in training too
    double code_bytes = 0;    ///< of one vector
    double model_bytes = 0;   ///< in a file, where words of blocks have their own dimensions only
    double held_bytes = 0;    ///< of the model in memory
};

TrainingCost training_cost(const Spec& spec, const Sizes& sizes);
EncodingCost encoding_cost(const Spec& spec, double dimensions);
EncodingCost encoding_cost(const Quantizer& model);

/// Whether training of the method makes checkpoints.
bool makes_checkpoints(const Spec& spec);

}  // namespace summand
