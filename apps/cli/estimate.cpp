#include "estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "text.h"

namespace summand::cli {
namespace {

// Work is counted in multiplications and additions as a matrix product does them, which is measured here; other loops
// count more by what they cost beside it. All in all training and encoding reach this part of the product's speed
// (SIFT, 20,000 vectors, all methods with 8 dictionaries: 0.5 to 0.9).
constexpr double kEfficiency = 0.6;

// Sizes of the work, as real numbers so that products do not overflow.
struct Sizes {
    double N, D, M, K;

    Sizes of(double vectors) const { return {std::min(N, vectors), D, M, K}; }
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

std::string option(const Spec& spec, const std::string& name, const std::string& otherwise) {
    const auto written = spec.options.find(name);
    return written == spec.options.end() ? otherwise : written->second;
}

// As written, or as the list of methods shows it.
double iterations_of(const Spec& spec) {
    constexpr std::string_view kKey = "iterations=";
    std::string shown;
    for (const MethodInfo& method : methods())
        for (const std::string_view known : method.options)
            if (method.name == spec.method && known.starts_with(kKey)) shown = known.substr(kKey.size());
    return std::atof(option(spec, "iterations", shown).c_str());
}

// Codes of a vector: ITQ has one for eight of its bits.
double dictionaries_of(const Spec& spec) {
    return static_cast<double>(spec.method == "ITQ" ? (spec.dictionaries + 7) / 8 : spec.dictionaries);
}

bool rotates(const Spec& spec) {
    return spec.method == "OPQ" || spec.method == "OCQ" || spec.method == "ITQ" || spec.method == "OTQ";
}

double block_products(const Sizes& s) { return 2 * s.N * s.D * s.K; }
double dense_products(const Sizes& s) { return s.M * block_products(s); }

// One sweep of the encoder: for each dictionary M rows of a table and 8 more operations for each word.
double sweep(const Sizes& s) { return s.N * s.M * s.K * (s.M + 8); }

// Value and gradient of the composite objective: 2M + 6 operations for each value, at the speed of memory.
double gradient(const Sizes& s) { return 32 * s.N * s.D * (s.M + 3); }

// One step of Cartesian k-means: a rotation, codes, a singular value decomposition.
double rotated_step(const Sizes& s) { return 2 * s.N * s.D * s.D + block_products(s) + 60 * s.D * s.D * s.D; }

// 2,048 vectors compared with at most 100,000.
double near_pairs(const Sizes& s) { return 2 * 2048 * s.of(100'000).N * s.D; }

double block_training(const Spec& spec, const Sizes& s) {
    if (spec.method == "PQ") return iterations_of(spec) * block_products(s);
    return (iterations_of(spec) + 16) * rotated_step(s) + near_pairs(s);
}

double composite_start(const Sizes& s) { return 27 * rotated_step(s.of(64 * s.K)); }

// CQ: products, 4 sweeps, normal equations of all words in double.
double unconstrained_step(const Sizes& s) {
    const double words = s.M * s.K;
    return dense_products(s) + 4 * sweep(s) + 2 * words * words * (words / 3 + 2 * s.D);
}

// OCQ: 7 evaluations, each with the products of all pairs of words, twice.
double orthogonal_step(const Sizes& s) {
    return dense_products(s) + sweep(s) + 7 * (gradient(s) + 4 * s.M * s.K * s.M * s.K * s.D);
}

// NOCQ and LOCQ: codes and 10 evaluations, or 6 for LOCQ, which has a factor of the pairs of words as well.
double penalised_step(const Sizes& s, bool learnt) {
    const double words = s.M * s.K;
    return dense_products(s) + sweep(s) + (learnt ? 6 * gradient(s) + words * words * words / 3 : 10 * gradient(s));
}

double penalised_training(const Spec& spec, const Sizes& s) {
    const bool learnt = spec.method == "LOCQ";
    const std::string start = option(spec, "start", "auto");
    const Sizes sample = s.of(128 * s.K);  // of the first 60 % of the iterations, and of every trial
    const double iterations = iterations_of(spec), trials = option(spec, "mu", "auto") == "validate" ? 5 : 0;
    double operations = composite_start(s) + near_pairs(s) + 0.4 * iterations * penalised_step(s, learnt) +
                        (0.6 + trials) * iterations * penalised_step(sample, learnt);
    if (learnt && (start == "auto" || start == "levels"))
        operations += composite_start(s) + 4 * unconstrained_step(sample);
    if (learnt && start == "auto") operations += 6 * penalised_step(sample, learnt);
    return operations;
}

// Methods that are trained by least squares for all words, or cost about that.
bool unconstrained(const Spec& spec) {
    constexpr std::string_view kMethods[] = {"CQ", "CQe", "CQd", "CQc", "QAV", "RQ", "AQ", "AQe"};
    return std::find(std::begin(kMethods), std::end(kMethods), spec.method) != std::end(kMethods);
}

double training_operations(const Spec& spec, const Sizes& s) {
    if (spec.method == "PQ" || spec.method == "OPQ") return block_training(spec, s);
    if (spec.method == "ITQ") return iterations_of(spec) * rotated_step(s);
    if (spec.method == "OTQ")
        return 12 * rotated_step(s) + iterations_of(spec) * (rotated_step(s) + 2 * s.N * s.M * s.K * s.K);
    if (unconstrained(spec)) return composite_start(s) + iterations_of(spec) * unconstrained_step(s);
    if (spec.method == "OCQ")
        return composite_start(s) + iterations_of(spec) * orthogonal_step(s) + 20 * rotated_step(s);
    return penalised_training(spec, s);
}

// The vectors three times for PQ, four for OPQ, five for the composite family, which also
// has 16 partial gradients in float and about 20 in double, the pairs of words in 16 bits, and for CQ its normal
// equations. All but PQ look at 50 near neighbours of 2,048 vectors.
double training_bytes(const Spec& spec, const Sizes& s) {
    const double words = s.M * s.K, model = words * s.D, vectors = s.N * s.D * sizeof(float);
    if (spec.method == "PQ") return 3 * vectors + 4 * model * sizeof(float);
    const double shared = 3 * 2048 * 50 * s.D * sizeof(float) + 4 * s.D * s.D * sizeof(float);
    if (spec.method == "OPQ") return 4 * vectors + 4 * model * sizeof(float) + shared;
    return 5 * vectors + model * (16 * sizeof(float) + 20 * sizeof(double)) + shared +
           words * words * (2 + (spec.method == "CQ" ? 2 * sizeof(double) : 0));
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
    const Sizes sizes{static_cast<double>(std::min(learn.rows(), options.learn_size)),
                      static_cast<double>(learn.columns()), dictionaries_of(spec), static_cast<double>(spec.words())};
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

}  // namespace

void show(const Estimate& estimate, const Run& run) {
    std::string text = fmt::format("memory  about {}\noutput  about {}", bytes_text(estimate.memory_bytes),
                                   bytes_text(estimate.output_bytes));
    if (estimate.train_seconds > 0) text += "\ntrain   about " + duration(estimate.train_seconds);
    if (estimate.work_seconds > 0) text += "\nwork    about " + duration(estimate.work_seconds);
    run.print(text + "\nRough figures for this machine, right within a factor of about two; nothing was done.");
    run.write_json({{"dry_run", true},
                    {"memory_bytes", estimate.memory_bytes},
                    {"output_bytes", estimate.output_bytes},
                    {"train_seconds", estimate.train_seconds},
                    {"work_seconds", estimate.work_seconds}});
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
    const IndexSpec spec = parse_index_spec(options.spec);
    Estimate encoding = encoding_of(base, shape_of(spec.code), speed);
    if (spec.cells) {
        const double ids = sizeof(std::uint64_t) * static_cast<double>(base.rows());
        encoding.output_bytes += ids;
        encoding.memory_bytes += encoding.output_bytes + 2 * ids;
        encoding.work_seconds += assignment(spec, base, static_cast<double>(base.rows())) / (kEfficiency * speed);
    }
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
