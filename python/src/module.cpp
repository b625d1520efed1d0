// The module summand._core: what the package in python/summand is made of. Its names are the package's own affair.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "builds.h"
#include "indexes.h"
#include "models.h"
#include "summand/device.h"
#include "summand/error.h"
#include "summand/text.h"
#include "vectors.h"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    using namespace summand;
    nb::exception<Error>(m, "Error", PyExc_ValueError);
    nb::exception<Cancelled>(m, "Cancelled", m.attr("Error").ptr());
    m.def("version", [] { return std::string(version()); });
    m.def("kernel_level", [] { return std::string(kernel_level()); });
    m.def("default_threads", &default_threads);
    m.def("blas_library", &blas_library);
    m.def("bytes_text", &bytes_text, nb::arg("bytes"));
    m.def("parse_bytes", &parse_bytes, nb::arg("text"));
    python::bind_vectors(m);
    python::bind_indexes(m);
    python::bind_living_indexes(m);
    python::bind_builds(m);
    python::bind_models(m);
}
