#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text.h"
#include "training_cost.h"

namespace summand::cli {
namespace {

// Work is counted in multiplications and additions as a matrix product does them, which is measured here; other loops
// count more by what they cost beside it. All in all training and encoding reach this part of the product's speed
// (SIFT, 20,000 vectors, all methods with 8 dictionaries: 0.5 to 0.9).
constexpr double kEfficiency = 0.6;

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

// Words of cells that a vector is compared with, each in all dimensions.
double cell_words(const IndexSpec& spec) {
    if (!spec.cells) return 0;
    return spec.cells->method == "IMI" ? 2.0 * static_cast<double>(spec.cells->words())
                                       : static_cast<double>(spec.cells->dictionaries);
}

double assignment(const IndexSpec& spec, const VectorReader& vectors, double rows) {
    return 2 * rows * cell_words(spec) * static_cast<double>(vectors.columns());
}

Estimate training_of(const VectorReader& learn, const LearnOptions& options, double speed) {
    constexpr double kCellIterations = 10;
    const IndexSpec whole = parse_index_spec(options.spec);
    const Spec& spec = whole.code;
    const Sizes sizes = sizes_of(spec, learn_vectors(options, learn), learn.columns());
    const bool blocks = spec.method == "PQ" || spec.method == "OPQ" || spec.method == "OCQ" || spec.method == "ITQ";
    Estimate estimate;
    estimate.memory_bytes = training_bytes(spec, sizes);
    estimate.output_bytes = sizeof(float) * sizes.K * sizes.D * (blocks ? 1 : sizes.M);
    if (rotates(spec)) estimate.output_bytes += sizeof(float) * sizes.D * sizes.D;
    estimate.output_bytes += sizeof(float) * cell_words(whole) * sizes.D;
    estimate.train_seconds =
        (training_operations(spec, sizes) + (kCellIterations + 1) * assignment(whole, learn, sizes.N)) /
        (kEfficiency * speed);
    return estimate;
}

// What encoding costs, of a model or of the one that a spec will make.
struct CodeShape {
    double dictionaries, words, bytes;
    bool rotated;
    bool dense;  // words without blocks
    Effort effort;
};

// At most: a vector that no visit changes any more rests.
double sweeps(Effort effort) {
    if (effort == Effort::fast) return 3;
    return effort == Effort::standard ? 3 * (1 + 8) : 4 * (1 + 48);
}

Estimate encoding_of(const VectorReader& base, const CodeShape& shape, double speed) {
    const Sizes sizes{static_cast<double>(base.rows()), static_cast<double>(base.columns()), shape.dictionaries,
                      shape.words};
    const double chunk = static_cast<double>(std::min(chunk_rows(base), base.rows()));
    const double codes = sizes.N * shape.bytes;
    double operations = shape.rotated ? 2 * sizes.N * sizes.D * sizes.D : 0;
    operations += shape.dense ? dense_products(sizes) + sweeps(shape.effort) * sweep(sizes) : block_products(sizes);
    Estimate estimate;
    estimate.memory_bytes = 2 * codes + 3 * sizeof(float) * chunk * sizes.D;
    estimate.output_bytes = codes;
    estimate.work_seconds = operations / (kEfficiency * speed);
    return estimate;
}

CodeShape shape_of(const Quantizer& model) {
    return {.dictionaries = static_cast<double>(model.dictionaries.count),
            .words = static_cast<double>(model.dictionaries.words),
            .bytes = static_cast<double>(model.code_bytes()),
            .rotated = !model.rotation.empty(),
            .dense = !model.dictionaries.blocks(),
            .effort = model.encoder.effort};
}

CodeShape shape_of(const Spec& spec) {
    const bool blocks = spec.method == "PQ" || (rotates(spec) && spec.method != "OTQ");
    const double per_code = spec.bits <= 4 ? 0.5 : 1;
    double bytes = std::ceil(per_code * dictionaries_of(spec));
    const std::string bias = spec.method == "CQ" ? option(spec, "bias", "float") : "";
    if (bias == "float") bytes += sizeof(float);
    if (bias == "byte") bytes += 1;
    return {.dictionaries = dictionaries_of(spec),
            .words = static_cast<double>(spec.words()),
            .bytes = bytes,
            .rotated = rotates(spec),
            .dense = !blocks,
            .effort = parse_effort(option(spec, "effort", std::string(name(Effort::standard))))};
}

// What is encoded after other work whose output stays in memory.
void add_encoding(const Estimate& encoding, Estimate& total) {
    total.memory_bytes = std::max(total.memory_bytes, total.output_bytes + encoding.memory_bytes);
    total.output_bytes += encoding.output_bytes;
    total.work_seconds += encoding.work_seconds;
}

}  // namespace

void show(const Estimate& estimate, const Run& run) {
    std::string text = fmt::format("memory  about {}\noutput  about {}", bytes_text(estimate.memory_bytes),
                                   bytes_text(estimate.output_bytes));
    if (estimate.train_seconds > 0) text += "\ntrain   about " + duration(estimate.train_seconds);
    if (estimate.work_seconds > 0) text += "\nwork    about " + duration(estimate.work_seconds);
    run.print(text + "\nRough figures for this machine, right within a factor of about two; nothing was done.");
    nlohmann::ordered_json summary{{"dry_run", true},
                                   {"memory_bytes", estimate.memory_bytes},
                                   {"output_bytes", estimate.output_bytes},
                                   {"train_seconds", estimate.train_seconds},
                                   {"work_seconds", estimate.work_seconds}};
    if (!estimate.spec.empty()) summary["spec"] = estimate.spec;
    run.write_json(summary);
}

Estimate estimate_train(const VectorReader& learn, const LearnOptions& options) {
    return training_of(learn, options, measured_speed());
}

Estimate estimate_encode(const VectorReader& base, const Quantizer& model) {
    return encoding_of(base, shape_of(model), measured_speed());
}

Estimate estimate_build(const VectorReader& base, const VectorReader& learn, const LearnOptions& options) {
    const double speed = measured_speed();
    Estimate total = training_of(learn, options, speed);
    total.spec = options.spec;
    const IndexSpec spec = parse_index_spec(options.spec);
    Estimate encoding = encoding_of(base, shape_of(spec.code), speed);
    if (spec.cells) {
        const double ids = sizeof(std::uint64_t) * static_cast<double>(base.rows());
        encoding.output_bytes += ids;
        encoding.memory_bytes += encoding.output_bytes + 2 * ids;
        encoding.work_seconds += assignment(spec, base, static_cast<double>(base.rows())) / (kEfficiency * speed);
    }
    add_encoding(encoding, total);
    if (spec.refine && spec.refine->code) {
        LearnOptions second = options;
        second.spec = to_string(*spec.refine->code);
        const Estimate training = training_of(base, second, speed);
        total.memory_bytes = std::max(total.memory_bytes, total.output_bytes + training.memory_bytes);
        total.output_bytes += training.output_bytes;
        total.train_seconds += training.train_seconds;
        add_encoding(encoding_of(base, shape_of(*spec.refine->code), speed), total);
    }
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
