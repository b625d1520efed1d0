// Additive quantization searched as its authors describe it: no third term is stored, so that every vector adds up
//
//     Σ_m table[m][k_m] + 2 Σ_{m<n} c[m][k_m]·c[n][k_n]          M look-ups for the query, M(M-1)/2 for the pairs
//
// The index of the library derives the second sum once and stores it; here its cost can be seen.
#pragma once

#include <cstddef>
#include <vector>

#include "summand/codes.h"
#include "summand/neighbors.h"
#include "summand/quantizer.h"

namespace summand::cli {

class QuadraticScan {
public:
    /// Both are borrowed. Throws `Error` for a model whose third term is not derived from its codes.
    QuadraticScan(const Quantizer& model, const Codes& codes);

    /// The k nearest by squared distance, on one thread.
    Neighbors search(MatrixView<float> queries, std::size_t k) const;

private:
    float pairs(const std::uint8_t* code) const;

    const Quantizer& model_;
    const Codes& codes_;
    std::vector<float> pairs_ = {};  // a K × K table for each m < n, in that order
};

}  // namespace summand::cli
