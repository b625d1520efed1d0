// Building, and what is asked before: estimates and proposals.
#pragma once

#include <nanobind/nanobind.h>

namespace summand::python {

void bind_builds(nanobind::module_& m);

}  // namespace summand::python
