#include "model/composite_encoder.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "math/blas.h"

namespace summand {
namespace {

constexpr std::size_t kGroup = 32;   // vectors searched together: their terms stay in the L2 cache
constexpr std::size_t kChanged = 2;  // codes that a perturbation changes

}  // namespace

// The state of one vector in the search.
struct CompositeEncoder::Vector {
    float* unary;               // |d|² - 2 z·d, M × stride
    float* gain;                // 2 p·d - word_offset, M × stride
    float squared_norm, shift;  // |z|², and the shift of e
    float error, excess, cost;
    std::size_t unchanged;  // visits in a row that changed nothing
    Random random{0};
    std::uint8_t code[kMaxDictionaries];
};

CompositeEncoder::CompositeEncoder(const Dictionaries& dictionaries, std::span<const float> word_offsets,
                                   CodePenalty penalty, const Execution& execution)
    : dictionaries_(dictionaries),
      word_offsets_(word_offsets),
      penalty_(penalty),
      stride_((dictionaries.words + kIcmLanes - 1) / kIcmLanes * kIcmLanes),
      norms_(dictionaries.rows.rows()) {
    for (std::size_t w = 0; w < norms_.size(); ++w)
        norms_[w] = kernels().dot(dictionaries.rows.row(w), dictionaries.rows.row(w), dictionaries.dimensions());
    tabulate_pairs(execution);
}

// Two passes of GEMM over blocks of words: the first finds the scale that lets any sum of M-1 entries fit 16 bits,
// the second rounds to it.
void CompositeEncoder::tabulate_pairs(const Execution& execution) {
    const std::size_t M = dictionaries_.count, K = dictionaries_.words, all = M * K;
    const auto for_each_product = [&](const auto& take) {
        parallel_ranges(execution, all, kRowBlock, [&](std::size_t first, std::size_t last) {
            thread_local Scratch<float> scratch;
            float* products = scratch.at_least(kRowBlock * all);
            row_block_products(1, dictionaries_.rows.row(first), last - first, dictionaries_.rows.data(), all,
                               dictionaries_.dimensions(), products);
            for (std::size_t w = first; w < last; ++w)
                for (std::size_t m = 0; m < M; ++m)
                    if (m != w / K) take(w, m, products + (w - first) * all + m * K);
        });
    };
    Matrix<float> largest(all, M);
    for_each_product([&](std::size_t w, std::size_t m, const float* row) {
        largest[w][m] =
            std::abs(*std::max_element(row, row + K, [](float a, float b) { return std::abs(a) < std::abs(b); }));
    });
    double bound = 0;
    for (std::size_t m = 0; m < M; ++m) {
        double sum = 0;
        for (std::size_t l = 0; l < M; ++l) {
            float most = 0;
            for (std::size_t k = 0; k < K; ++k) most = std::max(most, largest[l * K + k][m]);
            sum += static_cast<double>(most);
        }
        bound = std::max(bound, sum);
    }
    scale_ = bound > 0 ? static_cast<float>(bound / (32767.0 - static_cast<double>(M))) : 1.0f;
    pairs_ = AlignedBuffer<std::int16_t>(M * M * K * stride_);
    std::fill(pairs_.data(), pairs_.data() + pairs_.size(), std::int16_t{0});
    for_each_product([&](std::size_t w, std::size_t m, const float* row) {
        std::int16_t* out = pairs_.data() + ((m * M + w / K) * K + w % K) * stride_;
        for (std::size_t k = 0; k < K; ++k) out[k] = static_cast<std::int16_t>(std::nearbyint(row[k] / scale_));
    });
}

// From the products -2 z·d and -2 p·d (the same ones where p = z).
void CompositeEncoder::fill_terms(const float* target_products, const float* probe_products, Vector& vector) const {
    const std::size_t K = dictionaries_.words;
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        float *unary = vector.unary + m * stride_, *gain = vector.gain + m * stride_;
        for (std::size_t k = 0; k < K; ++k) {
            unary[k] = target_products[m * K + k] + norms_[m * K + k];
            gain[k] = -probe_products[m * K + k] - word_offsets_[m * K + k];
        }
        std::fill(unary + K, unary + stride_, kIcmPadding);
        std::fill(gain + K, gain + stride_, 0.0f);
    }
}

