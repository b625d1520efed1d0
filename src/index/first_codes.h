// Vectors put together again from the codes of an index, by id and in the space of the data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "index/index_parts.h"

namespace summand {

/// `vector` += the approximation that `code` stands for. Our kernels and plain sums only, so that a search gives the
/// same bits everywhere.
void add_decoded(const Quantizer& quantizer, const std::uint8_t* code, float* vector);

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
    std::vector<std::uint32_t> positions_;  // of ids in the lists of an inverted index; empty otherwise
};

}  // namespace summand
