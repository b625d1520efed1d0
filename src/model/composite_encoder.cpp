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

constexpr std::size_t kGroup = 32;       // vectors searched together: their unary terms stay in the L2 cache
constexpr std::size_t kChanged = 2;      // codes that a perturbation changes

}  // namespace

// The state of one vector in the search.
struct CompositeEncoder::Vector {
    float squared_norm;
    float error, excess, cost;
    std::size_t unchanged;               // visits in a row that changed nothing
    Random random{0};
    std::uint8_t code[kMaxDictionaries];
};

CompositeEncoder::CompositeEncoder(const Dictionaries& dictionaries, std::span<const float> word_offsets,
                                   CodePenalty penalty, const Execution& execution)
    : dictionaries_(dictionaries),
      word_offsets_(word_offsets),
      penalty_(penalty),
      stride_((dictionaries.words + kIcmLanes - 1) / kIcmLanes * kIcmLanes),
      norms_(dictionaries.rows.rows()),
      word_excess_(dictionaries.count * stride_) {
    for (std::size_t w = 0; w < norms_.size(); ++w) {
        norms_[w] = kernels().dot(dictionaries.rows.row(w), dictionaries.rows.row(w), dictionaries.dimensions());
        word_excess_[w / dictionaries.words * stride_ + w % dictionaries.words] = norms_[w] - word_offsets[w];
    }
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
        largest[w][m] = std::abs(*std::max_element(row, row + K, [](float a, float b) { return std::abs(a) < std::abs(b); }));
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

// error, excess and cost of the codes, with the same table entries as the visits use.
void CompositeEncoder::measure(Vector& vector, const float* unary) const {
    float unaries = 0, excesses = 0;
    int pair_sum = 0;
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        unaries += unary[m * stride_ + vector.code[m]];
        excesses += word_excess_[m * stride_ + vector.code[m]];
        for (std::size_t l = 0; l < m; ++l) pair_sum += pairs(m, l, vector.code[l])[vector.code[m]];
    }
    const float pair = 2 * scale_ * static_cast<float>(pair_sum);
    vector.error = vector.squared_norm + unaries + pair;
    vector.excess = excesses + pair - penalty_.theta * vector.error;
    vector.cost = vector.error + penalty_.penalty * vector.excess * vector.excess;
}

// Dictionary by dictionary the word that lowers the error most, given those chosen before.
void CompositeEncoder::greedy_start(Vector& vector, const float* unary) const {
    const std::int16_t* rows[kMaxDictionaries];
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        for (std::size_t l = 0; l < m; ++l) rows[l] = pairs(m, l, vector.code[l]);
        const IcmChoice choice = kernels().icm_visit({.rows = rows, .row_count = m, .unary = unary + m * stride_,
                                                      .word_excess = word_excess_.data() + m * stride_,
                                                      .stride = stride_, .scale = scale_, .penalty = 0, .theta = 0,
                                                      .word = 0, .error = 0, .excess = 0});
        vector.code[m] = static_cast<std::uint8_t>(choice.word);
    }
}

bool CompositeEncoder::visit(std::size_t m, Vector& vector, const float* unary) const {
    const std::int16_t* rows[kMaxDictionaries];
    std::size_t count = 0;
    for (std::size_t l = 0; l < dictionaries_.count; ++l)
        if (l != m) rows[count++] = pairs(m, l, vector.code[l]);
    const IcmChoice choice = kernels().icm_visit({.rows = rows, .row_count = count, .unary = unary + m * stride_,
                                                  .word_excess = word_excess_.data() + m * stride_, .stride = stride_,
                                                  .scale = scale_, .penalty = penalty_.penalty, .theta = penalty_.theta,
                                                  .word = vector.code[m], .error = vector.error,
                                                  .excess = vector.excess});
    if (choice.word == vector.code[m]) return false;
    vector.code[m] = static_cast<std::uint8_t>(choice.word);
    vector.error = choice.error;
    vector.excess = choice.excess;
    vector.cost = choice.cost;
    return true;
}

