// What cells cost, by the same measure as methods (cost.h).
#pragma once

#include <cstddef>

#include "train/cost.h"

namespace summand {

/// Words that cells are made of, in one dictionary; the cells themselves.
std::size_t cell_words(const Spec& cells);
double cell_count(const Spec& cells);

/// Learning cells from as many vectors, and finding the cell of one.
TrainingCost cell_training_cost(const Spec& cells, const Sizes& sizes);
double assignment_operations(const Spec& cells, double dimensions);

/// What the cells themselves and, for distances of residuals, their tables hold when an index is searched.
double cell_bytes(const Spec& cells, double dimensions);
double cell_table_bytes(const Spec& cells, const Spec& code);

}  // namespace summand
