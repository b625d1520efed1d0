// The parts of which indexes are made, for those who want them: models, codes, tables, measures.
#pragma once

#include <nanobind/nanobind.h>

namespace summand::python {

void bind_models(nanobind::module_& m);
void bind_lists(nanobind::module_& m);
void bind_measures(nanobind::module_& m);
void bind_row_models(nanobind::module_& m);

}  // namespace summand::python
