// What an effort means for the composite encoder. These numbers decide codes, not models: training uses them for its
// held-out figures alone.
#pragma once

#include "model/composite_encoder.h"
#include "summand/quantizer.h"

namespace summand {

/// Few dictionaries: a perturbation is cheap, and many of them pay. Many dictionaries: a few perturbations reach too
/// little of the code.
inline int usual_perturbations(std::size_t dictionaries) {
    if (dictionaries < 6) return 32;
    if (dictionaries < 8) return 16;
    return dictionaries < 12 ? 8 : 16;
}

inline LocalSearch local_search(Effort effort, std::size_t dictionaries, std::uint64_t seed = 0) {
    switch (effort) {
        case Effort::fast:
            return {.sweeps = 3, .perturbations = 0, .seed = seed};
        case Effort::standard:
            return {.sweeps = 3, .perturbations = usual_perturbations(dictionaries), .seed = seed};
        case Effort::best:
            return {.sweeps = 4, .perturbations = 48, .seed = seed};
    }
    return {};
}

}  // namespace summand