// error, excess and cost of the codes, with the same table entries as the visits use.
void CompositeEncoder::measure(Vector& vector) const {
    float unaries = 0, gains = 0;
    int pair_sum = 0;
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        unaries += vector.unary[m * stride_ + vector.code[m]];
        gains += vector.gain[m * stride_ + vector.code[m]];
        for (std::size_t l = 0; l < m; ++l) pair_sum += pairs(m, l, vector.code[l])[vector.code[m]];
    }
    vector.error = vector.squared_norm + unaries + 2 * scale_ * static_cast<float>(pair_sum);
    vector.excess = vector.shift + gains + (1 - penalty_.theta) * vector.error;
    vector.cost =
        vector.error + penalty_.penalty * vector.excess * vector.excess + penalty_.absolute * std::abs(vector.excess);
}

// Dictionary by dictionary the word that lowers the error most, given those chosen before.
void CompositeEncoder::greedy_start(Vector& vector) const {
    const std::int16_t* rows[kMaxDictionaries];
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        for (std::size_t l = 0; l < m; ++l) rows[l] = pairs(m, l, vector.code[l]);
        const IcmChoice choice = kernels().icm_visit({.rows = rows,
                                                      .row_count = m,
                                                      .unary = vector.unary + m * stride_,
                                                      .gain = vector.gain + m * stride_,
                                                      .stride = stride_,
                                                      .scale = scale_,
                                                      .penalty = 0,
                                                      .slope = 0,
                                                      .word = 0,
                                                      .error = 0,
                                                      .excess = 0});
        vector.code[m] = static_cast<std::uint8_t>(choice.word);
    }
}

void CompositeEncoder::prefetch(std::size_t m, const Vector& vector) const {
    constexpr std::size_t kPerLine = kCacheLine / sizeof(std::int16_t);
    for (std::size_t l = 0; l < dictionaries_.count; ++l)
        if (l != m)
            for (std::size_t k = 0; k < stride_; k += kPerLine) __builtin_prefetch(pairs(m, l, vector.code[l]) + k);
}

bool CompositeEncoder::visit(std::size_t m, Vector& vector) const {
    const std::int16_t* rows[kMaxDictionaries];
    std::size_t count = 0;
    for (std::size_t l = 0; l < dictionaries_.count; ++l)
        if (l != m) rows[count++] = pairs(m, l, vector.code[l]);
    const IcmChoice choice = kernels().icm_visit({.rows = rows,
                                                  .row_count = count,
                                                  .unary = vector.unary + m * stride_,
                                                  .gain = vector.gain + m * stride_,
                                                  .stride = stride_,
                                                  .scale = scale_,
                                                  .penalty = penalty_.penalty,
                                                  .slope = 1 - penalty_.theta,
                                                  .word = vector.code[m],
                                                  .error = vector.error,
                                                  .excess = vector.excess,
                                                  .absolute = penalty_.absolute});
    if (choice.word == vector.code[m]) return false;
    vector.code[m] = static_cast<std::uint8_t>(choice.word);
    vector.error = choice.error;
    vector.excess = choice.excess;
    vector.cost = choice.cost;
    return true;
}

// Sweeps over the dictionaries, all vectors of the group together, so that the table of one dictionary is reused
// while it is near. A vector rests once every dictionary was visited without a change.
void CompositeEncoder::settle(std::span<Vector> vectors, int sweeps) const {
    const std::size_t M = dictionaries_.count;
    for (Vector& vector : vectors) vector.unchanged = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t m = 0; m < M; ++m)
            for (std::size_t i = 0; i < vectors.size(); ++i) {
                if (i + 1 < vectors.size() && vectors[i + 1].unchanged < M) prefetch(m, vectors[i + 1]);
                if (vectors[i].unchanged < M)
                    vectors[i].unchanged = visit(m, vectors[i]) ? 1 : vectors[i].unchanged + 1;
            }
}

void CompositeEncoder::perturb(Vector& vector) const {
    for (std::size_t change = 0; change < kChanged; ++change)
        vector.code[vector.random.below(dictionaries_.count)] =
            static_cast<std::uint8_t>(vector.random.below(dictionaries_.words));
    measure(vector);
}

