// Inverted indexes from their parts and back, for those that another library has made.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "calls.h"
#include "indexes.h"
#include "models.h"
#include "summand/error.h"

namespace summand::python {
namespace {

Partition cells_around(const Given<float, 2>& centres) {
    Partition cells;
    cells.dictionaries = {.count = 1, .words = centres.shape(0), .rows = matrix_of<float>(centres)};
    for (std::size_t c = 0; c < centres.shape(0); ++c) {
        double length = 0;
        for (const float value : cells.dictionaries.rows[c]) length += double{value} * value;
        cells.word_offsets.push_back(static_cast<float>(length));
    }
    return cells;
}

HeldIndex index_of_lists(const Quantizer& quantizer, const Given<float, 2>& centres,
                         const Given<std::uint32_t, 1>& cells, const Codes& codes, const Given<std::int64_t, 1>& ids,
                         bool residual, const std::string& metric) {
    InvertedModel model{cells_around(centres), quantizer, residual ? Coding::residual : Coding::plain,
                        parse_metric(metric)};
    CellCodes encoded{values_of<std::uint32_t, 1>(cells), codes};
    const std::vector<std::int64_t> names = values_of<std::int64_t, 1>(ids);
    return HeldIndex(call({}, [&](const Execution&) {
        InvertedBuilder builder(std::move(model));
        builder.add(encoded, names);
        return Index(std::move(builder).finish());
    }));
}

/// (model, centres, cells, codes, ids, whether codes are of residuals), in the order of the lists.
auto lists_of_index(const HeldIndex& index) {
    const std::shared_ptr<const Index> held = index.searched();
    require(held->inverted(), "lists: expected an index with cells, got ", held->spec());
    const InvertedModel& model = held->inverted()->model();
    const Dictionaries& centres = model.partition.dictionaries;
    require(centres.count == 1, "lists: expected cells with a centre each, got pairs of words: ", held->spec());
    auto [cells, codes] = call({}, [&](const Execution&) { return held->inverted()->codes(); });
    return std::tuple(model.quantizer, array_of(Matrix<float>(centres.rows)), array_of(std::move(cells)),
                      std::move(codes), array_of(held->inverted()->ids()), model.coding == Coding::residual);
}

}  // namespace

void bind_lists(nb::module_& m) {
    m.def("index_of_lists", &index_of_lists, nb::arg("model"), nb::arg("centres"), nb::arg("cells"), nb::arg("codes"),
          nb::arg("ids"), nb::arg("residual"), nb::arg("metric"));
    m.def("lists_of_index", &lists_of_index, nb::arg("index"));
}

}  // namespace summand::python
