// The problem that a training of the composite family solves: everything that stays as it is while a state changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/stopwatch.h"
#include "model/composite_input.h"
#include "summand/train.h"
#include "train/near_pairs.h"

namespace summand {

struct Problem {
    CompositeOptions options;
    Recipe recipe;                                        ///< that of the options, or the default of the method
    std::shared_ptr<const CompositeInput> vectors = {};   ///< to learn from, less the centre, in random order
    std::shared_ptr<const CompositeInput> held_out = {};  ///< kept out, less the centre: queries that judge and report
    std::vector<float> centre = {};                       ///< the mean, or zeros
    std::size_t enough = 0;                               ///< so many of the vectors are enough for a start
    std::size_t sample = 0;                               ///< so many of those are for trials: a judge needs others
    NearPairs pairs = {};                                 ///< among the vectors, where μ is derived from them
    std::uint64_t hash = 0;                               ///< that checkpoints carry
    Stopwatch watch = {};                                 ///< of the whole training

    const Execution& execution() const { return options.execution; }
    /// True where dense words would learn noise: too few vectors for each.
    bool few() const {
        const auto words = static_cast<double>(options.dictionaries * options.words);
        return static_cast<double>(vectors->vectors.rows()) < recipe.anchor.few * words;
    }
    CompositeView first(std::size_t rows) const { return vectors->view().slice(0, rows); }
};

/// The recipe of the options, or the default of their method.
Recipe recipe_of(const CompositeOptions& options);

/// Throws `Error` for options that no data can make right.
void check_options(const CompositeOptions& options);

/// Checks the vectors, centres, shuffles and splits them.
Problem pose(MatrixView<float> vectors, const CompositeOptions& options);

/// True if training tries several starts. A quarter of few vectors then stays outside the sample to judge them by.
bool compares_starts(const Problem& problem);

/// The same for a few iterations on the sample, without reports and checkpoints.
Problem for_trial(const Problem& problem, int iterations);

/// The rows less `translation`.
std::shared_ptr<const CompositeInput> moved(const CompositeInput& rows, const std::vector<float>& translation);

/// Of every option that influences the model, the vectors to learn from, and how many are held out.
std::uint64_t training_hash(const CompositeOptions& options, MatrixView<float> vectors, std::size_t held_out);

}  // namespace summand
