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
#include "model/transform.h"
#include "summand/error.h"
#include "summand/evaluate.h"

namespace summand {
namespace {

constexpr std::size_t kTileRows = 1024;  // base rows per tile
constexpr std::size_t kSegment = 256;    // scores compared with the limit at a time
constexpr std::size_t kSpare = 32;       // candidates kept beyond k

struct Exact {
    double score;
    std::int64_t id;
    bool operator<(const Exact& other) const { return score < other.score || (score == other.score && id < other.id); }
};

struct Task {
    MatrixView<float> base, queries;
    std::size_t k;
    bool euclidean;
    std::vector<float> norms;  // |x|², or zeros
    double largest_norm;

    double score(std::size_t query, std::size_t row) const {
        double sum = 0;
        for (std::size_t d = 0; d < base.columns(); ++d) {
            const double q = queries[query][d], x = base[row][d];
            sum += euclidean ? (q - x) * (q - x) : -q * x;
        }
        return sum;
    }
};

// The k best of all rows, every one scored in double.
std::vector<Exact> exhaustive(const Task& task, std::size_t query) {
    std::vector<Exact> all(task.base.rows());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {task.score(query, i), static_cast<std::int64_t>(i)};
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(task.k), all.end());
    all.resize(task.k);
    return all;
}

std::vector<Exact> rescored(const Task& task, std::size_t query, const std::vector<Neighbor>& candidates) {
    std::vector<Exact> best;
    for (const Neighbor& candidate : candidates)
        best.push_back({task.score(query, static_cast<std::size_t>(candidate.id)), candidate.id});
    std::sort(best.begin(), best.end());
    if (candidates.size() == task.base.rows() || best.empty()) return best;
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

void search_block(const Task& task, std::size_t first, std::size_t last, Neighbors& found) {
    thread_local Scratch<float> scratch;
    float* tile = scratch.at_least(kRowBlock * kTileRows);
    std::vector<TopK> tops(last - first, TopK(std::min(task.k + kSpare, task.base.rows())));
    for (std::size_t row = 0; row < task.base.rows(); row += kTileRows) {
        const std::size_t rows = std::min(kTileRows, task.base.rows() - row);
        row_block_products(task.euclidean ? -2.0f : -1.0f, task.queries.row(first), last - first, task.base.row(row),
                           rows, task.base.columns(), tile);
        for (std::size_t q = 0; q < last - first; ++q)
            for (std::size_t s = 0; s < rows; s += kSegment)
                offer_segment(tile + q * rows + s, task.norms.data() + row + s, row + s, std::min(kSegment, rows - s),
                              tops[q]);
    }
    for (std::size_t q = first; q < last; ++q) {
        const std::vector<Exact> best = rescored(task, q, tops[q - first].take());
        for (std::size_t i = 0; i < task.k; ++i) {
            found.ids[q][i] = best[i].id;
            found.scores[q][i] = static_cast<float>(best[i].score);
        }
    }
}

Matrix<float> unit_copy(MatrixView<float> vectors, const char* what) {
    Matrix<float> copy(vectors.rows(), vectors.columns(),
                       std::vector<float>(vectors.data(), vectors.row(vectors.rows())));
    scale_to_unit_length(copy, what);
    return copy;
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
        const Matrix<float> unit_base = unit_copy(base, "exact: base"),
                            unit_queries = unit_copy(queries, "exact: queries");
        return exact_neighbors(unit_base.view(), unit_queries.view(), k, Metric::inner_product, execution);
    }
    Neighbors found{Matrix<std::int64_t>(queries.rows(), k, kNoId),
                    Matrix<float>(queries.rows(), k, std::numeric_limits<float>::infinity())};
    Task task{base, queries, std::min(k, base.rows()), metric == Metric::euclidean, std::vector<float>(base.rows()), 0};
    for (std::size_t i = 0; i < base.rows(); ++i) {
        const float norm = kernels().dot(base.row(i), base.row(i), base.columns());
        task.largest_norm = std::max(task.largest_norm, static_cast<double>(norm));
        if (task.euclidean) task.norms[i] = norm;
    }
    // Batches of blocks, so that progress comes from the calling thread.
    const Stopwatch watch;
    const std::size_t blocks = (queries.rows() + kRowBlock - 1) / kRowBlock, batch = 2 * thread_count(execution);
    for (std::size_t begin = 0; begin < blocks && task.k > 0; begin += batch) {
        const std::size_t count = std::min(batch, blocks - begin);
        parallel_for(execution, count, [&](std::size_t b) {
            const std::size_t first = (begin + b) * kRowBlock;
            search_block(task, first, std::min(queries.rows(), first + kRowBlock), found);
        });
        report_step(execution, "exact search", static_cast<int>(begin + count), static_cast<int>(blocks),
                    std::numeric_limits<double>::quiet_NaN(), watch);
    }
    return found;
}

}  // namespace summand
