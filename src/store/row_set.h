// A set of the rows of a segment: a bit for each, and in files the portable format of Roaring bitmaps
// (https://github.com/RoaringBitmap/RoaringFormatSpec), which many other programs read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "summand/io.h"

namespace summand {

class RowSet {
public:
    /// The empty set of the rows from 0 to rows - 1.
    explicit RowSet(std::size_t rows) : rows_(rows), words_((rows + 63) / 64) {}

    std::size_t rows() const { return rows_; }
    std::size_t count() const { return count_; }
    bool has(std::size_t row) const { return (words_[row / 64] >> row % 64 & 1) != 0; }

    /// False where the row is in the set already.
    bool add(std::size_t row) {
        if (has(row)) return false;
        words_[row / 64] |= std::uint64_t{1} << row % 64;
        ++count_;
        return true;
    }

    /// Bit i%64 of word i/64 says whether row i is in the set.
    std::span<const std::uint64_t> words() const { return words_; }

    friend bool operator==(const RowSet&, const RowSet&) = default;

private:
    std::size_t rows_, count_ = 0;
    std::vector<std::uint64_t> words_;
};

inline constexpr std::size_t kMostRows = std::size_t{1} << 32;  ///< that the format numbers

Bytes to_roaring(const RowSet& set);

/// Throws `Error` that begins with `name` for anything but a bitmap of rows below `rows`.
RowSet from_roaring(std::span<const std::byte> bytes, std::size_t rows, const std::string& name);

}  // namespace summand
