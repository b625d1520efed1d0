// What a handle of C holds.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "call.h"
#include "summand/index.h"
#include "summand/living_index.h"

/// An index of a file, or one in a folder.
struct summand_index {
    std::variant<summand::Index, summand::LivingIndex> held;
};

namespace summand::capi {

/// Puts a handle where the caller wants it.
template <class Held>
void hand_out(Held made, summand_index** index) {
    *index = new summand_index{std::move(made)};
}

/// The index in a folder; throws `Error` for a handle of another one, and for null.
template <class Handle>
auto& living(Handle* index, const char* function) {
    auto* held = std::get_if<LivingIndex>(&required(index, function, "an index").held);
    require(held != nullptr, function, ": expected an index in a folder, made by summand_create, got one of a file");
    return *held;
}

template <class Handle>
auto& plain(Handle* index, const char* function) {
    auto* held = std::get_if<Index>(&required(index, function, "an index").held);
    require(held != nullptr, function, ": expected an index of a file, made by summand_build, got one in a folder");
    return *held;
}

/// work(index) of either kind.
template <class Handle, class Work>
auto with_either(Handle* index, const char* function, const Work& work) {
    return std::visit(work, required(index, function, "an index").held);
}

}  // namespace summand::capi
