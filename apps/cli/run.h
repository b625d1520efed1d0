// What the verbs share: common options, outputs, files read chunk by chunk, and learning from a file.
#pragma once

#include <functional>
#include <string>

#include "tool.h"

namespace summand::cli {

/// Used where no spec is given.
std::string default_spec(Metric metric, std::size_t bytes = 8);

void add_json(CLI::App& verb, RunOptions& options);
void add_dry_run(CLI::App& verb, RunOptions& options);
void add_metric(CLI::App& verb, Metric& metric);
void add_spec(CLI::App& verb, std::string& spec);
void add_neighbors(CLI::App& verb, std::size_t& k);
void add_learn_size(CLI::App& verb, std::size_t& size);
void add_checkpoint(CLI::App& verb, std::string& path, const std::string& what);
/// Required, unless it is a dry run.
void add_output(CLI::App& verb, std::string& path, const std::string& what, const RunOptions& options);

/// A file that a verb writes; none where the path is empty, or "-" for standard output.
struct Output {
    std::string path;
    Content content = Content::any;
};

/// Throws before any work is done where an output could not be written, is one of the inputs or is given twice.
void check_outputs(const std::vector<std::string>& inputs, const std::vector<Output>& outputs);

/// Cosine needs a direction: throws for a row of zeros, by its number in the file.
void require_directions(MatrixView<float> vectors, const std::string& path,
                        const std::function<std::size_t(std::size_t)>& row_in_file);

/// Reads a whole file, a chunk at a time so that an interrupt is noticed.
Matrix<float> read_all(const VectorReader& reader);

/// Rows that are read at once: about 64 MB, in whole blocks of the encoder.
std::size_t chunk_rows(const VectorReader& reader);

/// Reads a file of any length chunk by chunk: take(chunk, execution) is called with an `Execution` whose progress
/// counts the rows of the whole file as encoded. `start`: the first row to read.
void for_each_chunk(const VectorReader& base, Run& run,
                    const std::function<void(const Matrix<float>& chunk, const Execution& execution)>& take,
                    std::size_t start = 0);

/// What is encoded of a chunk of a file that begins with row `first`; empty: the chunk itself.
using Prepare = std::function<Matrix<float>(const Matrix<float>& chunk, std::size_t first)>;

/// Encodes a file of any length: vectors are read, encoded and dropped chunk by chunk.
Codes encode_file(const Quantizer& model, const VectorReader& base, std::uint64_t seed, Run& run,
                  const Prepare& prepare = {});

struct LearnOptions {
    std::string spec = {};       ///< empty: default_spec
    std::size_t learn_size = 0;  ///< vectors drawn, at most; 0: what the budget of training_cost.h allows
    Metric metric = Metric::euclidean;
    std::string checkpoint = {};  ///< file to save after every iteration and to go on from; empty: none
};

/// Throws for a spec that cannot be, or one that makes no checkpoints where they are asked for.
void check_learning(const LearnOptions& options);

template <class Model>
struct Learned {
    Model model;
    double seconds = 0;  ///< of training, reading not counted
};

/// Null where it was not measured.
nlohmann::ordered_json held_out(const TrainingSummary& training);

Learned<Quantizer> learn_from_file(const VectorReader& learn, const LearnOptions& options, std::uint64_t seed,
                                   Run& run);

/// The cells and the quantizer of an inverted index.
Learned<InvertedModel> learn_inverted(const VectorReader& learn, const LearnOptions& options, std::uint64_t seed,
                                      Run& run);

}  // namespace summand::cli
