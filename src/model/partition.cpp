#include "summand/partition.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "math/clusters.h"
#include "math/norms.h"
#include "math/smallest.h"
#include "summand/error.h"

namespace summand {
namespace {

// Pairs of words. With u_i[k] = |c_i|² - 2 x·c_i the error of a pair is u_0[a] + u_1[b] + 2 c_0[a]·c_1[b].
class PairSearch {
public:
    explicit PairSearch(const Dictionaries& words) : words_(words), norms_(2 * words.words) {
        for (std::size_t w = 0; w < norms_.size(); ++w) norms_[w] = dot(words.rows.row(w), words.rows.row(w));
    }

    // Turns from the better of two starts: the best word of either dictionary by itself.
    std::uint32_t nearest(const float* products, std::vector<float>& unary) {
        unary.resize(norms_.size());
        for (std::size_t w = 0; w < unary.size(); ++w) unary[w] = norms_[w] + products[w];
        for (std::size_t m = 0; m < 2; ++m) choose_tried(unary.data() + m * words_.words, tried_[m]);
        const Pair from_first = descend(1, best(0)), from_second = descend(0, best(1));
        const Pair& pair = from_second.error < from_first.error ? from_second : from_first;
        return static_cast<std::uint32_t>(tried_[0].words[pair.place[0]] * words_.words +
                                          tried_[1].words[pair.place[1]]);
    }

private:
    // Of many words it tries only some that are best alone, since the products of words are small beside their errors.
    static constexpr std::size_t kFewWords = 256, kTried = 64;

    struct Tried {
        std::vector<std::uint32_t> words;
        std::vector<float> unary;

        void add(std::size_t k, float value) {
            words.push_back(static_cast<std::uint32_t>(k));
            unary.push_back(value);
        }
    };
    struct Pair {
        std::size_t place[2];  // among the words that are tried
        float error;
    };

    float dot(const float* a, const float* b) const { return kernels().dot(a, b, words_.dimensions()); }

    void choose_tried(const float* unary, Tried& tried) const {
        tried.words.clear();
        tried.unary.clear();
        const std::size_t wanted = words_.words <= kFewWords ? words_.words : kTried;
        const SomeValues some = some_smallest(unary, words_.words, wanted);
        for (std::size_t i = 0; i < some.count; ++i) tried.add(some.numbers[i], some.values[i]);
    }

    std::size_t best(std::size_t m) const {
        const std::vector<float>& unary = tried_[m].unary;
        return static_cast<std::size_t>(std::min_element(unary.begin(), unary.end()) - unary.begin());
    }

    // The best word of dictionary m beside a word of the other one.
    std::size_t partner(std::size_t m, std::size_t other, float* error) {
        const float* beside = words_.word(1 - m, tried_[1 - m].words[other]);
        const Tried& tried = tried_[m];
        pair_.resize(tried.words.size());
        for (std::size_t i = 0; i < pair_.size(); ++i) pair_[i] = 2 * dot(words_.word(m, tried.words[i]), beside);
        const std::size_t place = kernels().argmin_sum(pair_.data(), tried.unary.data(), pair_.size(), error);
        *error += tried_[1 - m].unary[other];
        return place;
    }

    Pair descend(std::size_t m, std::size_t other) {
        Pair pair{{other, other}, 0};
        pair.place[m] = partner(m, other, &pair.error);
        for (;;) {
            m = 1 - m;
            float error;
            const std::size_t place = partner(m, pair.place[1 - m], &error);
            if (!(error < pair.error)) return pair;
            pair.place[m] = place;
            pair.error = error;
        }
    }

    const Dictionaries& words_;
    std::vector<float> norms_, pair_;
    Tried tried_[2];
};

constexpr std::size_t kGroupsTried = 4;

// The nearest groups of each vector, kGroupsTried or all of them.
Matrix<std::uint32_t> nearest_groups(MatrixView<float> groups, MatrixView<float> vectors, const Execution& execution) {
    Matrix<std::uint32_t> nearest(vectors.rows(), std::min(kGroupsTried, groups.rows()));
    const std::vector<float> norms = squared_norms(groups);
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        AlignedBuffer<float> products(kRowBlock * groups.rows());
        row_block_products(-2, vectors.row(first), last - first, groups.data(), groups.rows(), groups.columns(),
                           products.data());
        std::vector<std::pair<float, std::uint32_t>> ranked(groups.rows());
        for (std::size_t i = first; i < last; ++i) {
            for (std::uint32_t g = 0; g < groups.rows(); ++g)
                ranked[g] = {products[(i - first) * groups.rows() + g] + norms[g], g};
            std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(nearest.columns()),
                              ranked.end());
            for (std::size_t t = 0; t < nearest.columns(); ++t) nearest[i][t] = ranked[t].second;
        }
    });
    return nearest;
}

