// Words renumbered so that those in slots with the same low bits are similar: kernels take the smallest table entry of
// such a group as a lower bound for all of its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/quantizer.h"

namespace summand {

/// The word in each slot, 256 per dictionary for K > 16, else 16. Groups come from balanced k-means, and quartets from
/// balanced k-means within a group; spare slots repeat a word of their group.
std::vector<std::uint8_t> grouped_slots(const Quantizer& quantizer);

}  // namespace summand
