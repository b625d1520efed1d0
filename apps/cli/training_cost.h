// What training costs, in operations and bytes, from sizes alone: no clock, so that the same command chooses the same
// number of vectors everywhere.
#pragma once

#include <string>

#include "run.h"

namespace summand::cli {

/// Sizes of the work, as real numbers so that products do not overflow.
struct Sizes {
    double N, D, M, K;

    Sizes of(double vectors) const { return {std::min(N, vectors), D, M, K}; }
};

Sizes sizes_of(const Spec& spec, std::size_t vectors, std::size_t dimensions);

/// An option of a spec as written, or `otherwise`.
std::string option(const Spec& spec, const std::string& name, const std::string& otherwise);

/// Codes of a vector: ITQ has one for eight of its bits.
double dictionaries_of(const Spec& spec);
bool rotates(const Spec& spec);

/// Multiplications and additions: of every vector with the words of one block, with all dense words, and of one sweep
/// of the composite encoder.
double block_products(const Sizes& s);
double dense_products(const Sizes& s);
double sweep(const Sizes& s);

double training_operations(const Spec& spec, const Sizes& sizes);
double training_bytes(const Spec& spec, const Sizes& sizes);

/// The number to learn from: what --learn-size says, or as many as fit the budget of time and memory below, and
/// not more than there are.
std::size_t learn_vectors(const LearnOptions& options, const VectorReader& learn);

inline constexpr double kLearnOperations = 8e12;  ///< a minute or two on two cores
inline constexpr double kLearnBytes = 2.0 * (1u << 30);

}  // namespace summand::cli
