#include "train/composite_objective.h"

#include <algorithm>
#include <cmath>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"

namespace summand {
namespace {

constexpr std::size_t kParts = 16;   // of the data, each with sums of its own; fixed, so that results are too
constexpr std::size_t kChunk = 128;  // vectors whose directions are added to the words together

// Σd, |r|² and e of one vector; e without the offsets where `word_offsets` is null.
struct Approximation {
    double error, excess;
};
Approximation approximate(const CompositeData& data, const Dictionaries& words, const float* word_offsets, double theta,
                          std::size_t n, float* sum) {
    const std::size_t D = words.dimensions();
    const float* rows[kMaxDictionaries];
    double offsets = 0;
    for (std::size_t m = 0; m < words.count; ++m) {
        const std::size_t w = m * words.words + data.codes[n][m];
        rows[m] = words.rows.row(w);
        if (word_offsets) offsets += static_cast<double>(word_offsets[w]);
    }
    kernels().sum_rows(rows, words.count, D, sum);
    const double error = static_cast<double>(kernels().squared_distance(data.vectors.targets.row(n), sum, D));
    return {error, static_cast<double>(data.vectors.shifts[n]) +
                       2 * static_cast<double>(kernels().dot(data.vectors.probes.row(n), sum, D)) - offsets +
                       (1 - theta) * error};
}

// Sums over one part of the data.
struct Part {
    CompositeTerms terms;
    AlignedBuffer<float> words;  // Σ_n ∂/∂c without the tied term
    std::vector<double> excess;  // Σ e_n of the vectors that use each word
    std::vector<double> signs;   // Σ of the signs of e_n, likewise
};

void add_part(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
              std::size_t first, std::size_t last, bool with_gradient, Part& part) {
    const Dictionaries& words = model.dictionaries;
    const std::size_t D = words.dimensions(), M = words.count, K = words.words;
    thread_local Scratch<float> scratch;
    float* sum = scratch.at_least((kChunk + 1) * D);
    float* directions = sum + D;
    for (std::size_t begin = first; begin < last; begin += kChunk) {
        const std::size_t end = std::min(last, begin + kChunk);
        for (std::size_t n = begin; n < end; ++n) {
            const auto [error, excess] = approximate(data, words, model.word_offsets.data(), penalty.theta, n, sum);
            part.terms.error += error;
            part.terms.excess += excess;
            part.terms.squared_excess += excess * excess;
            part.terms.magnitude += std::abs(excess);
            if (!with_gradient) continue;
            // ∂/∂d = -2 r + (2 μ e + absolute·sign e)·(2 p - 2 (1 - θ) r) = a·z - a·Σd + b·p
            const double sign = excess > 0 ? 1 : -1;
            const double b = 4 * penalty.penalty * excess + 2 * penalty.absolute * sign;
            const float a = static_cast<float>(-2 - b * (1 - penalty.theta));
            kernels().combine(a, data.vectors.targets.row(n), -a, sum, static_cast<float>(b),
                              data.vectors.probes.row(n), D, directions + (n - begin) * D);
            for (std::size_t m = 0; m < M; ++m) {
                part.excess[m * K + data.codes[n][m]] += excess;
                part.signs[m * K + data.codes[n][m]] += sign;
            }
        }
        if (!with_gradient) continue;
        for (std::size_t m = 0; m < M; ++m)
            kernels().scatter_add(directions, end - begin, D, data.codes.row(begin) + m, M,
                                  part.words.data() + m * K * D);
    }
}

// Adds the parts in order, and the terms that are the same for all vectors of a word.
void merge(const std::vector<Part>& parts, const CompositeModel& model, const CompositePenalty& penalty, double scale,
           const Execution& execution, CompositeGradient& gradient) {
    const Dictionaries& words = model.dictionaries;
    const std::size_t D = words.dimensions();
    gradient.words.resize(words.rows.size());
    gradient.offsets.assign(words.rows.rows(), 0.0);
    parallel_ranges(execution, words.rows.rows(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t w = first; w < last; ++w) {
            double excess = 0, signs = 0;
            for (const Part& part : parts) {
                excess += part.excess[w];
                signs += part.signs[w];
            }
            const bool tied = penalty.offsets == Offsets::tied;
            const double slope = 2 * penalty.penalty * excess + penalty.absolute * signs;
            if (!tied) gradient.offsets[w] = -slope * scale;
            const double own = tied ? -2 * slope : 0;
            for (std::size_t i = w * D; i < (w + 1) * D; ++i) {
                double sum = own * static_cast<double>(words.rows.data()[i]);
                for (const Part& part : parts) sum += static_cast<double>(part.words[i]);
                gradient.words[i] = sum * scale;
            }
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

CompositeTerms evaluate(const CompositeData& data, const CompositeModel& model, const CompositePenalty& penalty,
                        const Execution& execution, CompositeGradient* gradient) {
    const std::size_t N = data.vectors.rows();
    std::vector<Part> parts(kParts);
    parallel_for(execution, kParts, [&](std::size_t p) {
        if (gradient) {
            parts[p].words = AlignedBuffer<float>(model.dictionaries.rows.size());
            std::fill_n(parts[p].words.data(), parts[p].words.size(), 0.0f);
            parts[p].excess.assign(model.dictionaries.rows.rows(), 0.0);
            parts[p].signs.assign(model.dictionaries.rows.rows(), 0.0);
        }
        add_part(data, model, penalty, N * p / kParts, N * (p + 1) / kParts, gradient != nullptr, parts[p]);
    });
    CompositeTerms terms;
    const double scale = 1 / static_cast<double>(N);
    for (const Part& part : parts) {
        terms.error += part.terms.error * scale;
        terms.squared_excess += part.terms.squared_excess * scale;
        terms.excess += part.terms.excess * scale;
        terms.magnitude += part.terms.magnitude * scale;
    }
    if (gradient) merge(parts, model, penalty, scale, execution, *gradient);
    return terms;
}

std::vector<double> offset_targets(const CompositeData& data, const Dictionaries& dictionaries, double theta,
                                   const Execution& execution) {
    std::vector<double> targets(data.vectors.rows());
    parallel_ranges(execution, targets.size(), 1024, [&](std::size_t first, std::size_t last) {
        std::vector<float> sum(dictionaries.dimensions());
        for (std::size_t n = first; n < last; ++n) {
            targets[n] = approximate(data, dictionaries, nullptr, theta, n, sum.data()).excess;
        }
    });
    return targets;
}

}  // namespace summand
