// What an effort means for the composite encoder.
#pragma once

#include "model/composite_encoder.h"
#include "summand/quantizer.h"

namespace summand {

/// The fewer the dictionaries, the cheaper a perturbation, and the more of them pay.
inline LocalSearch local_search(Effort effort, std::size_t dictionaries, std::uint64_t seed = 0) {
    switch (effort) {
        case Effort::fast:
            return {.sweeps = 3, .perturbations = 0, .seed = seed};
        case Effort::standard:
            return {.sweeps = 3, .perturbations = dictionaries < 6 ? 32 : dictionaries < 8 ? 16 : 12, .seed = seed};
        case Effort::best:
            return {.sweeps = 4, .perturbations = 48, .seed = seed};
    }
    return {};
}

}  // namespace summand
