// An index as users write it: a method by itself (exhaustive search), or cells and a method after a comma; then, after
// another comma, what the best candidates are scored again with: the vectors themselves, or a second layer of codes.
//
//     LOCQ8     IVF1024,LOCQ8     IVF4096(coding=plain,iterations=20),PQ16     IMI2x10(coarse=OPQ),NOCQ8
//     PQ8,Refine(flat)            IVF1024,LOCQ8,Refine(LOCQ8)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "summand/train.h"

namespace summand {

struct RefineSpec {
    std::optional<Spec> code = {};  ///< of what the first codes leave; none: Refine(flat), the vectors themselves
};

struct IndexSpec {
    std::optional<Spec> cells =
        {};  ///< method IVF with the number of cells, or IMI with 2 dictionaries of 2^bits words
    Spec code = {};
    std::optional<RefineSpec> refine = {};
};

/// Throws `Error` that names the part that is wrong.
IndexSpec parse_index_spec(std::string_view text);
std::string to_string(const IndexSpec& spec);

/// Throws `Error` where the options are wrong whatever the vectors are.
void check(const IndexSpec& spec, const TrainSettings& settings = {});

}  // namespace summand
