// Words renumbered so that those with the same high nibble are similar: kernels without a 256-entry look-up take the
// smallest table entry of such a group as a lower bound for all of its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "summand/quantizer.h"

namespace summand {

/// Bytes that hold the codes of one vector: M, or half of that where K <= 16.
std::size_t code_plane_count(const Quantizer& quantizer);

/// For K > 16 the word in each of 256 slots per dictionary: 16 groups of up to 16 words by balanced k-means, spare
/// slots repeat the group's first word. For K <= 16 the words in their own order, 16 slots per dictionary.
std::vector<std::uint8_t> grouped_slots(const Quantizer& quantizer);

}  // namespace summand
