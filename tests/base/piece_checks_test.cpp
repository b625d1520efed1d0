#include "base/piece_checks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "summand/error.h"

namespace summand {
namespace {

TEST(PieceChecks, CheckEachPieceWhenItIsFirstUsedAndNotAgain) {
    std::vector<int> checked(130);
    const PieceChecks pieces(checked.size(), [&](std::size_t piece) { ++checked[piece]; });
    pieces.require(60, 70);
    pieces.require(65, 66);
    pieces.require(3, 3);
    for (std::size_t piece = 0; piece < checked.size(); ++piece)
        EXPECT_EQ(checked[piece], piece >= 60 && piece < 70 ? 1 : 0) << piece;
    pieces.require_all({.threads = 3});
    pieces.require_all({.threads = 3});
    EXPECT_EQ(checked, std::vector<int>(130, 1));
}

TEST(PieceChecks, ADamagedPieceIsRefusedEveryTime) {
    const PieceChecks pieces(3, [](std::size_t piece) { require(piece != 1, "damaged"); });
    EXPECT_NO_THROW(pieces.require(0, 1));
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_THROW(pieces.require(0, 2), Error);
        EXPECT_THROW(pieces.require_all({}), Error);
    }
    EXPECT_NO_THROW(pieces.require(2, 3));
}

}  // namespace
}  // namespace summand
