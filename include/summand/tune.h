// Finds the cheapest search that reaches a recall: tries settings on queries whose true neighbours are known, from
// cheap to expensive. The cost is counted in look-ups, not measured by the clock.
//
//     cost = M·(codes scanned) + 4·M·K·(tables of cells added) + 50·D·(candidates scored again)      look-ups per query
//
// The weights are rough; which setting is chosen depends on nothing else, so every machine chooses the same one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "summand/index.h"

namespace summand {

/// The smallest share of the T nearest neighbours among the first R answers that is enough.
struct TuneTarget {
    std::size_t answers = 10;  ///< R
    std::size_t truths = 10;   ///< T
    double recall = 0.95;

    friend bool operator==(const TuneTarget&, const TuneTarget&) = default;
};

/// A target as users write it: recall@R=VALUE, where T is R, or recall@RofT=VALUE; the paper's measure is recall@Rof1.
/// Throws `Error` for other text.
TuneTarget parse_target(std::string_view text);

/// One setting that was tried; counts are means over the queries.
struct Trial {
    SearchParameters parameters = {};
    double cells = 0;    ///< visited
    double vectors = 0;  ///< whose codes were scanned
    double cost = 0;
    double recall = 0;
    double seconds = 0;  ///< of the whole search, as measured; plays no part in the choice
};

struct Tuning {
    std::vector<Trial> trials = {};    ///< in the order they were tried
    std::optional<Trial> chosen = {};  ///< the cheapest that reaches the target; none: nothing does
};

/// Throws `Error` for a target outside (0, 1], no queries, or too few true neighbours.
Tuning tune(const Index& index, MatrixView<float> queries, MatrixView<std::int64_t> truth, const TuneTarget& target,
            const Execution& execution = {});

}  // namespace summand
