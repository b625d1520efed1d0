#include "train/cell_cost.h"

#include <algorithm>
#include <cmath>

#include "summand/dictionaries.h"
#include "train/cells.h"
#include "train/registry.h"

namespace summand {
namespace {

// The words of pairs that are no PQ begin with a rotation, which is learnt with words of one byte.
TrainingCost rotation_cost(const CellOptions& options, const Sizes& sizes) {
    if (options.dictionaries == 1 || options.coarse == "PQ") return {};
    return training_cost({.method = options.words <= kMaxWords ? options.coarse : "OPQ", .dictionaries = 2}, sizes);
}

}  // namespace

std::size_t cell_words(const Spec& cells) { return cell_options(cells).words; }

double cell_count(const Spec& cells) {
    const CellOptions options = cell_options(cells);
    return std::pow(static_cast<double>(options.words), static_cast<double>(options.dictionaries));
}

// Halves of the vectors, or their words, are learnt beside vectors that are scaled and may be rotated.
TrainingCost cell_training_cost(const Spec& cells, const Sizes& sizes) {
    const CellOptions options = cell_options(cells);
    const double steps = options.iterations + 1, copy = sizes.vectors * sizes.dimensions * sizeof(float);
    const TrainingCost rotation = rotation_cost(options, sizes);
    const double copies = options.dictionaries == 2 || options.groups > 0 ? 2.5 : 2;
    return {rotation.operations + steps * sizes.vectors * assignment_operations(cells, sizes.dimensions),
            std::max(copies * copy, rotation.bytes + copy) + 2 * cell_bytes(cells, sizes.dimensions)};
}

// Whole vectors multiply twice as fast as pieces of them (work.cpp).
double assignment_operations(const Spec& cells, double dimensions) {
    const CellOptions options = cell_options(cells);
    const auto words = static_cast<double>(options.words);
    if (options.groups > 0) {
        const auto groups = static_cast<double>(options.groups);
        return dimensions * (groups + 8 * words / groups);
    }
    return dimensions * words * (options.dictionaries == 2 && options.coarse == "NOCQ" ? 2 : 1);
}

double cell_bytes(const Spec& cells, double dimensions) {
    const CellOptions options = cell_options(cells);
    return sizeof(float) * static_cast<double>(options.dictionaries * options.words) * (dimensions + 1);
}

double cell_table_bytes(const Spec& cells, const Spec& code) {
    const CellOptions options = cell_options(cells);
    if (options.coding == Coding::plain) return 0;
    const CodeShape shape = method_row(code.method).codes(code);
    const double slots = std::ceil(static_cast<double>(shape.words) / 16) * 16;
    return sizeof(float) * static_cast<double>(options.dictionaries * options.words * shape.dictionaries) * slots;
}

}  // namespace summand
