#include "training_cost.h"

#include <algorithm>
#include <cstdlib>

namespace summand::cli {

std::string option(const Spec& spec, const std::string& name, const std::string& otherwise) {
    const auto written = spec.options.find(name);
    return written == spec.options.end() ? otherwise : written->second;
}

double dictionaries_of(const Spec& spec) {
    return static_cast<double>(spec.method == "ITQ" ? (spec.dictionaries + 7) / 8 : spec.dictionaries);
}

bool rotates(const Spec& spec) {
    return spec.method == "OPQ" || spec.method == "OCQ" || spec.method == "ITQ" || spec.method == "OTQ";
}

double block_products(const Sizes& s) { return 2 * s.N * s.D * s.K; }

double dense_products(const Sizes& s) { return s.M * block_products(s); }

double sweep(const Sizes& s) { return s.N * s.M * s.K * (s.M + 8); }

Sizes sizes_of(const Spec& spec, std::size_t vectors, std::size_t dimensions) {
    return {static_cast<double>(vectors), static_cast<double>(dimensions), dictionaries_of(spec),
            static_cast<double>(spec.words())};
}

namespace {

// As written, or as the list of methods shows it and docs/methods/locq.md has it for few dictionaries.
double iterations_of(const Spec& spec) {
    constexpr std::string_view kKey = "iterations=";
    std::string shown;
    for (const MethodInfo& method : methods())
        for (const std::string_view known : method.options)
            if (method.name == spec.method && known.starts_with(kKey)) shown = known.substr(kKey.size());
    if (spec.method == "LOCQ" && spec.dictionaries < 6) shown = "20";
    return std::atof(option(spec, "iterations", shown).c_str());
}

// Value and gradient of the composite objective: 2M + 6 operations for each value, at the speed of memory.
double gradient(const Sizes& s) { return 32 * s.N * s.D * (s.M + 3); }

// One step of Cartesian k-means: a rotation, codes, a singular value decomposition.
double rotated_step(const Sizes& s) { return 2 * s.N * s.D * s.D + block_products(s) + 60 * s.D * s.D * s.D; }

// 2,048 vectors compared with at most 100,000.
double near_pairs(const Sizes& s) { return 2 * 2048 * s.of(100'000).N * s.D; }

// Cartesian k-means, its two starts tried for 8 steps each.
double rotated_training(double iterations, const Sizes& s) {
    return (iterations + 16) * rotated_step(s) + near_pairs(s);
}

double block_training(const Spec& spec, const Sizes& s) {
    if (spec.method == "PQ") return iterations_of(spec) * block_products(s);
    return rotated_training(iterations_of(spec), s);
}

// Starts of the composite family and their trials see no more dimensions.
Sizes in_subspace(Sizes s) {
    s.D = std::min(s.D, 256.0);
    return s;
}

// Cartesian k-means; where there are more dimensions, the subspace that it takes place in.
double composite_start(const Sizes& s) {
    const Sizes sample = s.of(64 * s.K), inner = in_subspace(sample);
    const double subspace = inner.D < s.D ? 4 * sample.N * s.D * s.D + 20 * s.D * s.D * s.D : 0;
    return 27 * rotated_step(inner) + subspace;
}

// CQ: products, 4 sweeps, normal equations of all words in double.
double unconstrained_step(const Sizes& s) {
    const double words = s.M * s.K;
    return dense_products(s) + 4 * sweep(s) + 2 * words * words * (words / 3 + 2 * s.D);
}

// OCQ: 7 evaluations, each with the products of all pairs of words, twice.
double orthogonal_step(const Sizes& s) {
    return dense_products(s) + sweep(s) + 7 * (gradient(s) + 4 * s.M * s.K * s.M * s.K * s.D);
}

// NOCQ and LOCQ: codes and 26 evaluations, or 6 for LOCQ, which has a factor of the pairs of words as well.
double penalised_step(const Sizes& s, bool learnt) {
    const double words = s.M * s.K;
    return dense_products(s) + sweep(s) + (learnt ? 6 * gradient(s) + words * words * words / 3 : 26 * gradient(s));
}

double penalised_training(const Spec& spec, const Sizes& s) {
    const bool learnt = spec.method == "LOCQ";
    const std::string start = option(spec, "start", "auto");
    const Sizes sample = s.of(128 * s.K);  // of every trial
    const double iterations = iterations_of(spec), validations = option(spec, "mu", "auto") == "validate" ? 5 : 0;
    double operations = composite_start(s) + near_pairs(s) + iterations * penalised_step(s, learnt) +
                        validations * iterations * penalised_step(sample, learnt);
    if (learnt && (start == "auto" || start == "levels"))
        operations += composite_start(s) + 4 * unconstrained_step(sample);
    if (start == "auto")
        operations += 2 * composite_start(s) + (learnt ? 12 : 9) * penalised_step(in_subspace(sample), learnt);
    return operations;
}

// Methods that are trained by least squares for all words, or cost about that.
bool unconstrained(const Spec& spec) {
    constexpr std::string_view kMethods[] = {"CQ", "CQe", "CQd", "CQc", "QAV", "RQ", "AQ", "AQe"};
    return std::find(std::begin(kMethods), std::end(kMethods), spec.method) != std::end(kMethods);
}

}  // namespace

double training_operations(const Spec& spec, const Sizes& s) {
    if (spec.method == "PQ" || spec.method == "OPQ") return block_training(spec, s);
    if (spec.method == "ITQ") return iterations_of(spec) * rotated_step(s);
    if (spec.method == "OTQ")
        return 12 * rotated_step(s) + iterations_of(spec) * (rotated_step(s) + 2 * s.N * s.M * s.K * s.K);
    if (unconstrained(spec)) {
        const double weighed = option(spec, "anisotropy", "1") == "1" ? 0 : penalised_step(s, true);
        const bool rotated = spec.method == "QAV" || option(spec, "start", "auto") == "opq";
        const double start = rotated ? composite_start(s) : 12 * block_products(s.of(64 * s.K));
        return start + iterations_of(spec) * (unconstrained_step(s) + weighed);
    }
    if (spec.method == "OCQ")
        return rotated_training(4 * iterations_of(spec), s) +
               iterations_of(spec) * (orthogonal_step(s) + 5 * rotated_step(s));
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
    const double judged = 2 * 256 * s.of(1 << 17).N * sizeof(float);  // products of queries with vectors and sums
    return 5 * vectors + judged + model * (16 * sizeof(float) + 20 * sizeof(double)) + shared +
           words * words * (2 + (spec.method == "CQ" ? 2 * sizeof(double) : 0));
}

std::size_t learn_vectors(const LearnOptions& options, const VectorReader& learn) {
    if (options.learn_size > 0) return std::min(learn.rows(), options.learn_size);
    const Spec spec = parse_index_spec(options.spec).code;
    const auto fits = [&](std::size_t vectors) {
        const Sizes sizes = sizes_of(spec, vectors, learn.columns());
        return training_operations(spec, sizes) <= kLearnOperations && training_bytes(spec, sizes) <= kLearnBytes;
    };
    constexpr std::size_t kLeastPerWord = 64;
    std::size_t enough = std::min<std::size_t>(learn.rows(), kLeastPerWord * spec.words()), above = learn.rows() + 1;
    while (above - enough > 1) {
        const std::size_t middle = enough + (above - enough) / 2;
        (fits(middle) ? enough : above) = middle;
    }
    return enough;
}

}  // namespace summand::cli