double CompositeEncoder::exact_cost(const CompositeView& vectors, std::size_t i, const std::uint8_t* code) const {
    const std::size_t M = dictionaries_.count, D = dictionaries_.dimensions();
    const float* rows[kMaxDictionaries];
    double offsets = 0;
    for (std::size_t m = 0; m < M; ++m) {
        rows[m] = dictionaries_.word(m, code[m]);
        offsets += static_cast<double>(word_offsets_[m * dictionaries_.words + code[m]]);
    }
    thread_local Scratch<float> scratch;
    float* sum = scratch.at_least(D);
    kernels().sum_rows(rows, M, D, sum);
    const double error = static_cast<double>(kernels().squared_distance(vectors.targets.row(i), sum, D));
    const double excess = static_cast<double>(vectors.shifts[i]) +
                          2 * static_cast<double>(kernels().dot(vectors.probes.row(i), sum, D)) - offsets +
                          (1 - static_cast<double>(penalty_.theta)) * error;
    return error + static_cast<double>(penalty_.penalty) * excess * excess +
           static_cast<double>(penalty_.absolute) * std::abs(excess);
}

void CompositeEncoder::start(const CompositeView& vectors, std::size_t i, const LocalSearch& search,
                             const std::uint8_t* code, Vector& vector) const {
    const std::size_t D = dictionaries_.dimensions();
    const float* z = vectors.targets.row(i);
    vector.squared_norm = kernels().dot(z, z, D);
    vector.shift = vectors.shifts[i];
    vector.random = Random(hash64(z, D * sizeof(float), search.seed));
    if (code)
        std::copy_n(code, dictionaries_.count, vector.code);
    else
        greedy_start(vector);
    measure(vector);
}

void CompositeEncoder::encode_block(const CompositeView& vectors, const LocalSearch& search, std::uint8_t* codes,
                                    bool from_codes) const {
    const std::size_t M = dictionaries_.count, all = dictionaries_.rows.rows(), D = dictionaries_.dimensions();
    const bool one_product = vectors.probes.data() == vectors.targets.data();
    thread_local Scratch<float> target_scratch, probe_scratch, term_scratch;
    float* target_products = target_scratch.at_least(kRowBlock * all);
    row_block_products(-2, vectors.targets.data(), vectors.rows(), dictionaries_.rows.data(), all, D, target_products);
    float* probe_products = target_products;
    if (!one_product) {
        probe_products = probe_scratch.at_least(kRowBlock * all);
        row_block_products(-2, vectors.probes.data(), vectors.rows(), dictionaries_.rows.data(), all, D,
                           probe_products);
    }
    float* terms = term_scratch.at_least(2 * kGroup * M * stride_);
    std::vector<Vector> current(kGroup), trial;
    for (std::size_t first = 0; first < vectors.rows(); first += kGroup) {
        const std::span<Vector> group(current.data(), std::min(kGroup, vectors.rows() - first));
        for (std::size_t i = 0; i < group.size(); ++i) {
            group[i].unary = terms + 2 * i * M * stride_;
            group[i].gain = group[i].unary + M * stride_;
            fill_terms(target_products + (first + i) * all, probe_products + (first + i) * all, group[i]);
            start(vectors, first + i, search, from_codes ? codes + (first + i) * M : nullptr, group[i]);
        }
        settle(group, search.sweeps);
        for (int round = 0; round < search.perturbations; ++round) {
            trial.assign(group.begin(), group.end());
            for (Vector& vector : trial) perturb(vector);
            settle(trial, search.sweeps);
            for (std::size_t i = 0; i < group.size(); ++i) {
                if (trial[i].cost < group[i].cost) group[i] = trial[i];
                group[i].random = trial[i].random;
            }
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            std::uint8_t* code = codes + (first + i) * M;
            if (!from_codes || exact_cost(vectors, first + i, group[i].code) < exact_cost(vectors, first + i, code))
                std::copy_n(group[i].code, M, code);
        }
    }
}

Matrix<std::uint8_t> CompositeEncoder::encode(const CompositeView& vectors, const LocalSearch& search,
                                              const Execution& execution) const {
    Matrix<std::uint8_t> codes(vectors.rows(), dictionaries_.count);
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        encode_block(vectors.slice(first, last - first), search, codes.row(first), false);
    });
    return codes;
}

void CompositeEncoder::improve(const CompositeView& vectors, const LocalSearch& search, const Execution& execution,
                               Matrix<std::uint8_t>& codes) const {
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        encode_block(vectors.slice(first, last - first), search, codes.row(first), true);
    });
}

}  // namespace summand
