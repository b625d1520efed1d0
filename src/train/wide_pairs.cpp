#include "train/wide_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr double kPenalty = 25;       // in units of 1 / E|y|²
constexpr double kFirstShare = 0.01;  // of the penalty in the first iteration; it rises to all of it by the last
constexpr int kSolverSteps = 8;
constexpr double kEnough = 1e-6;  // squared residual of a solution, relative to the first

float dot(const float* a, const float* b, std::size_t size) { return kernels().dot(a, b, size); }

// The vectors in the order of their words of one dictionary: word k has order[begin[k]] … order[begin[k+1]-1].
struct Members {
    std::vector<std::size_t> begin, order;
};

Members members_of(const std::vector<std::uint32_t>& cells, std::size_t words, std::size_t m) {
    const auto word = [&](std::size_t n) { return m == 0 ? cells[n] / words : cells[n] % words; };
    Members members{std::vector<std::size_t>(words + 1), std::vector<std::size_t>(cells.size())};
    for (std::size_t n = 0; n < cells.size(); ++n) ++members.begin[word(n) + 1];
    std::partial_sum(members.begin.begin(), members.begin.end(), members.begin.begin());
    std::vector<std::size_t> next = members.begin;
    for (std::size_t n = 0; n < cells.size(); ++n) members.order[next[word(n)]++] = n;
    return members;
}

class WidePairs {
public:
    WidePairs(MatrixView<float> vectors, Dictionaries words, const Execution& execution)
        : vectors_(vectors), execution_(execution) {
        partition_ = {.dictionaries = std::move(words), .orthogonal = false};
    }

    // Returns the objective.
    double iterate(double penalty) {
        cells_ = assign(partition_, vectors_, execution_);
        epsilon_ = mean([&](std::size_t n) { return cross_term(n); });
        for (std::size_t m = 0; m < 2; ++m) update(m, penalty);
        epsilon_ = mean([&](std::size_t n) { return cross_term(n); });
        return mean([&](std::size_t n) {
            const double excess = cross_term(n) - epsilon_;
            return squared_error(n) + penalty * excess * excess;
        });
    }

    Partition finish() {
        const Dictionaries& words = partition_.dictionaries;
        for (std::size_t w = 0; w < words.rows.rows(); ++w)
            partition_.word_offsets.push_back(dot(words.rows.row(w), words.rows.row(w), words.dimensions()) +
                                              static_cast<float>(epsilon_ / 2));
        return std::move(partition_);
    }

private:
    const float* word_of(std::size_t m, std::size_t n) const {
        const Dictionaries& words = partition_.dictionaries;
        return words.word(m, m == 0 ? cells_[n] / words.words : cells_[n] % words.words);
    }

    double cross_term(std::size_t n) const {
        return 2 * static_cast<double>(dot(word_of(0, n), word_of(1, n), vectors_.columns()));
    }

    double squared_error(std::size_t n) const {
        std::vector<float> left(vectors_.columns());
        kernels().combine(1, vectors_.row(n), -1, word_of(0, n), -1, word_of(1, n), left.size(), left.data());
        return static_cast<double>(dot(left.data(), left.data(), left.size()));
    }

    template <class Value>
    double mean(Value value) const {
        std::vector<double> values(vectors_.rows());
        parallel_ranges(execution_, values.size(), 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n) values[n] = value(n);
        });
        return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    }

    // A word c of dictionary m with n vectors, which have the words b of the other one, solves
    //     (n + 4 μ Σ b bᵀ) c = Σ (y - b) + 2 μ ε Σ b
    // by conjugate gradients from where it is. Words of no vector stay.
    void update(std::size_t m, double penalty) {
        const std::size_t K = partition_.dictionaries.words;
        const Members members = members_of(cells_, K, m);
        parallel_ranges(execution_, K, 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) {
                const std::span<const std::size_t> own(members.order.data() + members.begin[k],
                                                       members.begin[k + 1] - members.begin[k]);
                if (!own.empty())
                    solve(m, own, static_cast<float>(penalty), partition_.dictionaries.rows.row(m * K + k));
            }
        });
    }

    void solve(std::size_t m, std::span<const std::size_t> own, float penalty, float* word) const {
        const std::size_t D = vectors_.columns();
        const auto count = static_cast<float>(own.size());
        const auto add = [&](float scale, const float* row, float* to) {
            kernels().combine(1, to, scale, row, 0, row, D, to);
        };
        std::vector<float> left(D), direction, image(D);
        const auto apply = [&](const float* x, float* to) {
            for (std::size_t d = 0; d < D; ++d) to[d] = count * x[d];
            for (const std::size_t n : own) {
                const float* other = word_of(1 - m, n);
                add(4 * penalty * dot(other, x, D), other, to);
            }
        };
        apply(word, image.data());
        const auto pull = static_cast<float>(2 * static_cast<double>(penalty) * epsilon_ - 1);
        for (const std::size_t n : own) {
            add(1, vectors_.row(n), left.data());
            add(pull, word_of(1 - m, n), left.data());
        }
        add(-1, image.data(), left.data());
        direction = left;
        double rest = dot(left.data(), left.data(), D);
        const double enough = kEnough * rest;
        for (int step = 0; step < kSolverSteps && rest > enough; ++step) {
            apply(direction.data(), image.data());
            const double curvature = dot(direction.data(), image.data(), D);
            if (!(curvature > 0)) return;
            const auto length = static_cast<float>(rest / curvature);
            add(length, direction.data(), word);
            add(-length, image.data(), left.data());
            const double before = std::exchange(rest, dot(left.data(), left.data(), D));
            const auto kept = static_cast<float>(rest / before);
            kernels().combine(1, left.data(), kept, direction.data(), 0, left.data(), D, direction.data());
        }
    }

    MatrixView<float> vectors_;
    Execution execution_;
    Partition partition_;
    std::vector<std::uint32_t> cells_;
    double epsilon_ = 0;
};

double mean_squared_norm(MatrixView<float> vectors) {
    double sum = 0;
    for (std::size_t n = 0; n < vectors.rows(); ++n)
        sum += static_cast<double>(dot(vectors.row(n), vectors.row(n), vectors.columns()));
    return sum / static_cast<double>(vectors.rows());
}

}  // namespace

Partition train_wide_pairs(MatrixView<float> vectors, Dictionaries words, const WidePairsOptions& options) {
    const double norm = mean_squared_norm(vectors);
    const double penalty = norm > 0 ? kPenalty / norm : 0;
    WidePairs pairs(vectors, std::move(words), options.execution);
    const Stopwatch watch;
    const int iterations = std::max(options.iterations, 1);
    for (int step = 0; step < iterations; ++step) {
        const double share = std::pow(kFirstShare, 1 - (step + 1) / static_cast<double>(iterations));
        report_step(options.execution, "cells", step + 1, iterations, pairs.iterate(share * penalty), watch);
    }
    return pairs.finish();
}

}  // namespace summand
