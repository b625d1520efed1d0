#include "model/beam_encoder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/aligned.h"
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "model/word_sum.h"
#include "summand/error.h"

namespace summand {

// A code in the making. `set` is a hash of the words in it, whatever their order.
struct BeamEncoder::Partial {
    float error;  // less |y|²
    float* open;  // M × K
    std::uint64_t used, set;
    std::uint8_t code[kMaxDictionaries];
};

// A partial code and the word to be added.
struct BeamEncoder::Extension {
    float error;
    std::uint64_t set;
    std::uint32_t from;  // in the beam
    std::uint8_t dictionary, word;
};

// Partial codes of one vector, those of the next step, and the extensions that become them, best first.
struct BeamEncoder::Beam {
    Beam(std::size_t beam_width, std::size_t size) : width(beam_width), rows(2 * beam_width * size) {
        for (std::size_t i = 0; i < 2 * width; ++i) free.push_back(rows.data() + i * size);
    }

    float limit() const { return best.size() < width ? std::numeric_limits<float>::infinity() : best.back().error; }
    void offer(const Extension& extension) {
        for (const Extension& other : best)
            if (other.set == extension.set) return;
        if (best.size() == width) best.pop_back();
        const auto place = std::upper_bound(best.begin(), best.end(), extension,
                                            [](const auto& a, const auto& b) { return a.error < b.error; });
        best.insert(place, extension);
    }

    std::size_t width;
    AlignedBuffer<float> rows;
    std::vector<float*> free;  // rows of no partial code
    std::vector<Partial> partials, next;
    std::vector<Extension> best;
};

std::size_t beam_width(Effort effort) {
    constexpr std::size_t kWidths[] = {4, 16, 64};
    return kWidths[static_cast<std::size_t>(effort)];
}

BeamEncoder::BeamEncoder(const Dictionaries& dictionaries, CodeSearch search, const Execution& execution)
    : dictionaries_(dictionaries), search_(search), norms_(dictionaries.rows.rows()) {
    for (std::size_t w = 0; w < norms_.size(); ++w)
        norms_[w] = kernels().dot(dictionaries.rows.row(w), dictionaries.rows.row(w), dictionaries.dimensions());
    pairs_ = multiply_transposed(dictionaries.rows.view(), dictionaries.rows.view(), execution);
    for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_.data()[i] *= 2;
}

// Offers a partial code with each word of dictionary m.
void BeamEncoder::offer_row(const Partial& partial, std::size_t from, std::size_t m, Beam& beam) const {
    static constexpr float kZeros[kMaxWords] = {};
    const std::size_t K = dictionaries_.words;
    const float* row = partial.open + m * K;
    float lowest;
    kernels().argmin_sum(row, kZeros, K, &lowest);
    if (partial.error + lowest >= beam.limit()) return;
    for (std::size_t k = 0; k < K; ++k)
        if (const float error = partial.error + row[k]; error < beam.limit())
            beam.offer({error, partial.set ^ mix(m * K + k), static_cast<std::uint32_t>(from),
                        static_cast<std::uint8_t>(m), static_cast<std::uint8_t>(k)});
}

void BeamEncoder::extend(std::size_t step, Beam& beam) const {
    beam.best.clear();
    for (std::size_t i = 0; i < beam.partials.size(); ++i)
        for (std::size_t m = 0; m < dictionaries_.count; ++m)
            if (search_ == CodeSearch::residual ? m == step : (beam.partials[i].used >> m & 1) == 0)
                offer_row(beam.partials[i], i, m, beam);
}

// The extensions become the partial codes of the next step. Their open rows are needed from the next dictionary on
// (residual), or all of them, and not any more after the last step.
void BeamEncoder::advance(std::size_t step, Beam& beam) const {
    const std::size_t K = dictionaries_.words, all = dictionaries_.rows.rows();
    const std::size_t first = search_ == CodeSearch::residual ? (step + 1) * K : 0;
    for (const Extension& extension : beam.best) {
        const Partial& from = beam.partials[extension.from];
        Partial partial = from;
        partial.error = extension.error;
        partial.set = extension.set;
        partial.used |= std::uint64_t{1} << extension.dictionary;
        partial.code[extension.dictionary] = extension.word;
        partial.open = beam.free.back();
        beam.free.pop_back();
        if (step + 1 < dictionaries_.count) {
            const float* rows[] = {from.open + first, pairs_.row(extension.dictionary * K + extension.word) + first};
            kernels().sum_rows(rows, 2, all - first, partial.open + first);
        }
        beam.next.push_back(partial);
    }
    for (const Partial& partial : beam.partials) beam.free.push_back(partial.open);
    beam.partials.swap(beam.next);
    beam.next.clear();
}

// `products`: -2 y·c of all words. Leaves the best code in front.
void BeamEncoder::find(const float* products, Beam& beam) const {
    for (const Partial& partial : beam.partials) beam.free.push_back(partial.open);
    beam.partials.clear();
    Partial empty{.error = 0, .open = beam.free.back(), .used = 0, .set = 0, .code = {}};
    beam.free.pop_back();
    const float* rows[] = {products, norms_.data()};
    kernels().sum_rows(rows, 2, norms_.size(), empty.open);
    beam.partials.push_back(empty);
    for (std::size_t step = 0; step < dictionaries_.count; ++step) {
        extend(step, beam);
        if (beam.best.empty()) return;  // sums that overflow compare as neither; the rest of the code stays 0
        advance(step, beam);
    }
}

template <class Take>
void BeamEncoder::for_each_code(MatrixView<float> vectors, std::size_t width, const Execution& execution,
                                const Take& take) const {
    require(width >= 1, "encode: expected a beam of at least 1 code, got 0");
    const std::size_t all = dictionaries_.rows.rows();
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        thread_local Scratch<float> scratch;
        float* products = scratch.at_least(kRowBlock * all);
        row_block_products(-2, vectors.row(first), last - first, dictionaries_.rows.data(), all, vectors.columns(),
                           products);
        Beam beam(width, all);
        for (std::size_t i = first; i < last; ++i) {
            find(products + (i - first) * all, beam);
            take(i, beam.partials.front().code);
        }
    });
}

Matrix<std::uint8_t> BeamEncoder::encode(MatrixView<float> vectors, std::size_t width,
                                         const Execution& execution) const {
    Matrix<std::uint8_t> codes(vectors.rows(), dictionaries_.count);
    for_each_code(vectors, width, execution, [&](std::size_t i, const std::uint8_t* code) {
        std::copy_n(code, dictionaries_.count, codes.row(i));
    });
    return codes;
}

void BeamEncoder::improve(MatrixView<float> vectors, std::size_t width, const Execution& execution,
                          Matrix<std::uint8_t>& codes) const {
    for_each_code(vectors, width, execution, [&](std::size_t i, const std::uint8_t* code) {
        const float* vector = vectors.row(i);
        if (squared_error(dictionaries_, vector, code) < squared_error(dictionaries_, vector, codes.row(i)))
            std::copy_n(code, dictionaries_.count, codes.row(i));
    });
}

}  // namespace summand
