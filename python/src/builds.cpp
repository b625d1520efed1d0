#include "builds.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>

#include "calls.h"
#include "indexes.h"
#include "summand/build.h"
#include "vectors.h"

namespace summand::python {
namespace {

/// What `build` and its estimate share.
BuildSettings settings_of(const std::optional<std::string>& metric, std::uint64_t seed, const Vectors* learn,
                          std::size_t learn_size) {
    BuildSettings settings{.seed = seed, .learn = learn ? &learn->source() : nullptr, .learn_size = learn_size};
    if (metric) settings.metric = parse_metric(*metric);
    return settings;
}

HeldIndex build_index(const Vectors& base, const std::string& spec, const std::optional<std::string>& metric,
                      std::uint64_t seed, const Vectors* learn, std::size_t learn_size, const std::string& path,
                      const std::string& checkpoint, unsigned threads, nb::object progress) {
    BuildSettings settings = settings_of(metric, seed, learn, learn_size);
    settings.path = path;
    settings.checkpoint = checkpoint;
    return HeldIndex(call({threads, std::move(progress)}, [&](const Execution& execution) {
        settings.execution = execution;
        return build(base.source(), spec, settings);
    }));
}

nb::typed<nb::dict, nb::str, nb::any> estimate(const Vectors& base, const std::string& spec,
                                               const std::optional<std::string>& metric, const Vectors* learn,
                                               std::size_t learn_size, unsigned threads) {
    BuildSettings settings = settings_of(metric, 1, learn, learn_size);
    const Estimate found = call({.threads = threads}, [&](const Execution& execution) {
        settings.execution = execution;
        return estimate_build(base.source(), spec, settings);
    });
    nb::typed<nb::dict, nb::str, nb::any> result;
    result["spec"] = found.spec;
    result["memory_bytes"] = found.memory_bytes;
    result["output_bytes"] = found.output_bytes;
    result["search_bytes"] = found.search_bytes;
    result["train_seconds"] = found.train_seconds;
    result["encode_seconds"] = found.work_seconds;
    return result;
}

std::tuple<std::string, double, std::vector<std::string>> propose_spec(const Vectors& base, const std::string& metric,
                                                                       double memory_bytes) {
    const Proposal proposal =
        call({}, [&](const Execution&) { return propose(base.source(), parse_metric(metric), memory_bytes); });
    return {proposal.spec, proposal.memory_bytes, proposal.reasons};
}

}  // namespace

void bind_builds(nb::module_& m) {
    m.def("build", &build_index, nb::arg("base"), nb::arg("spec"), nb::arg("metric").none(), nb::arg("seed"),
          nb::arg("learn").none(), nb::arg("learn_size"), nb::arg("path"), nb::arg("checkpoint"), nb::arg("threads"),
          nb::arg("progress").none());
    m.def("estimate", &estimate, nb::arg("base"), nb::arg("spec"), nb::arg("metric").none(), nb::arg("learn").none(),
          nb::arg("learn_size"), nb::arg("threads"));
    m.def("propose", &propose_spec, nb::arg("base"), nb::arg("metric"), nb::arg("memory_bytes"));
}

}  // namespace summand::python
