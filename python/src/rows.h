// Rows of a table, as Python keeps them: cells, codes and biases in arrays.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.h"
#include "summand/inverted_index.h"

namespace summand::python {

/// Cells where there are any, codes, biases where the model stores them.
using Rows = std::tuple<std::optional<Array<std::uint32_t, 1>>, Array<std::uint8_t, 2>, std::optional<Array<float, 1>>>;

Rows rows_of(CellCodes coded);

/// In sixteen digits.
std::string identity_text(std::uint64_t identity);

}  // namespace summand::python
