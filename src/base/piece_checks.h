// Pieces of something large that are checked when they are first used, and then not again.
//
// Opening a file of any size takes no time this way, and no byte is used before it was checked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "summand/execution.h"

namespace summand {

/// Any number of threads may ask at once; two that ask for a piece at the same time may both check it.
class PieceChecks {
public:
    /// `check` throws `Error` where that piece is damaged.
    PieceChecks(std::size_t pieces, std::function<void(std::size_t)> check)
        : check_(std::move(check)), pieces_(pieces), sound_(pieces / kBits + 1) {}

    /// Throws unless the pieces first … last-1 are sound.
    void require(std::size_t first, std::size_t last) const {
        for (std::size_t piece = first; piece < last; ++piece)
            if ((sound_[piece / kBits].load(std::memory_order_relaxed) >> piece % kBits & 1) == 0) check(piece);
    }

    void require_all(const Execution& execution) const;

private:
    static constexpr std::size_t kBits = 64;

    void check(std::size_t piece) const {
        check_(piece);
        sound_[piece / kBits].fetch_or(std::uint64_t{1} << piece % kBits, std::memory_order_relaxed);
    }

    std::function<void(std::size_t)> check_;
    std::size_t pieces_;
    mutable std::vector<std::atomic<std::uint64_t>> sound_;  // a bit of each piece
    mutable std::atomic<bool> all_sound_ = false;
};

}  // namespace summand
