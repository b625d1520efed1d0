#include "train/composite_objective.h"

#include <algorithm>
#include <cmath>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr std::size_t kChunk = 128;  // vectors whose directions are added to the words together

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

// Sums over one part of the data.
struct Part {
    AlignedBuffer<float> directions;  // of each word
    std::vector<double> numbers;
};

void add_part(const Matrix<std::uint8_t>& codes, std::size_t words, std::size_t dimensions, std::size_t p,
              const WordTerm& term, Part& part) {
    const std::size_t M = codes.columns(), first = codes.rows() * p / kSumParts,
                      last = codes.rows() * (p + 1) / kSumParts;
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
void pull_tied(const CompositeModel& model, CompositeGradient& gradient) {
    const std::size_t D = model.dictionaries.dimensions();
    for (std::size_t w = 0; w < gradient.offsets.size(); ++w) {
        for (std::size_t d = 0; d < D; ++d)
            gradient.words[w * D + d] += 2 * gradient.offsets[w] * static_cast<double>(model.dictionaries.rows[w][d]);
        gradient.offsets[w] = 0;
    }
}

}  // namespace

void tie_offsets(CompositeModel& model) {
    const Dictionaries& words = model.dictionaries;
    const float share = static_cast<float>(model.epsilon / static_cast<double>(words.count));
    model.word_offsets.resize(words.rows.rows());
    for (std::size_t w = 0; w < words.rows.rows(); ++w)
        model.word_offsets[w] = kernels().dot(words.rows.row(w), words.rows.row(w), words.dimensions()) + share;
}

CompositeGradient sum_by_word(const Matrix<std::uint8_t>& codes, std::size_t words, std::size_t dimensions,
                              const WordTerm& term, const Execution& execution) {
    const std::size_t all = codes.columns() * words;
    std::vector<Part> parts(kSumParts);
    parallel_for(execution, kSumParts, [&](std::size_t p) {
        parts[p].directions = AlignedBuffer<float>(all * dimensions);
        std::fill_n(parts[p].directions.data(), all * dimensions, 0.0f);
        parts[p].numbers.assign(all, 0.0);
        add_part(codes, words, dimensions, p, term, parts[p]);
    });
    CompositeGradient sums{std::vector<double>(all * dimensions), std::vector<double>(all)};
    parallel_ranges(execution, all, 64, [&](std::size_t first, std::size_t last) {
        for (const Part& part : parts) {
            for (std::size_t w = first; w < last; ++w) sums.offsets[w] += part.numbers[w];
            for (std::size_t i = first * dimensions; i < last * dimensions; ++i)
                sums.words[i] += static_cast<double>(part.directions[i]);
        }
    });
    return sums;
}

CompositeTerms evaluate(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                        const Execution& execution, CompositeGradient* gradient) {
    const Dictionaries& words = model.dictionaries;
    const std::size_t N = data.vectors.rows(), D = words.dimensions();
    const double scale = 1 / static_cast<double>(N);
    std::vector<CompositeTerms> parts(kSumParts);
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
        *gradient = sum_by_word(
            data.codes, words.words, D,
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
            execution);
        for (double& value : gradient->words) value *= scale;
        for (double& value : gradient->offsets) value *= scale;
        if (penalty.offsets == Offsets::tied) pull_tied(model, *gradient);
        if (penalty.offsets == Offsets::none) gradient->offsets.assign(gradient->offsets.size(), 0);
    } else {
        parallel_for(execution, kSumParts, [&](std::size_t p) {
            std::vector<float> sum(D);
            for (std::size_t n = N * p / kSumParts; n < N * (p + 1) / kSumParts; ++n) add(p, n, sum.data());
        });
    }
    CompositeTerms terms;
    for (const CompositeTerms& part : parts) {
        terms.error += part.error;
        terms.squared_excess += part.squared_excess;
        terms.excess += part.excess;
        terms.magnitude += part.magnitude;
    }
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
