// What a thing is, as JSON: what `summand info --json` prints, and `summand health --json`.
#pragma once

#include <string>

#include "summand/index.h"
#include "summand/living_index.h"
#include "summand/quantizer.h"

namespace summand {

std::string describe(const Quantizer& model);
std::string describe(const Index& index);
std::string describe(const LivingInfo& info);
std::string describe(const Health& health);

/// A model, codes, an index, the folder of a living one, a checkpoint, a vocabulary, an unfinished index or vectors,
/// recognised by what the file holds; with the sections of a container.
std::string describe_file(const std::string& path);

}  // namespace summand
