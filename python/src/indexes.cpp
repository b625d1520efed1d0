#include "indexes.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "arrays.h"
#include "calls.h"
#include "searches.h"
#include "summand/describe.h"
#include "summand/error.h"
#include "summand/evaluate.h"
#include "summand/roaring.h"
#include "summand/text.h"
#include "summand/tune.h"
#include "vectors.h"

namespace summand::python {
namespace {

using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IdRows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Names = nb::typed<nb::dict, nb::str, nb::any>;

nb::bytes bytes_of(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

nb::bytes to_bytes(const HeldIndex& self) {
    const std::shared_ptr<const Index> index = self.searched();
    return bytes_of(call({}, [&](const Execution&) { return index->to_bytes(); }));
}

HeldIndex from_bytes(const nb::bytes& bytes) {
    const std::span<const std::byte> given(static_cast<const std::byte*>(bytes.data()), bytes.size());
    return HeldIndex(call({}, [&](const Execution&) { return Index::from_bytes(given); }));
}

Names parameters_of(const SearchParameters& parameters) {
    Names result;
    if (parameters.probes > 0) result["probes"] = parameters.probes;
    if (parameters.reach > 0) result["reach"] = parameters.reach;
    if (parameters.candidates > 0) result["candidates"] = parameters.candidates;
    if (parameters.refine) result["refine"] = *parameters.refine;
    return result;
}

Names trial_of(const Trial& trial) {
    Names result;
    result["parameters"] = parameters_of(trial.parameters);
    result["cells"] = trial.cells;
    result["vectors"] = trial.vectors;
    result["cost"] = trial.cost;
    result["recall"] = trial.recall;
    result["seconds"] = trial.seconds;
    return result;
}

void set_defaults(const HeldIndex& self, const SearchParameters& defaults) {
    call({}, [&](const Execution&) {
        return self.change([&](Index& index) {
            index.set_defaults(defaults);
            return true;
        });
    });
}

std::span<const std::int64_t> span_of(const Ids& ids) { return {ids.data(), ids.size()}; }

std::int64_t add_without_ids(const HeldIndex& self, const Vectors& vectors, std::uint64_t seed, unsigned threads,
                             nb::object progress) {
    return call({threads, std::move(progress)}, [&](const Execution& execution) {
        return self.change(
            [&](Index& index) { return index.add(vectors.source(), {.seed = seed, .execution = execution}); });
    });
}

void add_with_ids(const HeldIndex& self, const Vectors& vectors, const Ids& ids, bool replace, std::uint64_t seed,
                  unsigned threads, nb::object progress) {
    const Duplicates duplicates = replace ? Duplicates::replace : Duplicates::refuse;
    call({threads, std::move(progress)}, [&](const Execution& execution) {
        return self.change([&](Index& index) {
            index.add(vectors.source(), span_of(ids), {duplicates, seed, execution});
            return true;
        });
    });
}

/// Of ids or of a filter.
template <class Which>
std::size_t remove(const HeldIndex& self, const Which& which) {
    return call({}, [&](const Execution&) {
        return self.change([&](Index& index) {
            if constexpr (std::is_same_v<Which, Ids>)
                return index.remove(span_of(which));
            else
                return index.remove(which);
        });
    });
}

/// (trials, the chosen one or None); what is chosen becomes the default of the index.
std::tuple<std::vector<Names>, std::optional<Names>> tune_index(const HeldIndex& self, const Vectors& queries,
                                                                const IdRows& truth, const std::string& target,
                                                                unsigned threads) {
    const std::shared_ptr<const Index> index = self.searched();
    const TuneTarget wanted = parse_target(target);
    const MatrixView<std::int64_t> ids(truth.data(), truth.shape(0), truth.shape(1));
    const Tuning tuning = call({.threads = threads}, [&](const Execution& execution) {
        return tune(*index, queries.floats(execution).view(), ids, wanted, execution);
    });
    std::vector<Names> trials;
    for (const Trial& trial : tuning.trials) trials.push_back(trial_of(trial));
    if (!tuning.chosen) return {std::move(trials), std::nullopt};
    set_defaults(self, tuning.chosen->parameters);
    return {std::move(trials), trial_of(*tuning.chosen)};
}

std::string evaluate_index(const HeldIndex& self, const Vectors& queries, const IdRows& truth, std::size_t k,
                           std::size_t probes, float reach, std::size_t candidates, std::optional<std::size_t> refine,
                           unsigned threads) {
    const std::shared_ptr<const Index> index = self.searched();
    const MatrixView<std::int64_t> ids(truth.data(), truth.shape(0), truth.shape(1));
    return json({call({.threads = threads}, [&](const Execution& execution) {
        const SearchOptions options{.k = k,
                                    .probes = probes,
                                    .reach = reach,
                                    .candidates = candidates,
                                    .refine = refine,
                                    .execution = execution};
        return evaluate(*index, queries.floats(execution).view(), ids, options);
    })});
}

void bind_filters(nb::module_& m) {
    nb::class_<IdFilter>(m, "IdFilter", "The ids that a search may return.")
        .def_static(
            "ids",
            [](const Ids& ids) {
                return IdFilter::list({ids.data(), ids.size()});
            },
            nb::arg("ids"))
        .def_static("range", &IdFilter::range, nb::arg("first"), nb::arg("last"))
        .def_static(
            "mask",
            [](const Mask& mask) {
                return IdFilter::where(mask.size(),
                                       [&](std::int64_t id) { return mask(static_cast<std::size_t>(id)); });
            },
            nb::arg("mask"))
        .def_static(
            "text", [](const std::string& text) { return IdFilter::ranges(parse_ranges(text)); }, nb::arg("text"))
        .def_static(
            "roaring",
            [](const nb::bytes& bytes, bool wide) {
                const std::span<const std::byte> given(static_cast<const std::byte*>(bytes.data()), bytes.size());
                return filter_of_roaring(given, wide ? RoaringFormat::bits64 : RoaringFormat::bits32);
            },
            nb::arg("bytes"), nb::arg("wide"))
        .def("keeps", &IdFilter::keeps, nb::arg("id"))
        .def_prop_ro("memory_bytes", &IdFilter::memory_bytes);
}

}  // namespace

void bind_indexes(nb::module_& m) {
    bind_filters(m);
    nb::class_<HeldIndex> bound(m, "Index", "An index of either kind, searched by any number of threads.");
    bound
        .def_static(
            "open",
            [](const std::string& path) {
                return HeldIndex(call({}, [&](const Execution&) { return Index::open(path); }));
            },
            nb::arg("path"))
        .def_static("from_bytes", &from_bytes, nb::arg("bytes"))
        .def("to_bytes", &to_bytes)
        .def(
            "save",
            [](const HeldIndex& self, const std::string& path) {
                const std::shared_ptr<const Index> index = self.searched();
                call({}, [&](const Execution&) { return index->save(path), true; });
            },
            nb::arg("path"))
        .def("__len__", [](const HeldIndex& self) { return self.searched()->size(); })
        .def_prop_ro("metric", [](const HeldIndex& self) { return std::string(name(self.searched()->metric())); })
        .def_prop_ro("dimensions", [](const HeldIndex& self) { return self.searched()->dimensions(); })
        .def_prop_ro("code_bytes", [](const HeldIndex& self) { return self.searched()->code_bytes(); })
        .def_prop_ro("memory_bytes", [](const HeldIndex& self) { return self.searched()->memory_bytes(); })
        .def_prop_ro("spec", [](const HeldIndex& self) { return self.searched()->spec(); })
        .def_prop_ro("defaults", [](const HeldIndex& self) { return parameters_of(self.searched()->defaults()); })
        .def(
            "set_defaults",
            [](const HeldIndex& self, std::size_t probes, float reach, std::size_t candidates,
               std::optional<std::size_t> refine) {
                set_defaults(self, {probes, reach, candidates, refine});
            },
            nb::arg("probes") = 0, nb::arg("reach") = 0, nb::arg("candidates") = 0, nb::arg("refine") = nb::none())
        .def("add", &add_without_ids, nb::arg("vectors"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("progress").none())
        .def("add_with_ids", &add_with_ids, nb::arg("vectors"), nb::arg("ids"), nb::arg("replace"), nb::arg("seed"),
             nb::arg("threads"), nb::arg("progress").none())
        .def("remove", &remove<Ids>, nb::arg("ids"))
        .def("remove_kept", &remove<IdFilter>, nb::arg("filter"))
        .def(
            "contains", [](const HeldIndex& self, std::int64_t id) { return self.searched()->contains(id); },
            nb::arg("id"))
        .def_prop_ro(
            "ids", [](const HeldIndex& self) { return array_of(self.searched()->ids()); }, nb::rv_policy::automatic)
        .def("describe", [](const HeldIndex& self) { return describe(*self.searched()); })
        .def("tune", &tune_index, nb::arg("queries"), nb::arg("truth"), nb::arg("target"), nb::arg("threads"))
        .def("evaluate", &evaluate_index, nb::arg("queries"), nb::arg("truth"), nb::arg("k"), nb::arg("probes"),
             nb::arg("reach"), nb::arg("candidates"), nb::arg("refine").none(), nb::arg("threads"));
    bind_searches<HeldIndex>(bound);
}

}  // namespace summand::python
