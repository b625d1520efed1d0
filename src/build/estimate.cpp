// What work takes, from the costs of methods and the sizes of what is read, held and written.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/stopwatch.h"
#include "build/source.h"
#include "build/train_index.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "train/cost.h"

namespace summand {
namespace {

// All in all training and encoding reach this part of the speed of a matrix product.
constexpr double kEfficiency = 0.6;
constexpr double kProgramBytes = 40e6;  // code, threads and buffers of the matrix library

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
double measured_speed(const Execution& execution = {}) {
    const Matrix<float> base = scattered_vectors(8192, 256), queries = scattered_vectors(512, 256);
    double best = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {  // the first one starts the threads
        const Stopwatch watch;
        exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean, silent(execution));
        best =
            std::max(best, 2.0 * static_cast<double>(base.size() * queries.rows()) / std::max(watch.seconds(), 1e-6));
    }
    return best;
}

double rows_of(const VectorSource& source) { return static_cast<double>(source.rows); }
double columns_of(const VectorSource& source) { return static_cast<double>(source.columns); }

// Of one chunk: as it is read and as it is moved to the space of the words.
double chunk_bytes(const VectorSource& source) {
    const double rows = static_cast<double>(std::min(chunk_rows(source), source.rows));
    return 2 * sizeof(float) * rows * columns_of(source);
}

// Packed codes come in blocks of 512.
double packed_bytes(double vectors, double bytes) { return std::ceil(vectors / 512) * 512 * bytes; }

struct Held {
    double ids = 0, lists = 0, tables = 0;
};

// What cells add to an index in memory.
Held held_by_cells(const IndexSpec& spec, double vectors, Metric metric) {
    if (!spec.cells) return {};
    const auto words =
        static_cast<double>(spec.cells->method == "IMI" ? spec.cells->words() : spec.cells->dictionaries);
    const double cells = spec.cells->method == "IMI" ? words * words : words;
    return {.ids = sizeof(std::uint64_t) * vectors,
            .lists = sizeof(std::uint64_t) * cells,
            .tables = is_distance(metric) ? cell_table_bytes(*spec.cells, spec.code) : 0};
}

struct Parts {
    double train_bytes = 0, train_operations = 0;
};

Parts training_of(const IndexSpec& spec, const VectorSource& learn, const BuildSettings& settings) {
    const Sizes sizes{static_cast<double>(learn_count(spec, learn, settings)), columns_of(learn)};
    TrainingCost cost = training_cost(spec.code, sizes);
    const double sample = sizes.vectors * sizes.dimensions * sizeof(float);
    Parts parts{cost.bytes, cost.operations};
    if (spec.cells) {
        const TrainingCost cells = cell_training_cost(*spec.cells, sizes);
        parts.train_bytes = std::max(cost.bytes + sample + cell_bytes(*spec.cells, sizes.dimensions), cells.bytes);
        parts.train_operations +=
            cells.operations + sizes.vectors * assignment_operations(*spec.cells, sizes.dimensions);
    }
    parts.train_bytes += kProgramBytes;
    return parts;
}

Estimate with_seconds(Estimate estimate, double train_operations, double work_operations, double speed) {
    estimate.train_seconds = train_operations / (kEfficiency * speed);
    estimate.work_seconds = work_operations / (kEfficiency * speed);
    return estimate;
}

}  // namespace

std::size_t usual_learn_size(std::string_view text, std::size_t rows, std::size_t columns) {
    constexpr double kOperations = 8e12;  // a minute or two on two cores
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
    const Parts parts = training_of(spec, learn, settings);
    Estimate estimate{.spec = to_string(spec), .memory_bytes = parts.train_bytes};
    estimate.output_bytes = encoding_cost(spec.code, columns_of(learn)).model_bytes;
    if (spec.cells) estimate.output_bytes += cell_bytes(*spec.cells, columns_of(learn));
    return with_seconds(estimate, parts.train_operations, 0, measured_speed(settings.execution));
}

