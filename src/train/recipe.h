// The recipe as text: which of its numbers a spec can change, for which methods and within which limits; its hash.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "summand/recipe.h"

namespace summand {

using RecipeField = std::variant<int*, double*, std::size_t*>;

struct RecipeOption {
    std::string_view name;
    RecipeField (*field)(Recipe& recipe);
    double least, most;
    unsigned methods;  ///< bits `1 << Constraint` of those whose training reads the number

    bool serves(Constraint constraint) const { return (methods >> static_cast<unsigned>(constraint) & 1u) != 0; }
};

/// The numbers that a spec can change.
std::span<const RecipeOption> recipe_options();

/// "ramp=0.6": the option with its default.
std::string shown(const RecipeOption& option, Constraint constraint, std::size_t dictionaries);

/// Of every number.
std::uint64_t hash_of(const Recipe& recipe);

}  // namespace summand
