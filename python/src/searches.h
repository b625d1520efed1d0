// What indexes of a file and of a folder have in common: they are searched.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "calls.h"
#include "summand/search.h"
#include "vectors.h"

namespace summand::python {

using Answers = std::tuple<Array<std::int64_t, 2>, Array<float, 2>>;
using RangeAnswers = std::tuple<Array<std::int64_t, 1>, Array<std::int64_t, 1>, Array<float, 1>>;

/// What a search is asked, as Python says it.
struct Asked {
    std::size_t k = 0;
    SearchParameters parameters = {};
    const IdFilter* filter = nullptr;
    unsigned threads = 0;
};

/// search(index, rows, options): in this thread where the index is small enough for the queries, so that the call costs
/// microseconds; else as a call that Ctrl-C stops.
template <class Searched, class Search>
auto run_search(const std::shared_ptr<const Searched>& index, const Vectors& queries, const Asked& asked,
                const Search& search) {
    constexpr std::size_t kBriefCodes = std::size_t{1} << 27;  // some tenths of a second on one core
    constexpr std::size_t kBriefQueries = 64;
    SearchOptions options = SearchOptions{.k = asked.k, .filter = asked.filter}.with(asked.parameters);
    const auto work = [&](const Execution& execution) {
        options.execution = execution;
        return search(*index, queries.floats(execution).view(), options);
    };
    const CallSettings settings{.threads = asked.threads};
    const bool brief = queries.rows() <= kBriefQueries && queries.rows() * index->size() <= kBriefCodes;
    return brief ? call_briefly(settings, work) : call(settings, work);
}

template <class Searched>
Answers search(const std::shared_ptr<const Searched>& index, const Vectors& queries, const Asked& asked) {
    Neighbors found = run_search(index, queries, asked,
                                 [](const Searched& held, MatrixView<float> rows, const SearchOptions& options) {
                                     return held.search(rows, options);
                                 });
    return {array_of(std::move(found.ids)), array_of(std::move(found.scores))};
}

template <class Searched>
RangeAnswers search_range(const std::shared_ptr<const Searched>& index, const Vectors& queries, float radius,
                          const Asked& asked) {
    const RangeNeighbors found = run_search(
        index, queries, asked, [radius](const Searched& held, MatrixView<float> rows, const SearchOptions& options) {
            return held.search_range(rows, radius, options);
        });
    std::vector<std::int64_t> ids;
    std::vector<float> scores;
    for (const Neighbor& entry : found.entries) {
        ids.push_back(entry.id);
        scores.push_back(entry.score);
    }
    return {array_of(std::vector<std::int64_t>(found.begin.begin(), found.begin.end())), array_of(std::move(ids)),
            array_of(std::move(scores))};
}

/// The methods search and search_range of a class that holds an index. `Class` is its binding.
template <class Held, class Class>
void bind_searches(Class& bound) {
    bound
        .def(
            "search",
            [](const Held& self, const Vectors& queries, std::size_t k, std::size_t probes, float reach,
               std::size_t candidates, std::optional<std::size_t> refine, const IdFilter* filter, unsigned threads) {
                return search(self.searched(), queries, {k, {probes, reach, candidates, refine}, filter, threads});
            },
            nb::arg("queries"), nb::arg("k"), nb::arg("probes"), nb::arg("reach"), nb::arg("candidates"),
            nb::arg("refine").none(), nb::arg("filter").none(), nb::arg("threads"))
        .def(
            "search_range",
            [](const Held& self, const Vectors& queries, float radius, std::size_t probes, float reach,
               std::size_t candidates, std::optional<std::size_t> refine, const IdFilter* filter, unsigned threads) {
                return search_range(self.searched(), queries, radius,
                                    {0, {probes, reach, candidates, refine}, filter, threads});
            },
            nb::arg("queries"), nb::arg("radius"), nb::arg("probes"), nb::arg("reach"), nb::arg("candidates"),
            nb::arg("refine").none(), nb::arg("filter").none(), nb::arg("threads"));
}

}  // namespace summand::python