Matrix<float> gathered(MatrixView<float> vectors, const std::vector<std::size_t>& rows) {
    Matrix<float> result(rows.size(), vectors.columns());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(vectors.row(rows[i]), vectors.columns(), result.row(i));
    return result;
}

// Group by group, all vectors that try it.
std::vector<std::uint32_t> assign_grouped(const Partition& partition, MatrixView<float> vectors,
                                          const Execution& execution) {
    const Matrix<std::uint32_t> tried = nearest_groups(partition.groups.view(), vectors, execution);
    std::vector<std::vector<std::size_t>> members(partition.groups.rows());
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        for (const std::uint32_t group : tried[i]) members[group].push_back(i);
    std::vector<std::pair<float, std::uint32_t>> best(vectors.rows(), {std::numeric_limits<float>::infinity(), 0});
    for (std::size_t g = 0; g < members.size(); ++g) {
        const std::size_t begin = partition.group_begin[g], count = partition.group_begin[g + 1] - begin;
        if (members[g].empty() || count == 0) continue;
        const Assignment nearest = nearest_centres(gathered(vectors, members[g]).view(),
                                                   partition.dictionaries.rows.view().slice(begin, count), execution);
        for (std::size_t i = 0; i < members[g].size(); ++i)
            best[members[g][i]] = std::min(
                best[members[g][i]], {nearest.distance[i], static_cast<std::uint32_t>(begin + nearest.centre[i])});
    }
    std::vector<std::uint32_t> cells(vectors.rows());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = best[i].second;
    return cells;
}

std::vector<std::uint32_t> assign_singly(const Dictionaries& words, MatrixView<float> vectors,
                                         const Execution& execution) {
    const MatrixView<float> rows = words.rows.view();
    const Assignment first = nearest_centres(vectors, rows.slice(0, words.words), execution);
    const Assignment second = nearest_centres(vectors, rows.slice(words.words, words.words), execution);
    std::vector<std::uint32_t> cells(vectors.rows());
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = first.centre[i] * static_cast<std::uint32_t>(words.words) + second.centre[i];
    return cells;
}

std::vector<std::uint32_t> assign_pairs(const Dictionaries& words, MatrixView<float> vectors,
                                        const Execution& execution) {
    std::vector<std::uint32_t> cells(vectors.rows());
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        PairSearch search(words);
        AlignedBuffer<float> products(kRowBlock * words.rows.rows());
        std::vector<float> unary;
        row_block_products(-2, vectors.row(first), last - first, words.rows.data(), words.rows.rows(),
                           words.dimensions(), products.data());
        for (std::size_t i = first; i < last; ++i)
            cells[i] = search.nearest(products.data() + (i - first) * words.rows.rows(), unary);
    });
    return cells;
}

}  // namespace

std::vector<std::uint32_t> assign(const Partition& partition, MatrixView<float> vectors, const Execution& execution) {
    const Dictionaries& words = partition.dictionaries;
    require(vectors.columns() == words.dimensions(), "assign: expected vectors of ", words.dimensions(),
            " dimensions, got ", vectors.columns());
    if (!partition.groups.empty()) return assign_grouped(partition, vectors, execution);
    if (words.count == 1) return nearest_centres(vectors, words.rows.view(), execution).centre;
    return partition.orthogonal ? assign_singly(words, vectors, execution) : assign_pairs(words, vectors, execution);
}

Matrix<float> residuals(const Partition& partition, const std::vector<std::uint32_t>& cells,
                        MatrixView<float> vectors) {
    const Dictionaries& words = partition.dictionaries;
    Matrix<float> result(vectors.rows(), vectors.columns());
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
        const std::size_t first = words.count == 2 ? cells[i] / words.words : cells[i];
        const float* a = words.word(0, first);
        const float* b = words.count == 2 ? words.word(1, cells[i] % words.words) : nullptr;
        for (std::size_t d = 0; d < result.columns(); ++d) result[i][d] = vectors[i][d] - (b ? a[d] + b[d] : a[d]);
    }
    return result;
}

}  // namespace summand
