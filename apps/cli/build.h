// What the two ways to build an index share: packed codes to be scanned as a whole, and lists by cell.
#pragma once

#include "run.h"

namespace summand::cli {

struct BuildOptions {
    std::string base, learn, model, codes, output;
    LearnOptions learning;
    RunOptions run;
};

struct BuildTimings {
    double train = 0, encode = 0;
};

/// learn(reader) with the file to learn from: the one given, or the base.
template <class Learn>
auto with_learn_file(const BuildOptions& options, const VectorReader& base, const Learn& learn) {
    if (options.learn.empty()) return learn(base);
    const VectorReader reader(options.learn);
    require_dimensions(reader, base.columns(), base.path());
    return learn(reader);
}

void build_inverted(const BuildOptions& options, const VectorReader& base, Run& run);

}  // namespace summand::cli
