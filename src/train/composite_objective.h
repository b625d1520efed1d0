// The objective of the composite family, its value and gradient in one pass over the data:
//
//     φ = 1/N Σ_n |r_n|² + penalty·e_n² + absolute·|e_n|
//                                                r_n = z_n - Σ_m d[m][code_nm]
//                                                e_n = shift_n + Σ_m (2 p_n·d - word_offset) + (1 - theta)·|r_n|²
//
// with targets z, probes p and shifts of composite_input.h. Without metric and probe matrices z = p = y and
// e_n = |ȳ_n|² - theta·|r_n|² - Σ word_offset. In the paper (NOCQ) theta = 0 and the offsets are tied to the words,
// word_offset = |d|² + ε/M, so that e_n is the cross term less ε; elsewhere (LOCQ) they are free.
#pragma once

#include <cstdint>
#include <vector>

#include "model/composite_input.h"
#include "summand/dictionaries.h"
#include "summand/execution.h"
#include "summand/matrix.h"

namespace summand {

enum class Offsets { tied, free };

/// What the alternation updates.
struct CompositeModel {
    Dictionaries dictionaries;
    std::vector<float> word_offsets;  ///< M × K
    double epsilon = 0;               ///< used where the offsets are tied
};

struct CompositeData {
    CompositeView vectors;
    const Matrix<std::uint8_t>& codes;
};

struct CompositePenalty {
    double penalty = 0;  ///< μ
    double theta = 0;    ///< θ
    Offsets offsets = Offsets::tied;
    double absolute = 0;  ///< weight of |e| (UB)
};

struct CompositeTerms {
    double error = 0;           ///< mean |r|²
    double squared_excess = 0;  ///< mean e²
    double excess = 0;          ///< mean e
    double magnitude = 0;       ///< mean |e|

    double objective(double penalty) const { return error + penalty * squared_excess; }
    double objective(const CompositePenalty& penalty) const {
        return objective(penalty.penalty) + penalty.absolute * magnitude;
    }
};

struct CompositeGradient {
    std::vector<double> words;    ///< as Dictionaries::rows
    std::vector<double> offsets;  ///< as word_offsets; zeros where they are tied
};

/// Sets word_offset = |d|² + ε/M.
void tie_offsets(CompositeModel& model);

CompositeTerms evaluate(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                        const Execution& execution, CompositeGradient* gradient = nullptr);

/// e_n without the offsets: what those should add up to.
std::vector<double> offset_targets(const CompositeData& data, const Dictionaries& dictionaries, double theta,
                                   const Execution& execution);

}  // namespace summand
