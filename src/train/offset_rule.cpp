#include "train/offset_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/norms.h"

namespace summand {
namespace {

constexpr std::size_t kTile = 256;  // vectors whose products with a block of queries stay in the L2 cache
constexpr std::size_t kParts = 8;   // of the vectors

// As y·r is |r|² on average, a rule wants |ȳ|² + (2 (1 - a) - θ)|r|².
OffsetRule tilted(double expectation, double tilt, const GivenRule& given) {
    const double a = given.expectation.value_or(expectation);
    return {a, given.theta.value_or(2 * (1 - a) - tilt)};
}

std::vector<double> tilts_of(const RuleRecipe& recipe) {
    std::vector<double> tilts;
    for (int i = 0; i < recipe.tilts; ++i) tilts.push_back(recipe.highest_tilt + i * recipe.tilt_step);
    return tilts;
}

// All tilts for the first expectation, then for the next; both from far queries to near ones.
std::vector<OffsetRule> candidates(const GivenRule& given, const RuleRecipe& recipe) {
    std::vector<OffsetRule> rules;
    for (const double expectation : recipe.expectations)
        for (const double tilt : tilts_of(recipe)) rules.push_back(tilted(expectation, tilt, given));
    return rules;
}

// What each rule wants the offsets of each vector to add up to; a row per rule.
Matrix<float> wanted_offsets(MatrixView<float> vectors, MatrixView<float> sums, const std::vector<OffsetRule>& rules,
                             const Execution& execution) {
    const std::size_t D = vectors.columns();
    Matrix<float> wanted(rules.size(), vectors.rows());
    parallel_ranges(execution, vectors.rows(), 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n) {
            const double norm = static_cast<double>(kernels().dot(vectors.row(n), vectors.row(n), D));
            const double product = norm - static_cast<double>(kernels().dot(vectors.row(n), sums.row(n), D));
            const double error = static_cast<double>(kernels().squared_distance(vectors.row(n), sums.row(n), D));
            for (std::size_t i = 0; i < rules.size(); ++i)
                wanted[i][n] =
                    static_cast<float>(norm - 2 * rules[i].expectation * product + (1 - rules[i].theta) * error);
        }
    });
    return wanted;
}

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

// For each rule how many rows score below the one that is looked for.
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

    // Few rows can be below by any rule; those are looked at by each.
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

    double of(std::size_t q, std::size_t rule) const {
        double sum = 0;
        for (const Matrix<std::uint32_t>& below : below_) sum += below[q][rule];
        return sum;
    }

private:
    const std::vector<std::size_t>& nearest_;
    const Matrix<float>& offsets_;         // a row per rule
    Matrix<float> scores_;                 // of what is looked for; a row per query
    std::vector<float> lowest_;            // of the offsets of each row
    Matrix<std::uint32_t> below_[kParts];  // so far, in each part of the rows
};

std::vector<double> row_means(const Matrix<double>& costs) {
    std::vector<double> means;
    for (std::size_t i = 0; i < costs.rows(); ++i)
        means.push_back(std::accumulate(costs.row(i), costs.row(i) + costs.columns(), 0.0) /
                        static_cast<double>(costs.columns()));
    return means;
}

// The tilt at which the cubic nearest to the costs is lowest: single costs differ by less than queries can tell.
double lowest_tilt(const std::vector<double>& costs, const RuleRecipe& recipe) {
    if (recipe.fineness == 0)
        return tilts_of(recipe)[static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin())];
    const int reach = recipe.tilts / 2;
    const auto powers = [reach](int exponent) {
        double sum = 0;
        for (int u = -reach; u <= reach; ++u) sum += std::pow(u, exponent);
        return sum;
    };
    // Orthogonal over the tilts, so that each weight is found by itself.
    const double square = powers(2) / powers(0), cube = powers(4) / powers(2);
    const auto polynomials = [&](double u) { return std::array{1.0, u, u * u - square, u * (u * u - cube)}; };
    std::array<double, 4> weights{}, norms{};
    for (int u = -reach; u <= reach; ++u) {
        const std::array<double, 4> values = polynomials(u);
        for (std::size_t k = 0; k < values.size(); ++k) {
            weights[k] += values[k] * costs[static_cast<std::size_t>(u + reach)];
            norms[k] += values[k] * values[k];
        }
    }
    int lowest = -reach * recipe.fineness;
    double lowest_cost = std::numeric_limits<double>::max();
    for (int step = lowest; step <= reach * recipe.fineness; ++step) {
        const std::array<double, 4> values = polynomials(static_cast<double>(step) / recipe.fineness);
        double cost = 0;
        for (std::size_t k = 0; k < values.size(); ++k) cost += weights[k] / norms[k] * values[k];
        if (cost < lowest_cost) {
            lowest = step;
            lowest_cost = cost;
        }
    }
    return recipe.highest_tilt + reach * recipe.tilt_step + recipe.tilt_step * lowest / recipe.fineness;
}

// Of the costs the first that is nearly the smallest.
std::size_t first_good(const std::vector<double>& costs, double tie) {
    const double limit = (1 + tie) * *std::min_element(costs.begin(), costs.end());
    return static_cast<std::size_t>(
        std::find_if(costs.begin(), costs.end(), [&](double cost) { return cost <= limit; }) - costs.begin());
}

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

Matrix<double> search_costs(MatrixView<float> queries, const std::vector<std::size_t>& nearest, MatrixView<float> sums,
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

OffsetRule best_offset_rule(MatrixView<float> queries, MatrixView<float> vectors, MatrixView<float> sums,
                            const GivenRule& given, const Execution& execution, const Recipe& recipe) {
    const RuleRecipe& search = recipe.rule;
    const std::size_t growth = search.growth, tilts = static_cast<std::size_t>(search.tilts);
    if (queries.rows() < search.fewest_queries || vectors.rows() < growth || (given.expectation && given.theta))
        return usual_offset_rule(given, search);
    const std::vector<OffsetRule> rules = candidates(given, search);
    const std::size_t judged = std::min(recipe.judge.most_vectors, vectors.rows());
    const auto costs_among = [&](std::size_t begin, std::size_t end) {
        const MatrixView<float> rows = vectors.slice(begin, end - begin), their_sums = sums.slice(begin, end - begin);
        return row_means(search_costs(queries, nearest_rows(queries, rows, execution, recipe.judge), their_sums,
                                      wanted_offsets(rows, their_sums, rules, execution), execution));
    };
    const std::vector<double> costs = costs_among(0, judged);
    const std::size_t best = first_good(costs, search.tie) / tilts;
    // Costs among `growth` times as many vectors, by the trend from parts of them to all.
    std::vector<double> larger(tilts);
    for (std::size_t i = 0; i < tilts; ++i) larger[i] = (growth > 1 ? 2 : 1) * costs[best * tilts + i];
    for (std::size_t part = 0; growth > 1 && part < growth; ++part) {
        const std::vector<double> fewer = costs_among(judged * part / growth, judged * (part + 1) / growth);
        for (std::size_t i = 0; i < tilts; ++i) larger[i] -= fewer[best * tilts + i] / static_cast<double>(growth);
    }
    return tilted(search.expectations[best], lowest_tilt(larger, search), given);
}

OffsetRule usual_offset_rule(const GivenRule& given, const RuleRecipe& recipe) {
    return {given.expectation.value_or(recipe.usual_expectation), given.theta.value_or(recipe.usual_theta)};
}

}  // namespace summand
