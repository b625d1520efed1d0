#include "train/work.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "math/products.h"
#include "train/registry.h"

namespace summand {

Work Work::of(double vectors) const { return {spec, std::min(N, vectors), D, M, K}; }
Work Work::within(double dimensions) const { return {spec, N, std::min(D, dimensions), M, K}; }

std::string Work::option(const std::string& name, const std::string& otherwise) const {
    const auto written = spec.options.find(name);
    return written == spec.options.end() ? otherwise : written->second;
}

double Work::iterations() const {
    constexpr std::string_view kKey = "iterations=";
    std::string shown;
    for (const std::string_view known : method_row(spec.method).info.options)
        if (known.starts_with(kKey)) shown = known.substr(kKey.size());
    return iterations(std::atof(shown.c_str()));
}

double Work::iterations(double usual) const { return std::atof(option("iterations", std::to_string(usual)).c_str()); }

double block_products(const Work& w) { return 2 * w.N * w.D * w.K; }

// Whole vectors multiply twice as fast as pieces of them.
double dense_products(const Work& w) { return w.M * block_products(w) / 2; }

// M rows of 16-bit inner products are added for each dictionary, from a table that grows with M² and leaves the caches.
double sweep(const Work& w) { return w.N * w.words() * (32 + w.M * w.M / 2); }

// Every partial code of the beam is extended by every word of the dictionaries that are open to it, and a row of inner
// products with all words is added: no matrix product, 18 times as slow.
double beam_search(const Work& w, double width, bool any_order) {
    const double open = any_order ? (w.M + 1) / 2 : 1;
    return 18 * w.N * width * w.words() * (open + w.M);
}

// The best word of one dictionary for each word of the next one.
double tree_search(const Work& w) { return 6 * w.N * w.words() * w.K; }

// 2M + 6 operations for each value, at the speed of memory.
double gradient(const Work& w) { return 32 * w.N * w.D * (w.M + 3); }

double normal_equations(const Work& w) { return 2 * w.pairs_of_words() * (w.words() / 3 + 2 * w.D); }

double rotated_step(const Work& w) { return 2 * w.N * w.D * w.D + block_products(w) + 30 * w.D * w.D * w.D; }

double rotated_training(double iterations, const Work& w) { return (iterations + 16) * rotated_step(w); }

double copies_bytes(const Work& w, double copies) { return copies * w.N * w.D * sizeof(float); }

double moved_operations(const Work& w) { return 500 * w.N * w.D; }

double word_bytes(const Work& w) { return w.words() * w.D * sizeof(float); }

// A singular value decomposition in double.
double rotation_bytes(const Work& w) { return 5 * sizeof(double) * w.D * w.D; }

// Pairs of words in 16 bits, and the words once more.
double modes_bytes(const Work& w) { return 2 * w.pairs_of_words() + word_bytes(w); }

// Three blocks of products of some rows with all words.
double thread_bytes(const Work& w) { return 3.0 * kRowBlock * sizeof(float) * w.words(); }

// Floats in 2 to 16 parts, their sum in double.
double sums_bytes(const Work& w) { return (std::clamp(w.N / 1024, 2.0, 16.0) + 2) * word_bytes(w); }

// Doubles of the solver: the place, the last one, the gradient twice, the direction, two for each correction; scales;
// three models in float.
double descent_bytes(const Work& w, const LbfgsRecipe& recipe) {
    const bool many = w.words() * w.D > static_cast<double>(recipe.many_variables);
    const double corrections = many ? recipe.few_corrections : recipe.corrections;
    return sums_bytes(w) + (2 * (5 + 2 * corrections + 1) + 3) * word_bytes(w);
}

// Residuals of all vectors, sums for the gradient and for the curvature, a factor of the pairs of words in float, and
// directions.
double newton_bytes(const Work& w) {
    return copies_bytes(w, 1) + 2 * sums_bytes(w) + sizeof(float) * w.pairs_of_words() + 10 * word_bytes(w);
}

// Counts of the pairs of words in float, and their matrix in double twice.
double normal_bytes(const Work& w) {
    return (sizeof(float) + 2 * sizeof(double)) * w.pairs_of_words() + 8 * word_bytes(w);
}

}  // namespace summand
