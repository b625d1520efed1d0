// An index in a folder, to which vectors are added and from which they are removed.
#include "summand/living_index.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "indexes.h"
#include "rows.h"
#include "searches.h"
#include "summand/describe.h"
#include "summand/error.h"

namespace summand::python {
namespace {

using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Empty once it is closed; a search that runs then keeps the index until it ends.
struct HeldLivingIndex {
    std::shared_ptr<LivingIndex> index;

    explicit HeldLivingIndex(LivingIndex made) : index(std::make_shared<LivingIndex>(std::move(made))) {}

    std::shared_ptr<LivingIndex> open() const {
        require(index != nullptr, "index: it is closed");
        return index;
    }
    std::shared_ptr<const LivingIndex> searched() const { return open(); }
};

using Texts = std::vector<std::string>;

std::span<const std::int64_t> span_of(const Ids& ids) { return {ids.data(), ids.size()}; }
std::span<const std::string> span_of(const Texts& ids) { return ids; }

HeldLivingIndex create(const std::string& folder, const Vectors& learn, const std::string& spec,
                       const std::optional<std::string>& metric, std::uint64_t seed, std::size_t learn_size,
                       unsigned threads, nb::object progress) {
    BuildSettings settings{.seed = seed, .learn_size = learn_size};
    if (metric) settings.metric = parse_metric(*metric);
    return HeldLivingIndex(call({threads, std::move(progress)}, [&](const Execution& execution) {
        settings.execution = execution;
        return LivingIndex::create(folder, learn.source(), spec, settings);
    }));
}

std::int64_t add_without_ids(const HeldLivingIndex& self, const Vectors& vectors, unsigned threads,
                             nb::object progress) {
    const std::shared_ptr<LivingIndex> index = self.open();
    return call({threads, std::move(progress)},
                [&](const Execution& execution) { return index->add(vectors.source(), execution); });
}

template <class Which>
void add_with_ids(const HeldLivingIndex& self, const Vectors& vectors, const Which& ids, bool replace, unsigned threads,
                  nb::object progress) {
    const std::shared_ptr<LivingIndex> index = self.open();
    call({threads, std::move(progress)}, [&](const Execution& execution) {
        index->add(vectors.source(), span_of(ids), replace ? Duplicates::replace : Duplicates::refuse, execution);
        return true;
    });
}

template <class Which>
void update(const HeldLivingIndex& self, const Vectors& vectors, const Which& ids, unsigned threads) {
    const std::shared_ptr<LivingIndex> index = self.open();
    call({.threads = threads}, [&](const Execution& execution) {
        index->update(vectors.source(), span_of(ids), execution);
        return true;
    });
}

template <class Which>
std::size_t remove(const HeldLivingIndex& self, const Which& ids) {
    const std::shared_ptr<LivingIndex> index = self.open();
    return call({}, [&](const Execution&) { return index->remove(span_of(ids)); });
}

std::size_t remove_kept(const HeldLivingIndex& self, const IdFilter& filter) {
    const std::shared_ptr<LivingIndex> index = self.open();
    return call({}, [&](const Execution&) { return index->remove(filter); });
}

void compact(const HeldLivingIndex& self, const std::string& what, unsigned threads, nb::object progress) {
    require(what == "all" || what == "tiers", "compact: expected all or tiers, got ", what);
    const std::shared_ptr<LivingIndex> index = self.open();
    call({threads, std::move(progress)}, [&](const Execution& execution) {
        index->compact(what == "all" ? Compaction::all : Compaction::tiers, execution);
        return true;
    });
}

/// A method of the index without arguments, called without the GIL.
template <auto method>
auto released(const HeldLivingIndex& self) {
    const std::shared_ptr<LivingIndex> index = self.open();
    const nb::gil_scoped_release without_gil;
    return (index.get()->*method)();
}

}  // namespace

void bind_living_indexes(nb::module_& m) {
    nb::class_<HeldLivingIndex> bound(m, "LivingIndex", "An index in a folder.");
    bound
        .def_static("create", &create, nb::arg("folder"), nb::arg("learn"), nb::arg("spec"), nb::arg("metric").none(),
                    nb::arg("seed"), nb::arg("learn_size"), nb::arg("threads"), nb::arg("progress").none())
        .def_static(
            "open",
            [](const std::string& folder, bool write) {
                return HeldLivingIndex(call({}, [&](const Execution&) {
                    return LivingIndex::open(folder, write ? Access::write : Access::read);
                }));
            },
            nb::arg("folder"), nb::arg("write"))
        .def_static("is_at", &LivingIndex::is_at, nb::arg("path"))
        .def("close", [](HeldLivingIndex& self) { self.index.reset(); })
        .def("add", &add_without_ids, nb::arg("vectors"), nb::arg("threads"), nb::arg("progress").none())
        .def("add_with_ids", &add_with_ids<Ids>, nb::arg("vectors"), nb::arg("ids"), nb::arg("replace"),
             nb::arg("threads"), nb::arg("progress").none())
        .def("add_with_ids", &add_with_ids<Texts>, nb::arg("vectors"), nb::arg("ids"), nb::arg("replace"),
             nb::arg("threads"), nb::arg("progress").none())
        .def("update", &update<Ids>, nb::arg("vectors"), nb::arg("ids"), nb::arg("threads"))
        .def("update", &update<Texts>, nb::arg("vectors"), nb::arg("ids"), nb::arg("threads"))
        .def("remove", &remove<Ids>, nb::arg("ids"))
        .def("remove", &remove<Texts>, nb::arg("ids"))
        .def("remove_kept", &remove_kept, nb::arg("filter"))
        .def(
            "filter", [](const HeldLivingIndex& self, const Texts& names) { return self.open()->filter(names); },
            nb::arg("names"))
        .def(
            "names", [](const HeldLivingIndex& self, const Ids& ids) { return self.open()->names(span_of(ids)); },
            nb::arg("ids"))
        .def_prop_ro("named", [](const HeldLivingIndex& self) { return self.open()->info().named; })
        .def(
            "set_commit_every",
            [](const HeldLivingIndex& self, std::size_t changes) { self.open()->set_commit_every(changes); },
            nb::arg("changes"))
        .def("commit", &released<&LivingIndex::commit>)
        .def("refresh", &released<&LivingIndex::refresh>)
        .def("compact", &compact, nb::arg("what"), nb::arg("threads"), nb::arg("progress").none())
        .def(
            "contains", [](const HeldLivingIndex& self, std::int64_t id) { return self.open()->contains(id); },
            nb::arg("id"))
        .def(
            "contains",
            [](const HeldLivingIndex& self, const std::string& name) { return self.open()->contains(name); },
            nb::arg("name"))
        .def("row_model", &released<&LivingIndex::row_model>)
        .def(
            "for_each_rows",
            [](const HeldLivingIndex& self, nb::typed<nb::callable, void(Array<std::int64_t, 1>, Rows)> take) {
                self.open()->for_each_rows([&](std::span<const std::int64_t> ids, CellCodes rows) {
                    take(array_of(std::vector<std::int64_t>(ids.begin(), ids.end())), rows_of(std::move(rows)));
                });
            },
            nb::arg("take"))
        .def("describe", [](const HeldLivingIndex& self) { return describe(self.open()->info()); })
        .def("__len__", [](const HeldLivingIndex& self) { return self.open()->size(); })
        .def_prop_ro("metric", [](const HeldLivingIndex& self) { return std::string(name(self.open()->metric())); })
        .def_prop_ro("dimensions", [](const HeldLivingIndex& self) { return self.open()->dimensions(); })
        .def_prop_ro("spec", [](const HeldLivingIndex& self) { return self.open()->spec(); });
    bind_searches<HeldLivingIndex>(bound);
}

}  // namespace summand::python
