// Exact neighbours, recall, the methods there are, and files of vectors and ids.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "calls.h"
#include "models.h"
#include "summand/build.h"
#include "summand/describe.h"
#include "summand/evaluate.h"
#include "summand/io.h"
#include "summand/train.h"
#include "vectors.h"

namespace summand::python {
namespace {

using IdRows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

MatrixView<std::int64_t> view_of_ids(const IdRows& ids) { return {ids.data(), ids.shape(0), ids.shape(1)}; }

Neighbors neighbors_of(const IdRows& ids) {
    Neighbors found;
    found.ids = Matrix<std::int64_t>(ids.shape(0), ids.shape(1), {ids.data(), ids.data() + ids.size()});
    found.scores = Matrix<float>(ids.shape(0), ids.shape(1));
    return found;
}

using MethodNames = std::tuple<std::string, std::string, std::vector<std::string>, bool>;

std::vector<MethodNames> list_methods() {
    std::vector<MethodNames> result;
    for (const MethodInfo& method : methods())
        result.emplace_back(method.name, method.summary,
                            std::vector<std::string>(method.options.begin(), method.options.end()), method.resumable);
    return result;
}

}  // namespace

void bind_measures(nb::module_& m) {
    m.def(
        "exact_neighbors",
        [](const Vectors& base, const Vectors& queries, std::size_t k, const std::string& metric, unsigned threads,
           nb::object progress) {
            const Metric parsed = parse_metric(metric);
            Neighbors found = call({threads, std::move(progress)}, [&](const Execution& execution) {
                return exact_neighbors(base.source(), queries.source(), k, parsed, execution);
            });
            return std::tuple(array_of(std::move(found.ids)), array_of(std::move(found.scores)));
        },
        nb::arg("base"), nb::arg("queries"), nb::arg("k"), nb::arg("metric"), nb::arg("threads"),
        nb::arg("progress").none());
    m.def(
        "recall",
        [](const IdRows& found, const IdRows& truth, std::size_t answers, std::size_t truths) {
            return recall(neighbors_of(found), view_of_ids(truth), answers, truths);
        },
        nb::arg("found"), nb::arg("truth"), nb::arg("answers"), nb::arg("truths"));
    m.def(
        "mean_average_precision",
        [](const IdRows& found, const IdRows& truth, std::size_t relevant) {
            return mean_average_precision(neighbors_of(found), view_of_ids(truth), relevant);
        },
        nb::arg("found"), nb::arg("truth"), nb::arg("relevant"));
    m.def(
        "distortion",
        [](const Quantizer& model, const Vectors& vectors, const Codes& codes, unsigned threads) {
            return call({.threads = threads}, [&](const Execution& execution) {
                return distortion(model, vectors.floats(execution).view(), codes, execution);
            });
        },
        nb::arg("model"), nb::arg("vectors"), nb::arg("codes"), nb::arg("threads"));
    m.def("methods", &list_methods);
    m.def(
        "describe_file", [](const std::string& path) { return describe_file(path); }, nb::arg("path"));
    m.def(
        "read_ids", [](const std::string& path) { return array_of(read_ids(path)); }, nb::arg("path"));
    m.def(
        "write_ids", [](const std::string& path, const IdRows& ids) { write_ids(path, view_of_ids(ids)); },
        nb::arg("path"), nb::arg("ids"));
    m.def(
        "write_vectors",
        [](const std::string& path, const Vectors& vectors) {
            call({}, [&](const Execution& execution) {
                write_vectors(path, vectors.floats(execution).view());
                return true;
            });
        },
        nb::arg("path"), nb::arg("vectors"));
}

}  // namespace summand::python
