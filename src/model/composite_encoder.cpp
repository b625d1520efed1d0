#include "model/composite_encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "summand/error.h"

namespace summand {
namespace {

// One in so many trials minimises the whole cost from its first sweep on: some optima are far from a small error.
constexpr int kCostFirst = 5;
constexpr std::size_t kGroup = 32;  // vectors searched together: their terms stay in the L2 cache

}  // namespace

// The state of one vector in the search.
struct CompositeEncoder::Vector {
    float* unary;         // |c|² - 2 y·c of dictionary 0; the next ones follow at kRowBlock rows
    std::int16_t* bound;  // the same in 16 bits; the next ones follow
    const IcmBounds* bounds;
    float squared_norm;  // |y|²
    float error, excess, cost;
    std::size_t unchanged;  // visits in a row that changed nothing
    Random random{0};
    const Vector* origin = nullptr;  // of a trial, where that is at rest
    std::uint8_t code[kMaxDictionaries];
};

CompositeEncoder::CompositeEncoder(const Dictionaries& dictionaries, std::span<const float> word_offsets,
                                   CodePenalty penalty, const Execution& execution)
    : dictionaries_(dictionaries),
      word_offsets_(word_offsets),
      penalty_(penalty),
      stride_((dictionaries.words + kIcmLanes - 1) / kIcmLanes * kIcmLanes),
      unary_words_(dictionaries.count * stride_, dictionaries.dimensions() + 1),
      gains_(dictionaries.count * stride_) {
    extend_words();
    tabulate_pairs(execution);
}

void CompositeEncoder::extend_words() {
    const std::size_t D = dictionaries_.dimensions(), K = dictionaries_.words;
    for (std::size_t m = 0; m < dictionaries_.count; ++m)
        for (std::size_t k = 0; k < stride_; ++k) {
            const std::size_t w = m * stride_ + k;
            if (k >= K) {
                unary_words_[w][D] = kIcmPadding;
                continue;
            }
            const float* word = dictionaries_.word(m, k);
            const float norm = kernels().dot(word, word, D);
            for (std::size_t d = 0; d < D; ++d) unary_words_[w][d] = -2 * word[d];
            unary_words_[w][D] = norm;
            gains_[w] = penalty_.expectation * norm - word_offsets_[m * K + k];
        }
}

// The vectors, each with a one behind it, times the extended words: for each dictionary kRowBlock × stride.
void CompositeEncoder::fill_unaries(MatrixView<float> vectors, float* out) const {
    const std::size_t D = vectors.columns();
    thread_local Scratch<float> scratch;
    float* longer = scratch.at_least(kRowBlock * (D + 1));
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        std::copy_n(vectors.row(i), D, longer + i * (D + 1));
        longer[i * (D + 1) + D] = 1;
    }
    for (std::size_t m = 0; m < dictionaries_.count; ++m, out += kRowBlock * stride_)
        row_block_products(1, longer, vectors.rows(), unary_words_.row(m * stride_), stride_, D + 1, out);
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
        const bool finite = std::all_of(row, row + K, [](float product) { return std::isfinite(product); });
        require(finite, "encode: the inner products of the words exceed the range of floats");
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
    pairs_ = AlignedBuffer<std::int16_t>::in_large_pages(M * M * K * stride_);
    std::fill(pairs_.data(), pairs_.data() + pairs_.size(), std::int16_t{0});
    for_each_product([&](std::size_t w, std::size_t m, const float* row) {
        std::int16_t* out = pairs_.data() + ((m * M + w / K) * K + w % K) * stride_;
        for (std::size_t k = 0; k < K; ++k) out[k] = static_cast<std::int16_t>(std::nearbyint(row[k] / scale_));
    });
}

float* CompositeEncoder::unary_of(std::size_t m, const Vector& vector) const {
    return vector.unary + m * kRowBlock * stride_;
}

// error, excess and cost of the codes, with the same table entries as the visits use.
void CompositeEncoder::measure(Vector& vector) const {
    float unaries = 0, gains = 0;
    int pair_sum = 0;
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        const float unary = unary_of(m, vector)[vector.code[m]];
        unaries += unary;
        gains += gains_[m * stride_ + vector.code[m]] - penalty_.expectation * unary;
        for (std::size_t l = 0; l < m; ++l) pair_sum += pairs(m, l, vector.code[l])[vector.code[m]];
    }
    vector.error = vector.squared_norm + unaries + 2 * scale_ * static_cast<float>(pair_sum);
    vector.excess =
        (penalty_.norm - 2 * penalty_.expectation) * vector.squared_norm + gains + (1 - penalty_.theta) * vector.error;
}

