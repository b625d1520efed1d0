// From vectors to an index, in one call:
//
//     Index index = build(base.view());                                             // rows in memory
//     Index index = build(VectorSource::file("base.fvecs"), "IVF1024,LOCQ8,Refine(flat)", {.path = "index.smd"});
//
// Vectors are read in chunks, so the base may be larger than memory. The same vectors, spec and seed give the same
// bytes, whoever asks: this is what the command line calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summand/encoder.h"
#include "summand/execution.h"
#include "summand/index.h"
#include "summand/index_model.h"
#include "summand/matrix.h"
#include "summand/metric.h"
#include "summand/tune.h"
#include "summand/vector_source.h"

namespace summand {

/// What a build did.
struct BuildReport {
    std::string spec = {};
    std::size_t learn_vectors = 0;
    std::size_t resumed_vectors = 0;  ///< that a checkpoint had encoded before
    double train_seconds = 0;         ///< reading not counted
    double encode_seconds = 0;
    /// Where the spec was chosen: the share of true neighbours that searches find, measured with vectors of the base
    /// that were searched for without themselves. Empty where there are too few vectors to tell.
    std::optional<double> recall = {};
    /// What was hardly meant, a sentence each: cells that are learnt from few vectors, or that outnumber the base.
    std::vector<std::string> warnings = {};
};

struct BuildSettings {
    std::optional<Metric> metric = {};    ///< empty: that of the model where one is given, else euclidean
    std::uint64_t seed = 1;               ///< of every random choice
    const VectorSource* learn = nullptr;  ///< to learn from instead of the base; borrowed
    std::size_t learn_size = 0;           ///< vectors drawn to learn from, at most; 0: `usual_learn_size`
    double memory_bytes = 0;              ///< where no spec is given: what the index may take; 0: `usual_memory`
    TuneTarget target = {};               ///< where no spec is given: what its searches are tuned for
    std::string path = {};  ///< where the index will be saved: Refine(flat) keeps the way from there to the vectors
    /// The file to save training and encoding in, and to go on from if it exists; it is never removed. Methods that
    /// make no checkpoints refuse it, except in an inverted index, whose chunks it keeps.
    std::string checkpoint = {};
    std::function<void(const std::function<void()>& write)> saving = {};  ///< runs write(), a checkpoint's
    BuildReport* report = nullptr;                                        ///< borrowed
    Execution execution = {};
};

/// The codes that `train` learns and `propose` chooses where nobody names others.
std::string default_spec(Metric metric, std::size_t bytes = 8);

/// How many vectors to learn from where nobody says: as many as take about 2 GB of memory and 6e12 operations
/// (about a minute on two cores), but 64 for each word, and 40 for each cell where the memory allows it. From sizes
/// alone, so that it is the same everywhere.
std::size_t usual_learn_size(std::string_view spec, std::size_t rows, std::size_t columns);

/// Throws `Error` for a spec that is wrong for any vectors, or that makes no checkpoints if they are asked for.
void check_build(std::string_view spec, const BuildSettings& settings);

/// `spec` as users write it (summand/index_spec.h). Where it is empty, the one of `propose` is built and tuned for
/// `settings.target`: searches that are not told otherwise find that share of the true neighbours, where the memory
/// allows it.
Index build(const VectorSource& base, std::string_view spec = {}, const BuildSettings& settings = {});

/// The same with a model that was learnt before; only a second layer of codes that it lacks is learnt.
Index build(const VectorSource& base, const IndexModel& model, const BuildSettings& settings = {});

/// The first half of a build: draws vectors and learns cells and words. A second layer is learnt while building.
IndexModel train_index(const VectorSource& learn, std::string_view spec = {}, const BuildSettings& settings = {});

/// Codes of all vectors, read and encoded in chunks.
Codes encode_all(const Encoder& encoder, const VectorSource& base, const Execution& execution = {});

/// What a build or a part of it takes: sizes and operations from sizes alone, seconds from a moment of measuring this
/// machine. Bytes of files, of indexes as they are searched and of peaks of memory are right within a fifth, seconds on
/// an idle machine within a factor of two: bench/results/estimate.md has what was measured,
/// tests/build/estimate_test.cpp holds the sizes.
struct Estimate {
    std::string spec = {};
    double memory_bytes = 0;  ///< at the peak
    double output_bytes = 0;  ///< of the file written
    double search_bytes = 0;  ///< of an index when it is searched
    double train_seconds = 0;
    double work_seconds = 0;  ///< encoding or searching
};

Estimate estimate_build(const VectorSource& base, std::string_view spec, const BuildSettings& settings = {});
Estimate estimate_train(const VectorSource& learn, std::string_view spec, const BuildSettings& settings = {});
Estimate estimate_encode(const VectorSource& base, const Quantizer& model, const Execution& execution = {});
Estimate estimate_exact(const VectorSource& base, const VectorSource& queries, std::size_t k,
                        const Execution& execution = {});

/// A spec whose index fits some memory when it is searched, and why.
struct Proposal {
    std::string spec = {};
    double memory_bytes = 0;
    std::vector<std::string> reasons = {};  ///< a line each
};

/// Throws `Error` where not even the smallest index fits. Reads the base, as far as it holds whole numbers.
Proposal propose(const VectorSource& base, Metric metric, double memory_bytes);

/// What an index may take where nobody says: as much as the vectors as floats, and a little for few of them.
double usual_memory(const VectorSource& base);

}  // namespace summand
