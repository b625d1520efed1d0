// What the verbs share: common options, one run's threads, progress and interrupts, and files with names in errors.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "interrupt.h"
#include "progress.h"
#include "summand/summand.h"

namespace summand::cli {

/// Used where no spec is given.
std::string default_spec(Metric metric, std::size_t bytes = 8);

struct RunOptions {
    unsigned threads = 0;
    std::uint64_t seed = 1;
    std::string json;
    bool quiet = false;
    bool dry_run = false;
};

void add_threads(CLI::App& verb, RunOptions& options);
void add_seed(CLI::App& verb, RunOptions& options);
void add_quiet(CLI::App& verb, RunOptions& options);
void add_json(CLI::App& verb, RunOptions& options);
void add_dry_run(CLI::App& verb, RunOptions& options);
void add_metric(CLI::App& verb, Metric& metric);
void add_spec(CLI::App& verb, std::string& spec);
void add_neighbors(CLI::App& verb, std::size_t& k);
void add_learn_size(CLI::App& verb, std::size_t& size);
void add_checkpoint(CLI::App& verb, std::string& path, const std::string& what);
/// Required, unless it is a dry run.
void add_output(CLI::App& verb, std::string& path, const std::string& what, const RunOptions& options);

/// Text that is a whole number in that range.
CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest);

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// One run of a verb.
class Run {
public:
    explicit Run(const RunOptions& options);

    /// Threads, interrupts and progress for the library.
    Execution execution();
    /// The same for inner work whose steps are part of a larger count.
    Execution silent_execution() const;

    ProgressDisplay& display() { return display_; }

    /// A line on stdout unless quiet; the bar of the progress is removed first.
    void print(const std::string& line) const;

    /// Writes what was measured to the file of --json, or to stdout for "-".
    void write_json(const nlohmann::ordered_json& summary) const;

private:
    const RunOptions& options_;
    mutable ProgressDisplay display_;  // what it shows is no part of the run's state
};

/// Runs `work`; an error that does not name the file gets its path in front.
template <class Work>
auto about_file(const std::string& path, const Work& work) {
    try {
        return work();
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        const std::string message = error.what();
        throw Error(message.find(path) == std::string::npos ? path + ": " + message : message);
    }
}

/// A file that a verb writes; none where the path is empty, or "-" for standard output.
struct Output {
    std::string path;
    Content content = Content::any;
};

/// "-", or that of vectors and ids with a format before it.
bool is_standard_output(const Output& output);

/// Throws before any work is done where an output could not be written, is one of the inputs or is given twice.
void check_outputs(const std::vector<std::string>& inputs, const std::vector<Output>& outputs);

void require_dimensions(const VectorReader& reader, std::size_t dimensions, const std::string& other);

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
