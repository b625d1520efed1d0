// The recipe as text: which of its numbers are options of a spec, what they may be, and their hash.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "summand/recipe.h"

namespace summand {

using RecipeField = std::variant<int*, double*, std::size_t*>;

struct RecipeOption {
    std::string_view name;
    RecipeField (*field)(Recipe& recipe);
    double least, most;
};

/// The numbers that a spec can change.
std::span<const RecipeOption> recipe_options();

/// Of every number.
std::uint64_t hash_of(const Recipe& recipe);

}  // namespace summand
