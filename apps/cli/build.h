// What the steps of building an index share: packed codes to be scanned as a whole or lists by cell, then a second
// layer.
#pragma once

#include "run.h"

namespace summand::cli {

struct BuildOptions {
    std::string base, learn, model, codes, output, memory;
    LearnOptions learning;
    RunOptions run;
};

struct Built {
    Index index;
    double train_seconds = 0, encode_seconds = 0;
};

/// learn(reader) with the file to learn from: the one given, or the base.
template <class Learn>
auto with_learn_file(const BuildOptions& options, const VectorReader& base, const Learn& learn) {
    if (options.learn.empty()) return learn(base);
    const VectorReader reader(options.learn);
    require_dimensions(reader, base.columns(), base.path());
    return learn(reader);
}

/// Those of the training alone: with cells, some methods make no checkpoint before the encoding does.
LearnOptions training_options(const BuildOptions& options);

Built build_inverted(const BuildOptions& options, const VectorReader& base, Run& run);

/// The file of an inverted index in the making, once there is the index.
void remove_checkpoint(const BuildOptions& options);

/// Adds the second layer: codes of what the first ones leave, learnt from vectors of the base, or the base itself.
void add_refinement(const BuildOptions& options, const RefineSpec& spec, const VectorReader& base, Run& run,
                    Built& built);

}  // namespace summand::cli