Estimate estimate_encode(const VectorSource& base, const Quantizer& model) {
    const EncodingCost cost = encoding_cost(model);
    const double codes = rows_of(base) * cost.code_bytes;
    const Estimate estimate{
        .memory_bytes = kProgramBytes + codes + chunk_bytes(base) + cost.table_bytes + 2 * cost.held_bytes,
        .output_bytes = codes};
    return with_seconds(estimate, 0, rows_of(base) * cost.operations, measured_speed());
}

Estimate estimate_build(const VectorSource& base, std::string_view text, const BuildSettings& settings) {
    const IndexSpec spec = spec_of(text, settings);
    const VectorSource& learn = settings.learn ? *settings.learn : base;
    const Parts training = training_of(spec, learn, settings);
    const EncodingCost code = encoding_cost(spec.code, columns_of(base));
    const Held held = held_by_cells(spec, rows_of(base), metric_of(settings));
    const double codes = packed_bytes(rows_of(base), code.code_bytes);
    const double first = codes + held.ids + held.lists + (spec.cells ? cell_bytes(*spec.cells, columns_of(base)) : 0);
    // Codes as they come and as they are packed exist at the same time, ids and cells too.
    const double encoding = kProgramBytes + chunk_bytes(base) + code.table_bytes + 2 * code.held_bytes + 2 * codes +
                            (spec.cells ? 2 * held.ids + held.lists + held.tables : 0);
    Estimate estimate{.spec = to_string(spec),
                      .memory_bytes = std::max(training.train_bytes, encoding),
                      .output_bytes = first + code.model_bytes,
                      .search_bytes = first + code.held_bytes + held.tables};
    double train = training.train_operations, work = rows_of(base) * code.operations;
    if (spec.cells) work += rows_of(base) * assignment_operations(*spec.cells, columns_of(base));
    if (spec.refine && spec.refine->code) {
        const IndexSpec second{.code = *spec.refine->code};
        const Parts again = training_of(second, base, settings);
        const EncodingCost more = encoding_cost(second.code, columns_of(base));
        const double rows = rows_of(base) * more.code_bytes;
        estimate.memory_bytes =
            std::max({estimate.memory_bytes, estimate.search_bytes + again.train_bytes,
                      estimate.search_bytes + kProgramBytes + 2 * chunk_bytes(base) + more.table_bytes + 2 * rows});
        estimate.output_bytes += rows + more.model_bytes;
        estimate.search_bytes += rows + more.held_bytes;
        train += again.train_operations;
        work += rows_of(base) * more.operations;
    }
    if (spec.refine && spec.refine->rows) {
        const double ranges = *spec.refine->rows == RowFormat::sq8 ? 2 * sizeof(float) * columns_of(base) : 0;
        const double rows = rows_of(base) * static_cast<double>(row_bytes(*spec.refine->rows, base.columns)) + ranges;
        const double places = spec.cells ? sizeof(std::uint32_t) * rows_of(base) : 0;
        estimate.output_bytes += rows;
        estimate.search_bytes += rows;
        estimate.memory_bytes =
            std::max(estimate.memory_bytes, kProgramBytes + estimate.search_bytes + places + 2 * chunk_bytes(base));
    }
    return with_seconds(estimate, train, work, measured_speed(settings.execution));
}

Estimate estimate_exact(const VectorSource& base, const VectorSource& queries, std::size_t k) {
    const double floats = static_cast<double>(std::min(chunk_rows(base), base.rows) + queries.rows) * columns_of(base);
    const double answers = rows_of(queries) * static_cast<double>(k);
    return {
        .memory_bytes = kProgramBytes + sizeof(float) * floats + 3 * answers * (sizeof(float) + sizeof(std::int64_t)),
        .output_bytes = answers * sizeof(std::int32_t),
        .work_seconds = 2.0 * rows_of(base) * rows_of(queries) * columns_of(base) / measured_speed()};
}

}  // namespace summand
