// Exact neighbours by brute force: scores |x|² - 2 q·x (or -q·x) come from GEMM in tiles of queries × base rows; the
// best of them, with some to spare, are then scored again in double. Where rounding of the first pass could have
// hidden a neighbour behind the spare ones, the query is scored against every row in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "model/exact_score.h"
#include "model/transform.h"
#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

constexpr std::size_t kTileRows = 1024;  // base rows per tile
constexpr std::size_t kSegment = 256;    // scores compared with the limit at a time
constexpr std::size_t kSpare = 32;       // candidates kept beyond k
constexpr double kSlabOperations = 2e9;  // of one block of queries: a stop request is seen after a fraction of a second

struct Task {
    MatrixView<float> base, queries;
    std::size_t k;
    bool euclidean;
    const Execution& execution;
    std::vector<float> norms = {};  // |x|², or zeros
    double largest_norm = 0;

    std::size_t candidates() const { return std::min(k + kSpare, base.rows()); }
    std::size_t query_blocks() const { return (queries.rows() + kRowBlock - 1) / kRowBlock; }
    MatrixView<float> query_block(std::size_t b) const {
        return queries.slice(b * kRowBlock, std::min(kRowBlock, queries.rows() - b * kRowBlock));
    }

    double score(std::size_t query, std::size_t row) const {
        return exact_score(queries.row(query), base.row(row), base.columns(), euclidean);
    }
};

// The k best of all rows, every one scored in double.
std::vector<ExactNeighbor> exhaustive(const Task& task, std::size_t query) {
    std::vector<ExactNeighbor> all(task.base.rows());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % kTileRows == 0) check_stop(task.execution);
        all[i] = {task.score(query, i), static_cast<std::int64_t>(i)};
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(task.k), all.end());
    all.resize(task.k);
    return all;
}

std::vector<ExactNeighbor> rescored(const Task& task, std::size_t query, const std::vector<Neighbor>& candidates) {
    if (candidates.size() < task.candidates()) return exhaustive(task, query);  // first-pass scores overflowed
    std::vector<ExactNeighbor> best;
    best.reserve(candidates.size());
    for (const Neighbor& candidate : candidates)
        best.push_back({task.score(query, static_cast<std::size_t>(candidate.id)), candidate.id});
    std::sort(best.begin(), best.end());
    if (candidates.size() == task.base.rows()) return best;
    // A row that was left out has a first-pass score of at least the last candidate's, less the rounding of both.
    const double query_norm =
        static_cast<double>(kernels().dot(task.queries.row(query), task.queries.row(query), task.base.columns()));
    const double rounding =
        1e-6 * std::sqrt(static_cast<double>(task.base.columns())) * (query_norm + task.largest_norm);
    const double left_out = static_cast<double>(candidates.back().score) + (task.euclidean ? query_norm : 0) - rounding;
    return best[task.k - 1].score < left_out ? best : exhaustive(task, query);
}

void offer_segment(const float* scores, const float* norms, std::size_t first, std::size_t count, TopK& top) {
    float best;
    kernels().argmin_sum(scores, norms, count, &best);
    if (best > top.limit().score) return;
    for (std::size_t i = 0; i < count; ++i) top.offer({scores[i] + norms[i], static_cast<std::int64_t>(first + i)});
}

// Rows of the base that are scored between two looks at the stop token, in whole tiles.
std::size_t slab_rows(std::size_t dimensions) {
    const double rows = kSlabOperations / (2.0 * static_cast<double>(kRowBlock * dimensions));
    return std::max<std::size_t>(1, static_cast<std::size_t>(rows) / kTileRows) * kTileRows;
}

