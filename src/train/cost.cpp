#include "train/cost.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "model/beam_encoder.h"
#include "model/effort.h"
#include "summand/recipe.h"
#include "train/cells.h"
#include "train/registry.h"
#include "train/spec_trainers.h"

namespace summand {
namespace {

// A training: its spec and the sizes N, D, M, K that its formulas are made of.
struct Work {
    const Spec& spec;
    double N, D, M, K;

    double words() const { return M * K; }
    Work of(double vectors) const { return {spec, std::min(N, vectors), D, M, K}; }
    Work within(double dimensions) const { return {spec, N, std::min(D, dimensions), M, K}; }

    std::string option(const std::string& name, const std::string& otherwise) const {
        const auto written = spec.options.find(name);
        return written == spec.options.end() ? otherwise : written->second;
    }
    // As written, or as the list of methods shows it.
    double iterations() const {
        constexpr std::string_view kKey = "iterations=";
        std::string shown;
        for (const std::string_view known : method_row(spec.method).info.options)
            if (known.starts_with(kKey)) shown = known.substr(kKey.size());
        return iterations(std::atof(shown.c_str()));
    }
    double iterations(double usual) const { return std::atof(option("iterations", std::to_string(usual)).c_str()); }
};

// ITQ has a dictionary for eight of its bits; a float that CQc counts takes the place of some, and a byte with CQ's
// bias is one more.
double dictionaries_of(const Spec& spec) {
    if (spec.method == "ITQ") return static_cast<double>((spec.dictionaries + 7) / 8);
    if (spec.method == "CQc")
        return static_cast<double>(spec.dictionaries) - static_cast<double>(codes_of_float(spec.words()));
    const auto bias = spec.options.find("bias");
    const bool byte = spec.method == "CQ" && bias != spec.options.end() && bias->second == "byte";
    return static_cast<double>(spec.dictionaries + (byte ? 1 : 0));
}

Work work_of(const Spec& spec, const Sizes& sizes) {
    return {spec, sizes.vectors, sizes.dimensions, dictionaries_of(spec), static_cast<double>(spec.words())};
}

// --- what trainings are made of ---------------------------------------------------------------------------------

// Every vector with the words of one block, or with all dense words.
double block_products(const Work& w) { return 2 * w.N * w.D * w.K; }
double dense_products(const Work& w) { return w.M * block_products(w); }

// One sweep of the composite encoder: rows of 16-bit inner products are added, M for each of M words.
double sweep(const Work& w) { return w.N * w.words() * (w.M + 8); }

// Value and gradient of the composite objective: 2M + 6 operations for each value, at the speed of memory.
double gradient(const Work& w) { return 32 * w.N * w.D * (w.M + 3); }

// One step of Cartesian k-means: a rotation, codes, a singular value decomposition.
double rotated_step(const Work& w) { return 2 * w.N * w.D * w.D + block_products(w) + 60 * w.D * w.D * w.D; }

// 2,048 vectors compared with at most 100,000.
double near_pairs(const Work& w) { return 2 * 2048 * w.of(100'000).N * w.D; }

// Cartesian k-means, its two starts tried for 8 steps each.
double rotated_training(double iterations, const Work& w) {
    return (iterations + 16) * rotated_step(w) + near_pairs(w);
}

// Cartesian k-means on a sample; where there are more dimensions, within the subspace that it takes place in.
double composite_start(const Work& w) {
    const Work sample = w.of(64 * w.K), inner = sample.within(256);
    const double subspace = inner.D < w.D ? 4 * sample.N * w.D * w.D + 20 * w.D * w.D * w.D : 0;
    return 27 * rotated_step(inner) + subspace;
}

// Products, 4 sweeps, normal equations of all words in double.
double unconstrained_step(const Work& w) {
    return dense_products(w) + 4 * sweep(w) + 2 * w.words() * w.words() * (w.words() / 3 + 2 * w.D);
}

// Codes and 26 evaluations, or with free offsets 6, and a factor of the pairs of words as well.
double penalised_step(const Work& w, bool free_offsets) {
    const double cube = w.words() * w.words() * w.words();
    return dense_products(w) + sweep(w) + (free_offsets ? 6 * gradient(w) + cube / 3 : 26 * gradient(w));
}

// The vectors so many times, and what all but PQ look at: 50 near neighbours of 2,048 vectors.
double held_bytes(const Work& w, double copies) { return copies * w.N * w.D * sizeof(float); }
double shared_bytes(const Work& w) { return 3 * 2048 * 50 * w.D * sizeof(float) + 4 * w.D * w.D * sizeof(float); }

// The vectors five times, products of queries with vectors and sums, partial gradients in float and double, pairs of
// words in 16 bits.
double composite_bytes(const Work& w) {
    const double judged = 2 * 256 * w.of(1 << 17).N * sizeof(float);
    return held_bytes(w, 5) + judged + w.words() * w.D * (16 * sizeof(float) + 20 * sizeof(double)) + shared_bytes(w) +
           2 * w.words() * w.words();
}

// --- methods -----------------------------------------------------------------------------------------------------

TrainingCost pq_cost(const Work& w) {
    return {w.iterations() * block_products(w), held_bytes(w, 3) + 4 * w.words() * w.D * sizeof(float)};
}

double rotated_bytes(const Work& w) { return held_bytes(w, 4) + 4 * w.words() * w.D * sizeof(float) + shared_bytes(w); }

TrainingCost opq_cost(const Work& w) { return {rotated_training(w.iterations(), w), rotated_bytes(w)}; }

TrainingCost itq_cost(const Work& w) { return {w.iterations() * rotated_step(w), rotated_bytes(w)}; }

TrainingCost otq_cost(const Work& w) {
    return {12 * rotated_step(w) + w.iterations() * (rotated_step(w) + 2 * w.N * w.words() * w.K), composite_bytes(w)};
}

// CQ and its kin, and the additive methods, which cost about the same.
TrainingCost unconstrained_cost(const Work& w) {
    const double weighed = w.option("anisotropy", "1") == "1" ? 0 : penalised_step(w, true);
    const double start = w.option("start", "auto") == "opq" ? composite_start(w) : 12 * block_products(w.of(64 * w.K));
    return {start + w.iterations() * (unconstrained_step(w) + weighed),
            composite_bytes(w) + 2 * sizeof(double) * w.words() * w.words()};
}

TrainingCost augmented_cost(const Work& w) {
    return {composite_start(w) + w.iterations() * unconstrained_step(w),
            composite_bytes(w) + 2 * sizeof(double) * w.words() * w.words()};
}

// 7 evaluations, each with the products of all pairs of words, twice.
TrainingCost ocq_cost(const Work& w) {
    const double step = dense_products(w) + sweep(w) + 7 * (gradient(w) + 4 * w.words() * w.words() * w.D);
    return {rotated_training(4 * w.iterations(), w) + w.iterations() * (step + 5 * rotated_step(w)),
            composite_bytes(w)};
}

// Two starts, each tried for some iterations on the sample; few vectors learn once more from all, and try weights.
double trials(const Work& w, const Recipe& recipe, bool free_offsets) {
    const Work sample = w.of(static_cast<double>(
        std::max(recipe.split.smallest_sample, recipe.split.sample_per_word * static_cast<std::size_t>(w.K))));
    const double tried = recipe.start.trial_iterations;
    double operations = 0;
    if (w.option("start", "auto") == "auto")
        operations += 2 * (composite_start(w) + tried * penalised_step(sample.within(256), free_offsets));
    if (w.N < recipe.anchor.few * w.words())
        operations += composite_start(w) +
                      tried * static_cast<double>(recipe.anchor.weights.size()) * penalised_step(w, free_offsets);
    return operations;
}

TrainingCost penalised_cost(const Work& w, Constraint constraint) {
    const Recipe recipe = default_recipe(constraint, w.spec.dictionaries);
    const bool free_offsets = constraint == Constraint::learnt_offsets;
    const double iterations = w.iterations(recipe.iterations);
    const double all =
        w.option("mu", "auto") == "validate" ? 1 + static_cast<double>(recipe.penalty.validated.size()) : 1;
    return {composite_start(w) + near_pairs(w) + all * iterations * penalised_step(w, free_offsets) +
                trials(w, recipe, free_offsets),
            composite_bytes(w)};
}

TrainingCost nocq_cost(const Work& w) { return penalised_cost(w, Constraint::near_orthogonal); }
TrainingCost locq_cost(const Work& w) { return penalised_cost(w, Constraint::learnt_offsets); }

constexpr struct {
    std::string_view method;
    TrainingCost (*cost)(const Work&);
} kCosts[] = {
    {"PQ", pq_cost},
    {"OPQ", opq_cost},
    {"CQ", unconstrained_cost},
    {"OCQ", ocq_cost},
    {"NOCQ", nocq_cost},
    {"LOCQ", locq_cost},
    {"CQe", unconstrained_cost},
    {"CQd", unconstrained_cost},
    {"CQc", unconstrained_cost},
    {"QAV", augmented_cost},
    {"UB", nocq_cost},
    {"SNOCQ", nocq_cost},
    {"RQ", unconstrained_cost},
    {"AQ", unconstrained_cost},
    {"AQe", unconstrained_cost},
    {"OTQ", otq_cost},
    {"ITQ", itq_cost},
};

// --- encoding ----------------------------------------------------------------------------------------------------

struct CodeShape {
    double D, M, K;
    bool blocks, rotated;
    CodeSearch search;
    Effort effort;
    double code_bytes;
};

// A perturbation visits all dictionaries about once; a vector that no visit changes any more rests.
double sweeps(Effort effort, double dictionaries) {
    const LocalSearch search = local_search(effort, static_cast<std::size_t>(dictionaries));
    return search.sweeps + search.perturbations;
}

// Every partial code of the beam is extended by every word of the dictionaries that are open to it.
double beam_steps(const CodeShape& s) {
    const double width = static_cast<double>(beam_width(s.effort));
    const double open = s.search == CodeSearch::beam ? (s.M + 1) / 2 : 1;
    return width * s.M * s.K * (open + s.M);
}

EncodingCost cost_of(const CodeShape& s) {
    EncodingCost cost{.code_bytes = s.code_bytes};
    const double words = s.M * s.K;
    if (s.rotated) cost.operations += 2 * s.D * s.D;
    cost.operations += 2 * s.D * (s.blocks ? s.K : words);
    const double beside = words + (s.rotated ? s.D * s.D : 0) + s.D;
    cost.model_bytes = sizeof(float) * (s.K * s.D * (s.blocks ? 1 : s.M) + beside);
    cost.held_bytes = sizeof(float) * (words * s.D + beside);
    if (s.blocks) return cost;
    switch (s.search) {
        case CodeSearch::modes:
            cost.operations += sweeps(s.effort, s.M) * words * (s.M + 8);
            cost.table_bytes = 2 * words * words;
            break;
        case CodeSearch::beam:
        case CodeSearch::residual:
            cost.operations += beam_steps(s);
            cost.table_bytes = sizeof(float) * words * words;
            break;
        case CodeSearch::tree:
            cost.operations += 2 * words * s.K;
            cost.table_bytes = sizeof(float) * words * s.K;
    }
    return cost;
}

bool has_blocks(std::string_view method) {
    return method == "PQ" || method == "OPQ" || method == "OCQ" || method == "ITQ";
}
bool rotates(std::string_view method) { return method != "PQ" && (has_blocks(method) || method == "OTQ"); }

CodeSearch search_of(std::string_view method) {
    if (method == "RQ") return CodeSearch::residual;
    if (method == "AQ" || method == "AQe") return CodeSearch::beam;
    return method == "OTQ" ? CodeSearch::tree : CodeSearch::modes;
}

double code_bytes_of(const Work& w) {
    const bool stored = w.spec.method == "CQc" || (w.spec.method == "CQ" && w.option("bias", "float") == "float");
    return std::ceil((w.spec.bits <= 4 ? 0.5 : 1) * w.M) + (stored ? sizeof(float) : 0);
}

}  // namespace

TrainingCost training_cost(const Spec& spec, const Sizes& sizes) {
    const auto row = std::find_if(std::begin(kCosts), std::end(kCosts),
                                  [&](const auto& known) { return known.method == spec.method; });
    return row == std::end(kCosts) ? TrainingCost() : row->cost(work_of(spec, sizes));
}

EncodingCost encoding_cost(const Spec& spec, double dimensions) {
    const Work w = work_of(spec, {1, dimensions});
    return cost_of({.D = dimensions,
                    .M = w.M,
                    .K = w.K,
                    .blocks = has_blocks(spec.method),
                    .rotated = rotates(spec.method),
                    .search = search_of(spec.method),
                    .effort = parse_effort(w.option("effort", std::string(name(Effort::standard)))),
                    .code_bytes = code_bytes_of(w)});
}

EncodingCost encoding_cost(const Quantizer& model) {
    return cost_of({.D = static_cast<double>(model.dimensions()),
                    .M = static_cast<double>(model.dictionaries.count),
                    .K = static_cast<double>(model.dictionaries.words),
                    .blocks = model.dictionaries.blocks(),
                    .rotated = !model.rotation.empty(),
                    .search = model.encoder.search,
                    .effort = model.encoder.effort,
                    .code_bytes = static_cast<double>(model.code_bytes())});
}

std::size_t cell_words(const Spec& cells) { return cell_options(cells).words; }

TrainingCost cell_training_cost(const Spec& cells, const Sizes& sizes) {
    const double steps = cell_options(cells).iterations + 1;
    return {steps * sizes.vectors * assignment_operations(cells, sizes.dimensions),
            2 * sizes.vectors * sizes.dimensions * sizeof(float) + 2 * cell_bytes(cells, sizes.dimensions)};
}

double assignment_operations(const Spec& cells, double dimensions) {
    const CellOptions options = cell_options(cells);
    const auto words = static_cast<double>(options.words);
    if (options.groups > 0) {
        const auto groups = static_cast<double>(options.groups);
        return 2 * dimensions * (groups + 8 * words / groups);
    }
    return 2 * dimensions * words * (options.dictionaries == 2 && options.coarse == "NOCQ" ? 2 : 1);
}

double cell_bytes(const Spec& cells, double dimensions) {
    const CellOptions options = cell_options(cells);
    return sizeof(float) * static_cast<double>(options.dictionaries * options.words) * (dimensions + 1);
}

double cell_table_bytes(const Spec& cells, const Spec& code) {
    const CellOptions options = cell_options(cells);
    if (options.coding == Coding::plain) return 0;
    const double slots = std::ceil(static_cast<double>(code.words()) / 16) * 16;
    return sizeof(float) * static_cast<double>(options.dictionaries * options.words) * dictionaries_of(code) * slots;
}

bool makes_checkpoints(const Spec& spec) { return method_row(spec.method).info.resumable; }

}  // namespace summand
