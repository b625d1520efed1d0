// The model of a folder, and what encoding and searching derive from it, once for all segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "index/index_parts.h"
#include "store/reservoir.h"
#include "summand/encoder.h"
#include "summand/index.h"
#include "summand/index_model.h"

namespace summand {

/// What a segment keeps of its vectors, before they are packed: a row of each, in any order.
struct SegmentRows {
    std::vector<std::int64_t> ids = {};
    std::vector<std::uint32_t> cells = {};  ///< empty for an index without cells
    std::vector<std::uint8_t> codes = {};   ///< n × M
    std::vector<float> bias = {};           ///< where the model stores one
    std::vector<std::string> names = {};    ///< empty where ids are numbers
    std::vector<std::byte> second = {};     ///< n × second_bytes of the model: codes or vectors of the second layer

    Reservoir sample = Reservoir();  ///< of the vectors themselves

    std::size_t size() const { return ids.size(); }
};

/// Does not change once it is made.
class StoreModel {
public:
    /// Throws `Error` for a model that segments cannot share.
    StoreModel(IndexModel model, Metric metric, std::uint64_t seed);

    const IndexModel& model() const { return model_; }
    Metric metric() const { return empty_->metric(); }
    std::uint64_t seed() const { return seed_; }
    std::size_t dimensions() const { return model_.dimensions(); }

    /// Hash of all that gives the rows of segments their meaning.
    std::uint64_t identity() const { return identity_; }

    /// An index of no vectors: its tables are those of all segments.
    const Index& empty() const { return *empty_; }
    std::size_t second_bytes() const { return second_bytes_; }  ///< of a row

    /// Throws `Error` for vectors that the model cannot take. Ids are left out.
    SegmentRows encode(MatrixView<float> vectors, const Execution& execution) const;

    /// Row i of the index is row i of `rows`.
    Index index_of(const SegmentRows& rows) const;

    /// The first layer that packed codes, and lists where there are cells, make.
    Index with_tables(std::shared_ptr<const PackedCodes> packed) const;
    Index with_tables(std::shared_ptr<const InvertedLists> lists) const;

    const PackedCodes& packed() const { return packed_of(*empty_); }
    static const PackedCodes& packed_of(const Index& index);

    /// What `index_of` made an index of. Ids are left out.
    SegmentRows rows_of(const Index& index) const;

    /// The first layer of rows.
    CellCodes first_of(SegmentRows rows) const;

private:
    // Made for the first vectors that are added: those who search need none.
    struct Encoders {
        std::optional<InvertedBuilder> cells;  // where there are cells,
        std::optional<Encoder> flat;           // or without
        std::optional<Encoder> second;
    };
    const Encoders& encoders() const;

    void encode_second(MatrixView<float> vectors, const Execution& execution, SegmentRows& rows) const;
    Refinement second_of(const Index& first, const std::vector<std::byte>& second) const;

    IndexModel model_;
    std::uint64_t seed_, identity_;
    std::size_t second_bytes_ = 0;
    std::uint64_t codes_model_;  // identity of the quantizer
    std::unique_ptr<const Index> empty_;
    mutable std::once_flag encoders_made_;
    mutable Encoders encoders_;
};

/// Rows of `from` with these numbers, behind those of `to`.
void append(const SegmentRows& from, std::span<const std::size_t> rows, SegmentRows& to);

}  // namespace summand