// Offers rows [begin, end) of the base to the candidates of each query.
void scan_slab(const Task& task, MatrixView<float> queries, std::size_t begin, std::size_t end, TopK* tops) {
    thread_local Scratch<float> scratch;
    float* tile = scratch.at_least(kRowBlock * kTileRows);
    for (std::size_t row = begin; row < end; row += kTileRows) {
        const std::size_t rows = std::min(kTileRows, end - row);
        row_block_products(task.euclidean ? -2.0f : -1.0f, queries.data(), queries.rows(), task.base.row(row), rows,
                           task.base.columns(), tile);
        for (std::size_t q = 0; q < queries.rows(); ++q)
            for (std::size_t s = 0; s < rows; s += kSegment)
                offer_segment(tile + q * rows + s, task.norms.data() + row + s, row + s, std::min(kSegment, rows - s),
                              tops[q]);
    }
}

void keep_best(const Task& task, std::size_t query, TopK& top, Neighbors& found) {
    check_stop(task.execution);
    const std::vector<ExactNeighbor> best = rescored(task, query, top.take());
    for (std::size_t i = 0; i < task.k; ++i) {
        found.ids[query][i] = best[i].id;
        found.scores[query][i] = static_cast<float>(best[i].score);
    }
}

// A batch of query blocks against one slab of the base after the other, so that progress and stop requests are seen
// between slabs, on the calling thread.
void search(const Task& task, Neighbors& found) {
    const Stopwatch watch;
    const std::size_t blocks = task.query_blocks(), batch = std::size_t{2} * thread_count(task.execution);
    const std::size_t slab = slab_rows(task.base.columns()), slabs = (task.base.rows() + slab - 1) / slab;
    std::size_t done = 0;
    for (std::size_t first = 0; first < blocks; first += batch) {
        const std::size_t count = std::min(batch, blocks - first);
        const std::size_t query = first * kRowBlock;
        std::vector<TopK> tops(std::min(count * kRowBlock, task.queries.rows() - query), TopK(task.candidates()));
        for (std::size_t begin = 0; begin < task.base.rows(); begin += slab) {
            parallel_for(task.execution, count, [&](std::size_t b) {
                scan_slab(task, task.query_block(first + b), begin, std::min(task.base.rows(), begin + slab),
                          &tops[b * kRowBlock]);
            });
            done += count;
            report_step(task.execution, "exact search", static_cast<int>(done), static_cast<int>(blocks * slabs),
                        Progress::kNone, watch);
        }
        parallel_for(task.execution, tops.size(), [&](std::size_t q) { keep_best(task, query + q, tops[q], found); });
    }
}

void measure_norms(Task& task) {
    task.norms.assign(task.base.rows(), 0.0f);
    for (std::size_t i = 0; i < task.base.rows(); ++i) {
        const float norm = kernels().dot(task.base.row(i), task.base.row(i), task.base.columns());
        task.largest_norm = std::max(task.largest_norm, static_cast<double>(norm));
        if (task.euclidean) task.norms[i] = norm;
    }
}

}  // namespace

Neighbors exact_neighbors(MatrixView<float> base, MatrixView<float> queries, std::size_t k, Metric metric,
                          const Execution& execution) {
    require(k > 0, "exact: expected k of at least 1, got 0");
    require(queries.columns() == base.columns() || base.empty() || queries.empty(), "exact: expected queries of ",
            base.columns(), " dimensions, got ", queries.columns());
    require_finite(base, "exact: base");
    require_finite(queries, "exact: queries");
    if (metric == Metric::cosine) {
        const Matrix<float> unit_base = of_unit_length(base, "exact: base"),
                            unit_queries = of_unit_length(queries, "exact: queries");
        return exact_neighbors(unit_base.view(), unit_queries.view(), k, Metric::euclidean, execution);
    }
    Neighbors found{Matrix<std::int64_t>(queries.rows(), k, kNoId),
                    Matrix<float>(queries.rows(), k, std::numeric_limits<float>::infinity())};
    Task task{base, queries, std::min(k, base.rows()), metric == Metric::euclidean, execution};
    if (task.k == 0) return found;
    measure_norms(task);
    search(task, found);
    return found;
}

}  // namespace summand
