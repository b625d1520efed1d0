// Some of the vectors of a segment as they came, in halves: what its health is judged by, and what a new model learns
// from.
//
// A vector is kept if the hash of its id is among the smallest. So the sample of several segments together is that of
// one segment with all their vectors, whatever came first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "summand/matrix.h"
#include "summand/metric.h"

namespace summand {

class Reservoir {
public:
    explicit Reservoir(std::size_t dimensions = 0) : dimensions_(dimensions) {}

    std::size_t size() const { return ids_.size(); }
    const std::vector<std::int64_t>& ids() const { return ids_; }
    std::size_t dimensions() const { return dimensions_; }
    const std::vector<std::uint16_t>& halves() const { return halves_; }
    const std::uint16_t* row(std::size_t i) const { return halves_.data() + i * dimensions_; }

    void add(std::int64_t id, const std::uint16_t* halves);

    /// Adds those of another one whose ids are wanted.
    void add(const Reservoir& other, const std::function<bool(std::int64_t)>& wanted);

    /// Keeps so many, those of the smallest hashes, in the order of their ids.
    void shrink(std::size_t count);

private:
    std::size_t dimensions_;
    std::vector<std::int64_t> ids_;
    std::vector<std::uint16_t> halves_;
};

/// Those of some vectors. What halves cannot hold is left out; for cosine vectors are scaled to length one.
Reservoir reservoir_of(MatrixView<float> vectors, std::span<const std::int64_t> ids, Metric metric);

/// How many vectors a segment keeps of its own.
std::size_t reservoir_size(std::size_t vectors);

inline constexpr std::size_t kLargestReservoir = 10000;

}  // namespace summand
