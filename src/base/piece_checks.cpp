#include "base/piece_checks.h"

#include "base/parallel.h"

namespace summand {

void PieceChecks::require_all(const Execution& execution) const {
    if (all_sound_.load(std::memory_order_relaxed)) return;
    parallel_for(execution, pieces_, [&](std::size_t piece) { require(piece, piece + 1); });
    all_sound_.store(true, std::memory_order_relaxed);
}

}  // namespace summand
