// Methods that the paper compares with and that are not of the composite family. Specs reach all of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "summand/execution.h"
#include "summand/matrix.h"
#include "summand/quantizer.h"

namespace summand {

/// Residual quantization: each dictionary is k-means of what the ones before it leave.
struct RqOptions {
    std::size_t dictionaries = 8;
    std::size_t words = 256;
    int iterations = 15;               ///< of k-means, for each dictionary
    Effort effort = Effort::standard;  ///< of the beam search that `encode` will use
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

/// Additive quantization: least-squares dictionaries and beam search by turns, started from residual quantization.
struct AqOptions {
    std::size_t dictionaries = 8;  ///< of words; a norm byte is one more
    std::size_t words = 256;
    int iterations = 8;                ///< of dictionaries and codes by turns
    bool norm_byte = false;            ///< |ȳ|² as one more look-up (AQe), instead of derived from the code
    Effort effort = Effort::standard;  ///< of the beam search that `encode` will use
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

/// Optimised tree quantization: every dimension is coded by the two dictionaries of one edge of a tree, after a
/// rotation.
struct OtqOptions {
    std::size_t dictionaries = 8;
    std::size_t words = 256;
    int iterations = 20;  ///< of words, rotation and codes by turns
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

/// What a search of signs compares: the query with ± the mean magnitudes, or signs with signs.
enum class HammingDistance { asymmetric, symmetric };

/// Iterative quantization: the signs of rotated principal directions.
struct ItqOptions {
    std::size_t bits = 64;  ///< a multiple of 8, at most D
    int iterations = 50;    ///< of signs and rotation by turns
    HammingDistance distance = HammingDistance::asymmetric;
    bool unit_length = false;
    std::uint64_t seed = 1;
    Execution execution = {};
};

Quantizer train(MatrixView<float> vectors, const RqOptions& options);
Quantizer train(MatrixView<float> vectors, const AqOptions& options);
Quantizer train(MatrixView<float> vectors, const OtqOptions& options);
Quantizer train(MatrixView<float> vectors, const ItqOptions& options);

}  // namespace summand