// Visits dictionary m of the vectors that are not at rest, their words of the first `others` dictionaries given.
void CompositeEncoder::visit(std::size_t m, std::size_t others, std::span<Vector> vectors, CodePenalty penalty) const {
    const std::int16_t* rows[kGroup * kMaxDictionaries];
    IcmVisit visits[kGroup];
    IcmChoice choices[kGroup];
    Vector* visited[kGroup];
    const std::int16_t** row = rows;
    std::size_t count = 0;
    for (Vector& vector : vectors) {
        if (vector.unchanged >= dictionaries_.count) continue;
        visits[count] = {.rows = row,
                         .unary = unary_of(m, vector),
                         .bound = vector.bound + m * stride_,
                         .bounds = vector.bounds[m],
                         .word = vector.code[m],
                         .error = vector.error,
                         .excess = vector.excess};
        visited[count++] = &vector;
        for (std::size_t l = 0; l < others; ++l)
            if (l != m) *row++ = pairs(m, l, vector.code[l]);
    }
    kernels().icm_visits({.gain = gains_.data() + m * stride_,
                          .gain_slope = -penalty.expectation,
                          .stride = stride_,
                          .row_count = others - (m < others ? 1 : 0),
                          .scale = scale_,
                          .penalty = penalty.penalty,
                          .slope = 1 - penalty.theta,
                          .absolute = penalty.absolute},
                         visits, count, choices);
    for (std::size_t i = 0; i < count; ++i) {
        Vector& vector = *visited[i];
        const IcmChoice& choice = choices[i];
        ++vector.unchanged;
        if (choice.word == vector.code[m]) continue;
        vector.code[m] = static_cast<std::uint8_t>(choice.word);
        vector.error = choice.error;
        vector.excess = choice.excess;
        vector.unchanged = 1;
    }
}

// Dictionary by dictionary the word that lowers the error most, given those chosen before.
void CompositeEncoder::greedy_start(std::span<Vector> vectors) const {
    for (std::size_t m = 0; m < dictionaries_.count; ++m) {
        for (Vector& vector : vectors) {
            vector.code[m] = 0;
            vector.error = vector.excess = 0;
            vector.unchanged = 0;
        }
        visit(m, m, vectors, without_penalty());
    }
}

// Sweeps over the dictionaries, all vectors of the group together, so that the table of one dictionary is reused
// while it is near. The first of several minimises the error alone: what the penalty favours near a start is soon left
// behind. A vector rests once every dictionary was visited without a change, or it is where its origin rests.
void CompositeEncoder::settle(std::span<Vector> vectors, int sweeps, std::size_t first, bool error_first) const {
    const std::size_t M = dictionaries_.count;
    error_first = error_first && sweeps > 1 && penalised();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const bool error_alone = sweep == 0 && error_first;
        if (sweep == 1 && error_first)
            for (Vector& vector : vectors) vector.unchanged = 0;
        for (std::size_t turn = 0; turn < M; ++turn) {
            if (!error_alone)
                for (Vector& vector : vectors)
                    if (vector.unchanged < 2 && vector.origin &&
                        std::equal(vector.code, vector.code + M, vector.origin->code))
                        vector.unchanged = M;
            visit((first + turn) % M, M, vectors, error_alone ? without_penalty() : penalty_);
        }
    }
    for (Vector& vector : vectors)
        vector.cost = vector.error + penalty_.penalty * vector.excess * vector.excess +
                      penalty_.absolute * std::abs(vector.excess);
}

