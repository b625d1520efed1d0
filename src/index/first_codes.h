// Vectors put together again from the codes of an index, by id and in the space of the data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "index/index_parts.h"

namespace summand {

/// The words of a model in the space of the data: rotated once, so that a code is M additions of D values, not a
/// product with the rotation. Our kernels and plain sums only, so that a search gives the same bits everywhere.
class Decoder {
public:
    explicit Decoder(const Quantizer& quantizer);

    /// `vector` += the approximation that `code` stands for.
    void add(const std::uint8_t* code, float* vector) const;

private:
    Dictionaries words_;
    std::vector<float> centre_;
};

class FirstCodes {
public:
    /// Throws `Error` unless the ids are those from 0 to n - 1.
    explicit FirstCodes(std::shared_ptr<const IndexParts::First> index);

    std::size_t size() const;
    std::size_t dimensions() const { return quantizer().dimensions(); }

    /// Fills D values with the approximation of that vector.
    void reconstruct(std::int64_t id, float* vector) const;

    std::size_t memory_bytes() const { return positions_.size() * sizeof(positions_[0]); }

private:
    const Quantizer& quantizer() const;

    std::shared_ptr<const IndexParts::First> index_;
    Decoder decoder_;
    std::vector<std::uint32_t> positions_;  // of ids in the lists of an inverted index; empty otherwise
};

}  // namespace summand
