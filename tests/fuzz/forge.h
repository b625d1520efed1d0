// Forges containers: changes parts of them, and makes right again what a forger would, lengths, places, checksums and
// the identity of the model, so that the checks behind those are reached.
#pragma once

#include <span>

#include "base/random.h"
#include "summand/io.h"

namespace summand::fuzz {

/// Bytes at random, in place; returns the new size, at most `most`.
using Scramble = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most);

/// A container that differs from `good` in one thing; of bytes that are no container, any other bytes.
Bytes forged(std::span<const std::byte> good, std::size_t most, Scramble scramble, Random& random);

/// Writes the identity that `refusal`, an error message, asks for in the place of the one that it found. False where it
/// is about something else.
bool correct_identity(Bytes& container, std::string_view refusal);

/// Recomputes the checksum of header and table.
void seal_head(Bytes& container);

}  // namespace summand::fuzz
