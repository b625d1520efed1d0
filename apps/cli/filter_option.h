// The ids that a search may return, as users write them:
//
//     0-999,2000,3000-     ranges with both ends, single ids, from an id on
//     @ids.txt             the same in a file, separated by commas, blanks or ends of lines
//     @ids.ivecs           all ids of such a file; also .ibin and .npy
//     @ids.roaring         those of a Roaring bitmap; .roaring64 where it is one of 64 bits
#pragma once

#include <cstdint>
#include <string>

#include "summand/index.h"
#include "summand/living_index.h"

namespace summand::cli {

/// Throws `Error` for anything else, with the part that is wrong.
IdFilter parse_filter(const std::string& text);

/// The same for an index in a folder. Where its ids are texts: @FILE with one in each line.
IdFilter parse_filter(const std::string& text, const LivingIndex& index);

}  // namespace summand::cli
