// Models for those who keep codes as rows of a table: summand.lake and summand.spark.
#include "summand/row_model.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.h"
#include "calls.h"
#include "indexes.h"
#include "rows.h"
#include "summand/build.h"
#include "summand/error.h"
#include "summand/io.h"
#include "vectors.h"

namespace summand::python {
namespace {

using State = std::tuple<nb::bytes, std::string, std::uint64_t>;  // the file, metric and seed

std::optional<Metric> metric_of(const std::optional<std::string>& text) {
    return text ? std::optional(parse_metric(*text)) : std::nullopt;
}

RowModel from_bytes(const nb::bytes& bytes, const std::optional<std::string>& metric, std::uint64_t seed) {
    const std::span<const std::byte> given(static_cast<const std::byte*>(bytes.data()), bytes.size());
    return RowModel::from_bytes(given, metric_of(metric), seed);
}

nb::bytes to_bytes(const RowModel& self) {
    const std::vector<std::byte> bytes = self.to_bytes();
    return nb::bytes(bytes.data(), bytes.size());
}

RowModel train_rows(const Vectors& vectors, const std::string& spec, const std::optional<std::string>& metric,
                    std::uint64_t seed, std::size_t learn_size, unsigned threads, nb::object progress) {
    BuildSettings settings{.metric = metric_of(metric), .seed = seed, .learn_size = learn_size};
    return call({threads, std::move(progress)}, [&](const Execution& execution) {
        settings.execution = execution;
        return RowModel(train_index(vectors.source(), spec, settings), settings.metric, seed);
    });
}

HeldIndex index_of(const RowModel& self, const std::optional<Given<std::uint32_t, 1>>& cells,
                   const Given<std::uint8_t, 2>& codes, const std::optional<Given<float, 1>>& bias) {
    CellCodes rows;
    rows.codes = {Matrix<std::uint8_t>(codes.shape(0), codes.shape(1), {codes.data(), codes.data() + codes.size()}),
                  {},
                  identity(self.model().quantizer())};
    if (cells) rows.cells.assign(cells->data(), cells->data() + cells->size());
    if (bias) rows.codes.bias.assign(bias->data(), bias->data() + bias->size());
    return HeldIndex(call({}, [&](const Execution&) { return self.index_of(std::move(rows)); }));
}

std::tuple<Array<std::int64_t, 1>, Array<std::uint32_t, 1>> visited(const RowModel& self, const Vectors& queries,
                                                                    std::size_t probes, float reach, unsigned threads) {
    const auto found = call({.threads = threads}, [&](const Execution& execution) {
        return self.visited(queries.floats(execution).view(), {.probes = probes, .reach = reach}, execution);
    });
    std::vector<std::int64_t> begin{0};
    std::vector<std::uint32_t> cells;
    for (const std::vector<std::uint32_t>& own : found) {
        cells.insert(cells.end(), own.begin(), own.end());
        begin.push_back(static_cast<std::int64_t>(cells.size()));
    }
    return {array_of(std::move(begin)), array_of(std::move(cells))};
}

}  // namespace

Rows rows_of(CellCodes coded) {
    Rows rows{std::nullopt, array_of(std::move(coded.codes.rows)), std::nullopt};
    if (!coded.cells.empty()) std::get<0>(rows) = array_of(std::move(coded.cells));
    if (!coded.codes.bias.empty()) std::get<2>(rows) = array_of(std::move(coded.codes.bias));
    return rows;
}

void bind_row_models(nb::module_& m) {
    nb::class_<RowModel>(m, "RowModel", "A model for those who keep codes as rows of a table.")
        .def_static("train", &train_rows, nb::arg("vectors"), nb::arg("spec"), nb::arg("metric").none(),
                    nb::arg("seed"), nb::arg("learn_size"), nb::arg("threads"), nb::arg("progress").none())
        .def_static("from_bytes", &from_bytes, nb::arg("bytes"), nb::arg("metric").none(), nb::arg("seed"))
        .def("to_bytes", &to_bytes)
        .def(
            "save", [](const RowModel& self, const std::string& path) { save(path, self.model()); }, nb::arg("path"))
        .def(
            "encode",
            [](const RowModel& self, const Vectors& vectors, unsigned threads) {
                return rows_of(call({.threads = threads}, [&](const Execution& execution) {
                    return self.encode(vectors.floats(execution).view(), execution);
                }));
            },
            nb::arg("vectors"), nb::arg("threads"))
        .def("index_of", &index_of, nb::arg("cells").none(), nb::arg("codes"), nb::arg("bias").none())
        .def("visited", &visited, nb::arg("queries"), nb::arg("probes"), nb::arg("reach"), nb::arg("threads"))
        .def_prop_ro("identity", [](const RowModel& self) { return identity_text(self.identity()); })
        .def_prop_ro("metric", [](const RowModel& self) { return std::string(name(self.metric())); })
        .def_prop_ro("seed", &RowModel::seed)
        .def_prop_ro("spec", &RowModel::spec)
        .def_prop_ro("dimensions", [](const RowModel& self) { return self.model().dimensions(); })
        .def_prop_ro("code_bytes", [](const RowModel& self) { return self.model().quantizer().dictionaries.count; })
        .def_prop_ro(
            "cells",
            [](const RowModel& self) { return self.model().cells() ? self.model().cells()->cells() : std::size_t{0}; })
        .def_prop_ro("stores_bias", [](const RowModel& self) { return self.model().quantizer().bias == Bias::stored; })
        .def("__getstate__",
             [](const RowModel& self) { return State(to_bytes(self), name(self.metric()), self.seed()); })
        .def("__setstate__", [](RowModel& self, const State& state) {
            new (&self) RowModel(from_bytes(std::get<0>(state), std::get<1>(state), std::get<2>(state)));
        });
    m.def(
        "exact_scores",
        [](const std::string& metric, const Vectors& query, const Vectors& vectors) {
            require(query.rows() == 1, "rows: expected one query, got ", query.rows());
            return array_of(exact_scores(parse_metric(metric), query.floats().view()[0], vectors.floats().view()));
        },
        nb::arg("metric"), nb::arg("query"), nb::arg("vectors"));
    m.def("usual_learn_size", &usual_learn_size, nb::arg("spec"), nb::arg("rows"), nb::arg("columns"));
}

}  // namespace summand::python