// Sweeps over the dictionaries, all vectors of the group together, so that the table of one dictionary is reused
// while it is near. A vector rests once every dictionary was visited without a change.
void CompositeEncoder::settle(std::span<Vector> vectors, const float* unary, int sweeps) const {
    const std::size_t M = dictionaries_.count;
    for (Vector& vector : vectors) vector.unchanged = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t m = 0; m < M; ++m)
            for (std::size_t i = 0; i < vectors.size(); ++i)
                if (vectors[i].unchanged < M)
                    vectors[i].unchanged = visit(m, vectors[i], unary + i * M * stride_) ? 1 : vectors[i].unchanged + 1;
}

void CompositeEncoder::perturb(Vector& vector, const float* unary) const {
    for (std::size_t change = 0; change < kChanged; ++change)
        vector.code[vector.random.below(dictionaries_.count)] =
            static_cast<std::uint8_t>(vector.random.below(dictionaries_.words));
    measure(vector, unary);
}

double CompositeEncoder::exact_cost(const float* y, const std::uint8_t* code) const {
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
    const double error = static_cast<double>(kernels().squared_distance(y, sum, D));
    const double excess = static_cast<double>(kernels().dot(sum, sum, D)) - offsets - static_cast<double>(penalty_.theta) * error;
    return error + static_cast<double>(penalty_.penalty) * excess * excess;
}

void CompositeEncoder::encode_block(MatrixView<float> vectors, const LocalSearch& search, std::uint8_t* codes,
                                    bool from_codes) const {
    const std::size_t M = dictionaries_.count, K = dictionaries_.words, D = dictionaries_.dimensions();
    thread_local Scratch<float> product_scratch, unary_scratch;
    float* products = product_scratch.at_least(kRowBlock * M * K);
    float* unary = unary_scratch.at_least(kGroup * M * stride_);
    row_block_products(-2, vectors.data(), vectors.rows(), dictionaries_.rows.data(), M * K, D, products);
    std::vector<Vector> current(kGroup), trial;
    for (std::size_t first = 0; first < vectors.rows(); first += kGroup) {
        const std::size_t count = std::min(kGroup, vectors.rows() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const float* y = vectors.row(first + i);
            float* terms = unary + i * M * stride_;
            for (std::size_t m = 0; m < M; ++m) {
                const float* product = products + (first + i) * M * K + m * K;
                for (std::size_t k = 0; k < K; ++k) terms[m * stride_ + k] = product[k] + norms_[m * K + k];
                std::fill(terms + m * stride_ + K, terms + (m + 1) * stride_, kIcmPadding);
            }
            Vector& vector = current[i];
            vector.squared_norm = kernels().dot(y, y, D);
            vector.random = Random(hash64(y, D * sizeof(float), search.seed));
            if (from_codes)
                std::copy_n(codes + (first + i) * M, M, vector.code);
            else
                greedy_start(vector, terms);
            measure(vector, terms);
        }
        const std::span<Vector> group(current.data(), count);
        settle(group, unary, search.sweeps);
        for (int round = 0; round < search.perturbations; ++round) {
            trial.assign(group.begin(), group.end());
            for (std::size_t i = 0; i < count; ++i) perturb(trial[i], unary + i * M * stride_);
            settle(trial, unary, search.sweeps);
            for (std::size_t i = 0; i < count; ++i) {
                if (trial[i].cost < current[i].cost)
                    current[i] = trial[i];
                else
                    current[i].random = trial[i].random;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::uint8_t* code = codes + (first + i) * M;
            const float* y = vectors.row(first + i);
            if (!from_codes || exact_cost(y, current[i].code) < exact_cost(y, code)) std::copy_n(current[i].code, M, code);
        }
    }
}

Matrix<std::uint8_t> CompositeEncoder::encode(MatrixView<float> vectors, const LocalSearch& search,
                                              const Execution& execution) const {
    Matrix<std::uint8_t> codes(vectors.rows(), dictionaries_.count);
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        encode_block(vectors.slice(first, last - first), search, codes.row(first), false);
    });
    return codes;
}

void CompositeEncoder::improve(MatrixView<float> vectors, const LocalSearch& search, const Execution& execution,
                               Matrix<std::uint8_t>& codes) const {
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        encode_block(vectors.slice(first, last - first), search, codes.row(first), true);
    });
}

}  // namespace summand
