#include "train/composite_objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "kernels/kernels.h"
#include "train/anchor.h"

namespace summand {
namespace {

constexpr std::size_t kChunk = 128;  // vectors whose directions are added to the words together
constexpr std::size_t kMostParts = 16;
constexpr std::size_t kPartVectors = 1024;  // with fewer, a part's sums take longer to clear and add than to make

std::size_t parts_of(std::size_t vectors) { return std::clamp<std::size_t>(vectors / kPartVectors, 2, kMostParts); }

// Σc, |r|² and e of one vector; e without the offsets where `word_offsets` is null.
struct Approximation {
    double error, excess;
};
Approximation approximate(const CompositeData& data, const Dictionaries& words, const float* word_offsets,
                          const CompositePenalty& penalty, std::size_t n, float* sum) {
    const std::size_t D = words.dimensions();
    const float* rows[kMaxDictionaries];
    double offsets = 0;
    for (std::size_t m = 0; m < words.count; ++m) {
        const std::size_t w = m * words.words + data.codes[n][m];
        rows[m] = words.rows.row(w);
        if (word_offsets) offsets += static_cast<double>(word_offsets[w]);
    }
    kernels().sum_rows(rows, words.count, D, sum);
    const float* y = data.vectors.vectors.row(n);
    const double error = static_cast<double>(kernels().squared_distance(y, sum, D));
    const double a = penalty.expectation;
    return {error, (penalty.norm - 2 * a) * static_cast<double>(data.vectors.squared_norms[n]) +
                       2 * a * static_cast<double>(kernels().dot(y, sum, D)) + (1 - penalty.theta) * error - offsets};
}

struct Range {
    std::size_t first, last;
};
Range range_of(std::size_t part, std::size_t vectors) {
    const std::size_t parts = parts_of(vectors);
    return {vectors * part / parts, vectors * (part + 1) / parts};
}

void sum_part(const Matrix<std::uint8_t>& codes, std::size_t words, std::size_t dimensions, std::size_t p,
              const WordTerm& term, WordSums& part) {
    const std::size_t M = codes.columns(), values = M * words * dimensions;
    if (part.directions.size() != values) part.directions = AlignedBuffer<float>(values);
    std::fill_n(part.directions.data(), values, 0.0f);
    part.numbers.assign(M * words, 0.0);
    const auto [first, last] = range_of(p, codes.rows());
    thread_local Scratch<float> scratch;
    float* directions = scratch.at_least(kChunk * dimensions);
    for (std::size_t begin = first; begin < last; begin += kChunk) {
        const std::size_t end = std::min(last, begin + kChunk);
        for (std::size_t n = begin; n < end; ++n) {
            const double number = term(p, n, directions + (n - begin) * dimensions);
            for (std::size_t m = 0; m < M; ++m) part.numbers[m * words + codes[n][m]] += number;
        }
        for (std::size_t m = 0; m < M; ++m)
            kernels().scatter_add(directions, end - begin, dimensions, codes.row(begin) + m, M,
                                  part.directions.data() + m * words * dimensions);
    }
}

// Tied offsets are functions of the words: ∂/∂c = ∂/∂word_offset · 2 c.
void pull_tied(const CompositeModel& model, const Execution& execution, CompositeGradient& gradient) {
    const std::size_t D = model.dictionaries.dimensions();
    parallel_ranges(execution, gradient.offsets.size(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t w = first; w < last; ++w) {
            const double pull = 2 * std::exchange(gradient.offsets[w], 0.0);
            for (std::size_t d = 0; d < D; ++d)
                gradient.words[w * D + d] += pull * static_cast<double>(model.dictionaries.rows[w][d]);
        }
    });
}

}  // namespace

void tie_offsets(CompositeModel& model) {
    const Dictionaries& words = model.dictionaries;
    const float share = static_cast<float>(model.epsilon / static_cast<double>(words.count));
    model.word_offsets.resize(words.rows.rows());
    for (std::size_t w = 0; w < words.rows.rows(); ++w)
        model.word_offsets[w] = kernels().dot(words.rows.row(w), words.rows.row(w), words.dimensions()) + share;
}

