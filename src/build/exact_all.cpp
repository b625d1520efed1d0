// Exact neighbours in a base of any length, a chunk at a time.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/stopwatch.h"
#include "build/source.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

// Both are sorted. Where scores are equal the part found earlier, with the smaller ids, goes first; each part keeps
// its order, which was decided in double precision.
void merge(Neighbors& best, const Neighbors& part, std::size_t first) {
    const std::size_t k = best.ids.columns();
    for (std::size_t query = 0; query < best.ids.rows(); ++query) {
        const auto old_ids = std::vector(best.ids.row(query), best.ids.row(query) + k);
        const auto old_scores = std::vector(best.scores.row(query), best.scores.row(query) + k);
        std::size_t from_old = 0, from_part = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const bool part_left = from_part < part.ids.columns() && part.ids[query][from_part] != kNoId;
            if (part_left && part.scores[query][from_part] < old_scores[from_old]) {
                best.scores[query][i] = part.scores[query][from_part];
                best.ids[query][i] = part.ids[query][from_part++] + static_cast<std::int64_t>(first);
            } else {
                best.scores[query][i] = old_scores[from_old];
                best.ids[query][i] = old_ids[from_old++];
            }
        }
    }
}

}  // namespace

Neighbors exact_neighbors(const VectorSource& base, const VectorSource& queries, std::size_t neighbors, Metric metric,
                          const Execution& execution) {
    require_dimensions(queries, base.columns, base.name);
    const Matrix<float> asked = read_all(queries, execution);
    if (metric == Metric::cosine) require_directions(asked.view(), queries, [](std::size_t i) { return i; });
    const Stopwatch watch;
    const std::size_t k = std::min(neighbors, base.rows);
    Neighbors best{{asked.rows(), k, kNoId}, {asked.rows(), k, std::numeric_limits<float>::infinity()}};
    const std::size_t size = chunk_rows(base);
    for (std::size_t first = 0; first < base.rows; first += size) {
        const Matrix<float> part = base.read(first, std::min(size, base.rows - first));
        if (metric == Metric::cosine) require_directions(part.view(), base, [&](std::size_t i) { return first + i; });
        merge(best, exact_neighbors(part.view(), asked.view(), k, metric, silent(execution)), first);
        if (execution.progress)
            execution.progress(
                {.stage = "exact", .step = first + part.rows(), .steps = base.rows, .seconds = watch.seconds()});
    }
    return best;
}

}  // namespace summand
