#include "train/near_pairs.h"

#include <algorithm>
#include <cmath>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"

namespace summand {
namespace {

constexpr std::size_t kSegment = 256;  // scores compared with the farthest neighbour at a time

using Near = std::pair<float, std::size_t>;  // squared distance without |q|², row

// Every (rows/count)-th row, `count` of them.
std::vector<std::size_t> spread_rows(std::size_t rows, std::size_t count) {
    std::vector<std::size_t> chosen(std::min(rows, count));
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = rows * i / chosen.size();
    return chosen;
}

Matrix<float> gather(MatrixView<float> vectors, const std::vector<std::size_t>& rows) {
    Matrix<float> result(rows.size(), vectors.columns());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(vectors.row(rows[i]), vectors.columns(), result.row(i));
    return result;
}

// Keeps the nearest in a heap whose front is the farthest of them.
void keep_nearest(const Near& near, std::size_t count, std::vector<Near>& found) {
    if (found.size() == count) {
        if (near >= found.front()) return;
        std::pop_heap(found.begin(), found.end());
        found.pop_back();
    }
    found.push_back(near);
    std::push_heap(found.begin(), found.end());
}

// Offers a stretch of scores, unless none of them is near enough.
void offer_segment(const float* products, const float* norms, const std::size_t* rows, std::size_t count,
                   std::size_t own, std::size_t neighbors, std::vector<Near>& found) {
    float best;
    kernels().argmin_sum(products, norms, count, &best);
    if (found.size() == neighbors && best > found.front().first) return;
    for (std::size_t i = 0; i < count; ++i)
        if (rows[i] != own) keep_nearest({products[i] + norms[i], rows[i]}, neighbors, found);
}

}  // namespace

NearPairs near_pairs(MatrixView<float> vectors, const Execution& execution, const NearPairRecipe& recipe) {
    constexpr std::size_t kTile = 1024;
    const std::vector<std::size_t> queries = spread_rows(vectors.rows(), recipe.queries);
    const std::vector<std::size_t> candidates = spread_rows(vectors.rows(), recipe.candidates);
    const Matrix<float> query_rows = gather(vectors, queries), rows = gather(vectors, candidates);
    std::vector<float> norms(rows.rows());
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = kernels().dot(rows.row(i), rows.row(i), rows.columns());
    std::vector<std::vector<Near>> found(queries.size());
    parallel_ranges(execution, queries.size(), kRowBlock, [&](std::size_t first, std::size_t last) {
        thread_local Scratch<float> scratch;
        float* products = scratch.at_least(kRowBlock * kTile);
        for (std::size_t begin = 0; begin < rows.rows(); begin += kTile) {
            const std::size_t count = std::min(kTile, rows.rows() - begin);
            row_block_products(-2, query_rows.row(first), last - first, rows.row(begin), count, rows.columns(),
                               products);
            for (std::size_t q = first; q < last; ++q)
                for (std::size_t s = 0; s < count; s += kSegment)
                    offer_segment(products + (q - first) * count + s, norms.data() + begin + s,
                                  candidates.data() + begin + s, std::min(kSegment, count - s), queries[q],
                                  recipe.neighbors, found[q]);
        }
    });
    NearPairs pairs;
    for (std::size_t q = 0; q < queries.size(); ++q)
        for (const auto& [distance, row] : found[q]) pairs.emplace_back(row, queries[q]);
    return pairs;
}

double score_variance(MatrixView<float> vectors, const NearPairs& pairs, const OffsetRule& rule,
                      const Dictionaries& words, const Matrix<std::uint8_t>& codes, const Execution& execution) {
    struct Sums {
        double values = 0, squares = 0, errors = 0;
    };
    constexpr std::size_t kRange = 1024;
    const std::size_t D = vectors.columns();
    std::vector<Sums> ranges((pairs.size() + kRange - 1) / kRange);
    parallel_ranges(execution, pairs.size(), kRange, [&](std::size_t first, std::size_t last) {
        std::vector<const float*> chosen(words.count);
        std::vector<float> residual(D);
        Sums& sums = ranges[first / kRange];
        for (std::size_t i = first; i < last; ++i) {
            const auto& [x, q] = pairs[i];
            for (std::size_t m = 0; m < words.count; ++m) chosen[m] = words.word(m, codes[x][m]);
            kernels().sum_rows(chosen.data(), words.count, D, residual.data());
            kernels().combine(1, vectors.row(x), -1, residual.data(), 0, residual.data(), D, residual.data());
            const double error = static_cast<double>(kernels().dot(residual.data(), residual.data(), D));
            const double value =
                static_cast<double>(kernels().dot(residual.data(), vectors.row(q), D)) -
                rule.expectation * static_cast<double>(kernels().dot(residual.data(), vectors.row(x), D)) +
                (1 - rule.theta) / 2 * error;
            sums.values += value;
            sums.squares += value * value;
            sums.errors += error;
        }
    });
    Sums all;
    for (const Sums& sums : ranges) {
        all.values += sums.values;
        all.squares += sums.squares;
        all.errors += sums.errors;
    }
    const double mean = all.values / static_cast<double>(std::max<std::size_t>(1, pairs.size()));
    return all.errors > 0 ? std::max(0.0, all.squares - all.values * mean) / all.errors : 0;
}

}  // namespace summand