void sum_by_word(const Matrix<std::uint8_t>& codes, std::size_t words, std::size_t dimensions, double scale,
                 const WordTerm& term, const Execution& execution, CompositeGradient& sums) {
    const std::size_t all = codes.columns() * words;
    sums.parts.resize(parts_of(codes.rows()));
    parallel_for(execution, sums.parts.size(),
                 [&](std::size_t p) { sum_part(codes, words, dimensions, p, term, sums.parts[p]); });
    sums.words.resize(all * dimensions);
    sums.offsets.resize(all);
    parallel_ranges(execution, all, 64, [&](std::size_t first, std::size_t last) {
        std::vector<double> sum(dimensions);
        for (std::size_t w = first; w < last; ++w) {
            double number = 0;
            std::fill(sum.begin(), sum.end(), 0.0);
            for (const WordSums& part : sums.parts) {
                number += part.numbers[w];
                const float* direction = part.directions.data() + w * dimensions;
                for (std::size_t d = 0; d < dimensions; ++d) sum[d] += static_cast<double>(direction[d]);
            }
            sums.offsets[w] = scale * number;
            for (std::size_t d = 0; d < dimensions; ++d) sums.words[w * dimensions + d] = scale * sum[d];
        }
    });
}

CompositeTerms evaluate(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                        const Execution& execution, CompositeGradient* gradient) {
    const Dictionaries& words = model.dictionaries;
    const std::size_t N = data.vectors.rows(), D = words.dimensions();
    const double scale = 1 / static_cast<double>(N);
    std::vector<CompositeTerms> parts(parts_of(N));
    // Adds vector n to its part and returns e_n; Σc is left in `sum`.
    const auto add = [&](std::size_t p, std::size_t n, float* sum) {
        const auto [error, excess] = approximate(data, words, model.word_offsets.data(), penalty, n, sum);
        parts[p].error += error * scale;
        parts[p].excess += excess * scale;
        parts[p].squared_excess += excess * excess * scale;
        parts[p].magnitude += std::abs(excess) * scale;
        return excess;
    };
    if (gradient) {
        sum_by_word(
            data.codes, words.words, D, scale,
            [&](std::size_t p, std::size_t n, float* direction) {
                const double excess = add(p, n, direction);
                // ∂/∂c = -2 r + (2 μ e + absolute·sign e)·(2 a·y - 2 (1 - θ) r), r = y - Σc
                const double pull = 2 * penalty.penalty * excess + penalty.absolute * (excess > 0 ? 1 : -1);
                const double b = 2 * pull;
                const double slope = -2 - b * (1 - penalty.theta);
                kernels().combine(static_cast<float>(slope + b * penalty.expectation), data.vectors.vectors.row(n),
                                  static_cast<float>(-slope), direction, 0, direction, D, direction);
                return -pull;
            },
            execution, *gradient);
        if (penalty.offsets == Offsets::tied) pull_tied(model, execution, *gradient);
        if (penalty.offsets == Offsets::none) gradient->offsets.assign(gradient->offsets.size(), 0);
    } else {
        parallel_for(execution, parts.size(), [&](std::size_t p) {
            std::vector<float> sum(D);
            const auto [first, last] = range_of(p, N);
            for (std::size_t n = first; n < last; ++n) add(p, n, sum.data());
        });
    }
    CompositeTerms terms;
    for (const CompositeTerms& part : parts) {
        terms.error += part.error;
        terms.squared_excess += part.squared_excess;
        terms.excess += part.excess;
        terms.magnitude += part.magnitude;
    }
    terms.pull = anchor_cost(data, model, penalty, gradient);
    return terms;
}

std::vector<double> offset_targets(const CompositeData& data, const Dictionaries& dictionaries,
                                   const CompositePenalty& penalty, const Execution& execution) {
    std::vector<double> targets(data.vectors.rows());
    parallel_ranges(execution, targets.size(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<float> sum(dictionaries.dimensions());
        for (std::size_t n = first; n < last; ++n) {
            targets[n] = approximate(data, dictionaries, nullptr, penalty, n, sum.data()).excess;
        }
    });
    return targets;
}

}  // namespace summand
