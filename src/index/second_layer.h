// The second layer at work: scores of candidates of the first one, from codes, from rows that the index holds, or from
// a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "index/first_codes.h"
#include "index/inverted_lists.h"
#include "summand/index.h"

namespace summand {

class SecondLayer {
public:
    /// Throws `Error` where the refinement does not fit the index.
    SecondLayer(std::shared_ptr<const IndexParts::First> first, const Refinement& refinement, Metric metric);

    /// What candidates are to be called: rows are found by position, all else by id.
    Naming naming() const;

    /// Writes the score of each candidate. Those of a file are sorted first, so that it is read in its order; rows in
    /// memory are fetched ahead, which gains more than their order.
    void score(const float* query, std::span<std::int64_t> candidates, float* scores) const;

    /// The id of a candidate.
    std::int64_t id(std::int64_t candidate) const {
        return lists_ ? lists_->id(static_cast<std::size_t>(candidate)) : candidate;
    }

    std::size_t memory_bytes() const;
    std::size_t vector_bytes() const;  ///< of one vector in the index

private:
    struct Codes {
        std::span<const std::uint8_t> rows;
        std::shared_ptr<const void> owner;
        std::size_t count;  // bytes of one
        Decoder words;
        FirstCodes first;
    };

    void score_rows(const float* query, std::span<const std::int64_t> positions, float* scores) const;
    void score_vectors(const float* query, const Matrix<float>& found, float* scores) const;
    Matrix<float> vectors(std::span<const std::int64_t> ids) const;

    Metric metric_;
    std::size_t dimensions_ = 0;
    std::shared_ptr<const InvertedLists> lists_ = {};  // rows: null where positions are ids
    std::variant<std::monostate, Codes, RefineFile, RefineRows> source_ = {};
};

}  // namespace summand