// Dictionary m takes its second-best word after another one took a random word.
void CompositeEncoder::perturb(std::size_t m, std::span<Vector> vectors, bool error_alone) const {
    const std::size_t M = dictionaries_.count, K = dictionaries_.words;
    const auto word = [](std::size_t k) { return static_cast<std::uint8_t>(k); };
    struct Present {
        float* unary;
        std::int16_t* bound;
        float unary_value;
        std::int16_t bound_value;
    } present[kGroup];
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        Vector& vector = vectors[i];
        vector.code[(m + 1 + vector.random.below(M - 1)) % M] = word(vector.random.below(K));
        float& unary = unary_of(m, vector)[vector.code[m]];
        std::int16_t& bound = vector.bound[m * stride_ + vector.code[m]];
        present[i] = {&unary, &bound, unary, bound};
        unary = kIcmPadding;  // cannot be chosen
        bound = static_cast<std::int16_t>(kMostIcmBound);
        vector.code[m] = word((vector.code[m] + 1 + vector.random.below(K - 1)) % K);
        measure(vector);
        vector.unchanged = 0;
    }
    visit(m, M, vectors, error_alone ? without_penalty() : penalty_);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        *present[i].unary = present[i].unary_value;
        *present[i].bound = present[i].bound_value;
        vectors[i].unchanged = 1;
    }
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
    const float* y = vectors.vectors.row(i);
    const double error = static_cast<double>(kernels().squared_distance(y, sum, D));
    const double expectation = static_cast<double>(penalty_.expectation);
    const double excess =
        (static_cast<double>(penalty_.norm) - 2 * expectation) * static_cast<double>(vectors.squared_norms[i]) +
        2 * expectation * static_cast<double>(kernels().dot(y, sum, D)) - offsets +
        (1 - static_cast<double>(penalty_.theta)) * error;
    return error + static_cast<double>(penalty_.penalty) * excess * excess +
           static_cast<double>(penalty_.absolute) * std::abs(excess);
}

void CompositeEncoder::start(const CompositeView& vectors, const LocalSearch& search, const std::uint8_t* codes,
                             std::span<Vector> group) const {
    const std::size_t M = dictionaries_.count;
    for (std::size_t i = 0; i < group.size(); ++i) {
        group[i].squared_norm = vectors.squared_norms[i];
        if (codes) std::copy_n(codes + i * M, M, group[i].code);
    }
    if (!codes) greedy_start(group);
    for (Vector& vector : group) {
        vector.random = Random(hash64(vector.code, M, search.seed));
        measure(vector);
        vector.unchanged = 0;
    }
}

void CompositeEncoder::encode_block(const CompositeView& vectors, const LocalSearch& search, std::uint8_t* codes,
                                    bool from_codes) const {
    const std::size_t M = dictionaries_.count;
    const int perturbations = M > 1 ? search.perturbations : 0;  // a visit of one dictionary is final
    thread_local Scratch<float> unary_scratch;
    thread_local Scratch<std::int16_t> bound_scratch;
    float* unary = unary_scratch.at_least(kRowBlock * M * stride_);
    std::int16_t* bound = bound_scratch.at_least(kGroup * M * stride_);
    fill_unaries(vectors.vectors, unary);
    std::vector<IcmBounds> bounds(kGroup * M);
    std::vector<Vector> current(kGroup), trial;
    for (std::size_t first = 0; first < vectors.rows(); first += kGroup) {
        const std::span<Vector> group(current.data(), std::min(kGroup, vectors.rows() - first));
        for (std::size_t i = 0; i < group.size(); ++i) {
            group[i].unary = unary + (first + i) * stride_;
            group[i].bound = bound + i * M * stride_;
            group[i].bounds = bounds.data() + i * M;
            for (std::size_t m = 0; m < M; ++m)
                bounds[i * M + m] = kernels().icm_bounds(unary_of(m, group[i]), dictionaries_.words, stride_, scale_,
                                                         group[i].bound + m * stride_);
        }
        start(vectors.slice(first, group.size()), search, from_codes ? codes + first * M : nullptr, group);
        settle(group, search.sweeps, 0, !from_codes);
        for (int round = 0; round < perturbations; ++round) {
            const std::size_t m = (search.seed + static_cast<std::size_t>(round)) % M;
            const bool error_first = round % kCostFirst != kCostFirst - 1;
            trial.assign(group.begin(), group.end());
            for (std::size_t i = 0; i < group.size(); ++i)
                trial[i].origin = group[i].unchanged < M ? nullptr : &group[i];
            perturb(m, trial, error_first);
            settle(trial, search.sweeps, m + 1, error_first);
            for (std::size_t i = 0; i < group.size(); ++i) {
                if (trial[i].cost < group[i].cost) group[i] = trial[i];
                group[i].random = trial[i].random;
                group[i].origin = nullptr;
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
