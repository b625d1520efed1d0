// What work takes, from the costs of methods and the sizes of what is read, held and written.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "build/source.h"
#include "build/train_index.h"
#include "math/products.h"
#include "summand/error.h"
#include "train/cell_cost.h"
#include "train/cost.h"

namespace summand {
namespace {

// All in all training and encoding reach this part of the speed of a matrix product.
constexpr double kEfficiency = 0.3;
constexpr double kProgramBytes = 18e6;  // code and what its libraries hold

// Multiplications and additions per second in a matrix product on this machine, with one thread: the best of many
// moments, each too short for other work on the machine to come between.
double thread_speed() {
    constexpr std::size_t kRows = 1024, kColumns = 128, kMoments = 48;
    const Matrix<float> a(kRows, kColumns), b(kColumns, kColumns);
    double best = 1;
    for (std::size_t moment = 0; moment < kMoments; ++moment) {
        const Stopwatch watch;
        multiply_transposed(a.view(), b.view(), {.threads = 1});
        best = std::max(best, 2.0 * static_cast<double>(a.size() * b.rows()) / std::max(watch.seconds(), 1e-9));
    }
    return best;
}

// The same with all threads. A process measures it once.
double measured_speed(const Execution& execution) {
    static const double speed = thread_speed();
    return thread_count(execution) * speed;
}

constexpr double kLarge = 32e6;  // allocations that come from the system and go back to it

// Of what a training took, the allocator keeps some, which large chunks do not use.
double kept_bytes(const TrainingCost& training, double sample_bytes, double chunk) {
    if (chunk < kLarge) return 0;
    constexpr double kMost = 45e6;
    const double returned = sample_bytes < kLarge ? 0 : 2 * sample_bytes;
    return std::min(kMost, (training.bytes - kProgramBytes - returned) / 2);
}

double rows_of(const VectorSource& source) { return static_cast<double>(source.rows); }
double columns_of(const VectorSource& source) { return static_cast<double>(source.columns); }

// Of one chunk, as it is read.
double chunk_bytes(const VectorSource& source) {
    return sizeof(float) * static_cast<double>(std::min(chunk_rows(source), source.rows)) * columns_of(source);
}

// Each thread but the first has memory of the allocator for itself, about twice what it works with.
double threads_bytes(const EncodingCost& cost, const Execution& execution) {
    return (3.0 * thread_count(execution) - 2) * cost.thread_bytes;
}

// What encoding chunks holds beside codes: each chunk as it comes and `more` times, the model here and in its encoder.
double encoding_bytes(const EncodingCost& cost, const VectorSource& base, double more, const Execution& execution) {
    return kProgramBytes + (1 + cost.copies + more) * chunk_bytes(base) + cost.table_bytes + 2 * cost.held_bytes +
           threads_bytes(cost, execution);
}

// Packed codes come in blocks of 512.
double packed_bytes(double vectors, double bytes) { return std::ceil(vectors / 512) * 512 * bytes; }

struct Held {
    double ids = 0, lists = 0, tables = 0, cells = 0;
};

// What cells add to an index in memory.
Held held_by_cells(const IndexSpec& spec, const VectorSource& base, Metric metric) {
    if (!spec.cells) return {};
    return {.ids = sizeof(std::uint64_t) * rows_of(base),
            .lists = sizeof(std::uint64_t) * cell_count(*spec.cells),
            .tables = is_distance(metric) ? cell_table_bytes(*spec.cells, spec.code) : 0,
            .cells = cell_bytes(*spec.cells, columns_of(base))};
}

double sample_bytes(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings) {
    return sizeof(float) * static_cast<double>(learn_count(spec, learn, settings)) * columns_of(learn);
}

// Beside the vectors that are drawn, cells leave residuals to the codes, and codes of a second layer too.
enum class LearnsFrom { vectors, residuals };

TrainingCost training_of(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings,
                         LearnsFrom from) {
    const Sizes sizes{static_cast<double>(learn_count(spec, learn, settings)), columns_of(learn)};
    TrainingCost cost = training_cost(spec.code, sizes);
    if (from == LearnsFrom::residuals) cost.bytes += sample_bytes(spec, learn, settings);
    if (spec.cells) {
        const TrainingCost cells = cell_training_cost(*spec.cells, sizes);
        cost.bytes = std::max(cost.bytes + cell_bytes(*spec.cells, sizes.dimensions), cells.bytes);
        cost.operations += cells.operations + sizes.vectors * assignment_operations(*spec.cells, sizes.dimensions);
    }
    cost.bytes += kProgramBytes + threads_bytes(encoding_cost(spec.code, sizes.dimensions), settings.execution);
    return cost;
}

TrainingCost training_of(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings) {
    return training_of(spec, learn, settings, spec.cells ? LearnsFrom::residuals : LearnsFrom::vectors);
}

Estimate with_seconds(Estimate estimate, double train_operations, double work_operations, double speed) {
    estimate.train_seconds = train_operations / (kEfficiency * speed);
    estimate.work_seconds = work_operations / (kEfficiency * speed);
    return estimate;
}

// An index that is built, and what building it takes.
struct BuildEstimate {
    Estimate sizes;
    double train_operations = 0, work_operations = 0;
};

BuildEstimate first_layer(const VectorSource& base, const IndexSpec& spec, const BuildSettings& settings) {
    const VectorSource& learn = settings.learn ? *settings.learn : base;
    const TrainingCost training = training_of(spec, learn, settings);
    const EncodingCost code = encoding_cost(spec.code, columns_of(base));
    const Held held = held_by_cells(spec, base, metric_of(settings));
    const double codes = packed_bytes(rows_of(base), code.code_bytes);
    const double first = codes + held.ids + held.lists + held.cells;
    // Cells and ids come with the codes. At the end codes as they came, in order and packed exist at the same time.
    const double encoding = kept_bytes(training, sample_bytes(spec, learn, settings), chunk_bytes(base)) +
                            encoding_bytes(code, base, spec.cells ? 1 : 0, settings.execution) + codes +
                            1.5 * held.ids + held.cells;
    const double packing = kProgramBytes + 2 * code.held_bytes + 2 * codes + 3.5 * held.ids + held.lists +
                           std::max(held.lists, held.tables) + held.cells;
    const double assigning = spec.cells ? assignment_operations(*spec.cells, columns_of(base)) : 0;
    return {{.spec = to_string(spec),
             .memory_bytes = std::max({training.bytes, encoding, packing}),
             .output_bytes = first + code.model_bytes,
             .search_bytes = first + code.held_bytes + held.tables},
            training.operations,
            rows_of(base) * (code.operations + assigning)};
}

// Codes of what the first layer leaves, beside that layer and what the allocator keeps of both trainings.
void add_second_layer(const VectorSource& base, const Spec& code, const BuildSettings& settings, BuildEstimate& build) {
    const TrainingCost training = training_of({.code = code}, base, settings, LearnsFrom::residuals);
    const EncodingCost cost = encoding_cost(code, columns_of(base));
    const double codes = rows_of(base) * cost.code_bytes;
    const double encoding = 2 * kept_bytes(training, sample_bytes({.code = code}, base, settings), chunk_bytes(base)) +
                            encoding_bytes(cost, base, 1, settings.execution) + 2 * codes;
    Estimate& sizes = build.sizes;
    sizes.memory_bytes = std::max(sizes.memory_bytes, sizes.search_bytes + std::max(training.bytes, encoding));
    sizes.output_bytes += codes + cost.model_bytes;
    sizes.search_bytes += codes + cost.held_bytes;
    build.train_operations += training.operations;
    build.work_operations += rows_of(base) * cost.operations;
}

// The vectors themselves, with the place of each where lists order them.
void add_rows(const VectorSource& base, RowFormat format, bool lists, Estimate& sizes) {
    const double ranges = format == RowFormat::sq8 ? 2 * sizeof(float) * columns_of(base) : 0;
    const double rows = rows_of(base) * static_cast<double>(row_bytes(format, base.columns)) + ranges;
    const double places = lists ? sizeof(std::uint32_t) * rows_of(base) : 0;
    sizes.output_bytes += rows;
    sizes.search_bytes += rows;
    sizes.memory_bytes =
        std::max(sizes.memory_bytes, kProgramBytes + sizes.search_bytes + places + 2 * chunk_bytes(base));
}

}  // namespace

std::size_t usual_learn_size(std::string_view text, std::size_t rows, std::size_t columns) {
    constexpr double kOperations = 6e12;  // about a minute on two cores
    constexpr double kBytes = 2e9;
    constexpr std::size_t kLeastPerWord = 64, kLeastPerCell = 40;
    const IndexSpec whole = parse_index_spec(text);
    const Spec& spec = whole.code;
    const auto fits = [&](std::size_t vectors) {
        const TrainingCost cost = training_cost(spec, {static_cast<double>(vectors), static_cast<double>(columns)});
        return cost.operations <= kOperations && cost.bytes <= kBytes;
    };
    const std::size_t cells = whole.cells ? cell_words(*whole.cells) : 0;
    const auto held = static_cast<std::size_t>(kBytes / (3 * sizeof(float) * static_cast<double>(columns)));
    const std::size_t for_cells = std::min(kLeastPerCell * cells, std::max(cells, held));
    std::size_t enough = std::min(rows, std::max(kLeastPerWord * spec.words(), for_cells)), above = rows + 1;
    while (above - enough > 1) {
        const std::size_t middle = enough + (above - enough) / 2;
        (fits(middle) ? enough : above) = middle;
    }
    return enough;
}

Estimate estimate_train(const VectorSource& learn, std::string_view text, const BuildSettings& settings) {
    const IndexSpec spec = spec_of(text, settings);
    const TrainingCost training = training_of(spec, learn, settings);
    Estimate estimate{.spec = to_string(spec), .memory_bytes = training.bytes};
    estimate.output_bytes = encoding_cost(spec.code, columns_of(learn)).model_bytes;
    if (spec.cells) estimate.output_bytes += cell_bytes(*spec.cells, columns_of(learn));
    return with_seconds(estimate, training.operations, 0, measured_speed(settings.execution));
}

Estimate estimate_encode(const VectorSource& base, const Quantizer& model, const Execution& execution) {
    const EncodingCost cost = encoding_cost(model);
    const double codes = rows_of(base) * cost.code_bytes;
    const Estimate estimate{.memory_bytes = encoding_bytes(cost, base, 0, execution) + codes, .output_bytes = codes};
    return with_seconds(estimate, 0, rows_of(base) * cost.operations, measured_speed(execution));
}

Estimate estimate_build(const VectorSource& base, std::string_view text, const BuildSettings& settings) {
    const IndexSpec spec = spec_of(chosen_spec(base, text, settings), settings);
    BuildEstimate build = first_layer(base, spec, settings);
    if (spec.refine && spec.refine->code) add_second_layer(base, *spec.refine->code, settings, build);
    if (spec.refine && spec.refine->rows) add_rows(base, *spec.refine->rows, spec.cells.has_value(), build.sizes);
    return with_seconds(build.sizes, build.train_operations, build.work_operations, measured_speed(settings.execution));
}

Estimate estimate_exact(const VectorSource& base, const VectorSource& queries, std::size_t k,
                        const Execution& execution) {
    const double floats = static_cast<double>(std::min(chunk_rows(base), base.rows) + queries.rows) * columns_of(base);
    const double answers = rows_of(queries) * static_cast<double>(k);
    return {
        .memory_bytes = kProgramBytes + sizeof(float) * floats + 3 * answers * (sizeof(float) + sizeof(std::int64_t)),
        .output_bytes = answers * sizeof(std::int32_t),
        .work_seconds =
            2.0 * rows_of(base) * rows_of(queries) * columns_of(base) / (kEfficiency * measured_speed(execution))};
}

}  // namespace summand
