#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "text.h"

namespace summand::cli {
namespace {

// Training and encoding reach about this part of the speed of a plain matrix product.
constexpr double kTrainingEfficiency = 0.7, kEncodingEfficiency = 0.4;

// Sizes of the work, as real numbers so that products do not overflow.
struct Sizes {
    double vectors, dimensions, dictionaries, words;
};

Matrix<float> scattered_vectors(std::size_t rows, std::size_t columns) {
    Matrix<float> vectors(rows, columns);
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        state = state * 1664525 + 1013904223;
        vectors.data()[i] = static_cast<float>(state >> 8);
    }
    return vectors;
}

// Multiplications and additions per second in a matrix product on this machine, with all threads.
double measured_speed() {
    const Matrix<float> base = scattered_vectors(8192, 256), queries = scattered_vectors(512, 256);
    double best = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {  // the first one starts the threads
        const Stopwatch watch;
        exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
        best =
            std::max(best, 2.0 * static_cast<double>(base.size() * queries.rows()) / std::max(watch.seconds(), 1e-6));
    }
    return best;
}

double iterations_of(const Spec& spec, double otherwise) {
    const auto written = spec.options.find("iterations");
    return written == spec.options.end() ? otherwise : std::atof(written->second.c_str());
}

// A pass of block codes costs 2·D·K operations a vector, a pass of dense words M times as many.
double block_pass(const Sizes& sizes) { return 2 * sizes.vectors * sizes.dimensions * sizes.words; }
double rotation_pass(const Sizes& sizes) { return 2 * sizes.vectors * sizes.dimensions * sizes.dimensions; }

// Bytes of a code, each of one dictionary.
double dictionaries_of(const Spec& spec) {
    return static_cast<double>(spec.method == "ITQ" ? (spec.dictionaries + 7) / 8 : spec.dictionaries);
}

double training_operations(const Spec& spec, const Sizes& sizes) {
    if (spec.method == "PQ") return iterations_of(spec, 25) * block_pass(sizes);
    const double decomposition = 60 * sizes.dimensions * sizes.dimensions * sizes.dimensions;
    const double rotated = block_pass(sizes) + rotation_pass(sizes) + decomposition;
    if (spec.method == "ITQ") return iterations_of(spec, 50) * (rotation_pass(sizes) + decomposition);
    if (spec.method == "OPQ") return (iterations_of(spec, 40) + 16) * rotated;
    return 40 * rotated + iterations_of(spec, 30) * 2 * sizes.dictionaries * block_pass(sizes);
}

Estimate training_of(const VectorReader& learn, const LearnOptions& options, double speed) {
    const Spec spec = parse_spec(options.spec);
    const Sizes sizes{static_cast<double>(std::min(learn.rows(), options.learn_size)),
                      static_cast<double>(learn.columns()), dictionaries_of(spec), static_cast<double>(spec.words())};
    const double model_floats = sizes.dimensions * (sizes.dimensions + sizes.dictionaries * sizes.words);
    Estimate estimate;
    estimate.memory_bytes = sizeof(float) * (3 * sizes.vectors * sizes.dimensions + 4 * model_floats);
    estimate.output_bytes = sizeof(float) * model_floats;
    estimate.train_seconds = training_operations(spec, sizes) / (kTrainingEfficiency * speed);
    return estimate;
}

struct CodeShape {
    double dictionaries, words, bytes;
    bool rotated, dense;
};

Estimate encoding_of(const VectorReader& base, const CodeShape& shape, double speed) {
    const Sizes sizes{static_cast<double>(base.rows()), static_cast<double>(base.columns()), shape.dictionaries,
                      shape.words};
    const double chunk = static_cast<double>(std::min(chunk_rows(base), base.rows()));
    const double codes = sizes.vectors * shape.bytes;
    const double operations =
        (shape.dense ? 4 * sizes.dictionaries : 1) * block_pass(sizes) + (shape.rotated ? rotation_pass(sizes) : 0);
    Estimate estimate;
    estimate.memory_bytes = 2 * codes + 2 * sizeof(float) * chunk * sizes.dimensions;
    estimate.output_bytes = codes;
    estimate.work_seconds = operations / (kEncodingEfficiency * speed);
    return estimate;
}

}  // namespace

std::string to_string(const Estimate& estimate) {
    std::string text = fmt::format("memory  about {}\noutput  about {}", bytes_text(estimate.memory_bytes),
                                   bytes_text(estimate.output_bytes));
    if (estimate.train_seconds > 0) text += "\ntrain   about " + duration(estimate.train_seconds);
    if (estimate.work_seconds > 0) text += "\nwork    about " + duration(estimate.work_seconds);
    return text + "\nRough figures for this machine; nothing was done.";
}

Estimate estimate_train(const VectorReader& learn, const LearnOptions& options) {
    return training_of(learn, options, measured_speed());
}

Estimate estimate_encode(const VectorReader& base, const Quantizer& model) {
    const CodeShape shape{static_cast<double>(model.dictionaries.count), static_cast<double>(model.dictionaries.words),
                          static_cast<double>(model.code_bytes()), !model.rotation.empty(),
                          !model.dictionaries.blocks()};
    return encoding_of(base, shape, measured_speed());
}

Estimate estimate_build(const VectorReader& base, const VectorReader& learn, const LearnOptions& options) {
    const double speed = measured_speed();
    const Spec spec = parse_spec(options.spec);
    const bool blocks = spec.method == "PQ" || spec.method == "OPQ" || spec.method == "ITQ";
    const CodeShape shape{dictionaries_of(spec), static_cast<double>(spec.words()), dictionaries_of(spec),
                          spec.method != "PQ", !blocks};
    Estimate total = training_of(learn, options, speed);
    const Estimate encoding = encoding_of(base, shape, speed);
    total.memory_bytes = std::max(total.memory_bytes, total.output_bytes + encoding.memory_bytes);
    total.output_bytes += encoding.output_bytes;
    total.work_seconds = encoding.work_seconds;
    return total;
}

Estimate estimate_exact(const VectorReader& base, const VectorReader& queries, std::size_t k) {
    const double chunk = static_cast<double>(std::min(chunk_rows(base), base.rows()));
    const double floats = (chunk + static_cast<double>(queries.rows())) * static_cast<double>(base.columns());
    const double answers = static_cast<double>(queries.rows()) * static_cast<double>(k);
    Estimate estimate;
    estimate.memory_bytes = sizeof(float) * floats + 3 * answers * (sizeof(float) + sizeof(std::int64_t));
    estimate.output_bytes = answers * sizeof(std::int32_t);
    estimate.work_seconds = 2.0 * static_cast<double>(base.rows()) * static_cast<double>(queries.rows()) *
                            static_cast<double>(base.columns()) / measured_speed();
    return estimate;
}

}  // namespace summand::cli
