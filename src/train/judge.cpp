#include "train/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/norms.h"
#include "model/word_sum.h"

namespace summand {
namespace {

constexpr std::size_t kTile = 256;  // vectors whose products with a block of queries stay in the L2 cache
constexpr std::size_t kParts = 8;   // of the vectors

// Calls take(part, q, first, products, count) for every query and every tile of rows [first, first + count), with its
// products with them: a part of the rows by one thread, in their order.
template <class Take>
void for_each_tile(MatrixView<float> queries, MatrixView<float> rows, const Execution& execution, const Take& take) {
    const std::size_t blocks = (queries.rows() + kRowBlock - 1) / kRowBlock;
    parallel_for(execution, blocks * kParts, [&](std::size_t task) {
        thread_local Scratch<float> scratch;
        float* products = scratch.at_least(kRowBlock * kTile);
        const std::size_t block = task / kParts * kRowBlock, part = task % kParts;
        const std::size_t asking = std::min(kRowBlock, queries.rows() - block);
        const std::size_t end = rows.rows() * (part + 1) / kParts;
        for (std::size_t first = rows.rows() * part / kParts; first < end; first += kTile) {
            const std::size_t count = std::min(kTile, end - first);
            row_block_products(1, queries.row(block), asking, rows.row(first), count, rows.columns(), products);
            for (std::size_t q = 0; q < asking; ++q) take(part, block + q, first, products + q * count, count);
        }
    });
}

// Counts, for each row of offsets, how many vectors score below the one that a query looks for.
class Ranks {
public:
    Ranks(MatrixView<float> queries, const std::vector<std::size_t>& nearest, MatrixView<float> sums,
          const Matrix<float>& offsets)
        : nearest_(nearest), offsets_(offsets), scores_(nearest.size(), offsets.rows()), lowest_(sums.rows()) {
        for (std::size_t n = 0; n < lowest_.size(); ++n) {
            lowest_[n] = offsets[0][n];
            for (std::size_t i = 1; i < offsets.rows(); ++i) lowest_[n] = std::min(lowest_[n], offsets[i][n]);
        }
        for (std::size_t q = 0; q < nearest.size(); ++q) {
            const float product = kernels().dot(queries.row(q), sums.row(nearest[q]), sums.columns());
            for (std::size_t i = 0; i < offsets.rows(); ++i) scores_[q][i] = offsets[i][nearest[q]] - 2 * product;
        }
        for (Matrix<std::uint32_t>& below : below_) below = Matrix<std::uint32_t>(nearest.size(), offsets.rows());
    }

    // Few vectors can score below with any offsets; only those are compared with each.
    void take(std::size_t part, std::size_t q, std::size_t first, const float* products, std::size_t count) {
        const float* scores = scores_.row(q);
        std::uint32_t* below = below_[part].row(q);
        const float highest = *std::max_element(scores, scores + scores_.columns());
        for (std::size_t n = 0; n < count; ++n) {
            const float product = 2 * products[n];
            if (!(lowest_[first + n] - product < highest) || first + n == nearest_[q]) continue;
            for (std::size_t i = 0; i < offsets_.rows(); ++i)
                below[i] += offsets_[i][first + n] - product < scores[i] ? 1 : 0;
        }
    }

    double of(std::size_t q, std::size_t way) const {
        double sum = 0;
        for (const Matrix<std::uint32_t>& below : below_) sum += below[q][way];
        return sum;
    }

private:
    const std::vector<std::size_t>& nearest_;
    const Matrix<float>& offsets_;         // a row for each way to set them
    Matrix<float> scores_;                 // of what is looked for; a row per query
    std::vector<float> lowest_;            // of the offsets of each row
    Matrix<std::uint32_t> below_[kParts];  // so far, in each part of the rows
};

}  // namespace

std::vector<std::size_t> nearest_rows(MatrixView<float> queries, MatrixView<float> vectors, const Execution& execution,
                                      const JudgeRecipe& recipe) {
    queries = queries.slice(0, std::min(recipe.most_queries, queries.rows()));
    const std::vector<float> norms = squared_norms(vectors);
    struct Best {
        float distance = std::numeric_limits<float>::max();
        std::size_t row = 0;
    };
    Matrix<Best> best(kParts, queries.rows());
    for_each_tile(queries, vectors, execution,
                  [&](std::size_t part, std::size_t q, std::size_t first, const float* products, std::size_t count) {
                      for (std::size_t n = first; n < first + count; ++n) {
                          const float distance = norms[n] - 2 * products[n - first];
                          if (distance < best[part][q].distance) best[part][q] = {distance, n};
                      }
                  });
    std::vector<std::size_t> nearest(queries.rows());
    for (std::size_t q = 0; q < nearest.size(); ++q) {
        Best found;
        for (std::size_t part = 0; part < kParts; ++part)
            if (best[part][q].distance < found.distance) found = best[part][q];
        nearest[q] = found.row;
    }
    return nearest;
}

Matrix<double> rank_costs(MatrixView<float> queries, const std::vector<std::size_t>& nearest, MatrixView<float> sums,
                          const Matrix<float>& offsets, const Execution& execution) {
    queries = queries.slice(0, nearest.size());
    Ranks ranks(queries, nearest, sums, offsets);
    for_each_tile(queries, sums, execution,
                  [&](std::size_t part, std::size_t q, std::size_t first, const float* products, std::size_t count) {
                      ranks.take(part, q, first, products, count);
                  });
    Matrix<double> costs(offsets.rows(), nearest.size());
    for (std::size_t i = 0; i < costs.rows(); ++i)
        for (std::size_t q = 0; q < costs.columns(); ++q) costs[i][q] = std::log2(1 + ranks.of(q, i));
    return costs;
}

Judge::Judge(const Problem& problem) : problem_(problem) {
    const std::size_t all = problem.vectors->vectors.rows(), fresh = std::min(problem.sample, all - problem.sample);
    first_ = fresh > 0 ? problem.sample : 0;
    count_ = std::min(problem.recipe.judge.most_vectors, fresh > 0 ? fresh : problem.sample);
    nearest_ = nearest_rows(problem.held_out->vectors.view(), problem.vectors->vectors.view().slice(first_, count_),
                            problem.execution(), problem.recipe.judge);
}

std::vector<double> Judge::costs(const CompositeState& state) const {
    const Execution& execution = problem_.execution();
    const CompositeModel& model = state.model;
    const CompositePenalty shipped = coding_penalty(problem_, state);
    const Matrix<std::uint8_t> codes =
        CompositeEncoder(model.dictionaries, model.word_offsets, code_penalty(shipped), execution)
            .encode(state.vectors->view().slice(first_, count_), {.sweeps = problem_.recipe.judge.sweeps}, execution);
    Matrix<float> offsets(1, codes.rows());
    for (std::size_t n = 0; n < codes.rows(); ++n)
        for (std::size_t m = 0; m < codes.columns(); ++m)
            offsets[0][n] += model.word_offsets[m * model.dictionaries.words + codes[n][m]];
    return rank_costs(state.held_out->vectors.view(), nearest_, word_sums(model.dictionaries, codes, execution).view(),
                      offsets, execution)
        .values();
}

double mean(const std::vector<double>& costs) {
    return std::accumulate(costs.begin(), costs.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(1, costs.size()));
}

}  // namespace summand
