#include "model/tree_encoder.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/parallel.h"
#include "kernels/kernels.h"
#include "math/blas.h"
#include "model/word_sum.h"
#include "summand/error.h"

namespace summand {

Matrix<std::uint8_t> word_overlaps(const Dictionaries& dictionaries) {
    const std::size_t M = dictionaries.count;
    Matrix<std::uint8_t> overlaps(M, M);
    for (std::size_t d = 0; d < dictionaries.dimensions(); ++d) {
        std::vector<std::size_t> users;
        for (std::size_t m = 0; m < M; ++m) {
            bool used = false;
            for (std::size_t k = 0; k < dictionaries.words && !used; ++k) used = dictionaries.word(m, k)[d] != 0;
            if (used) users.push_back(m);
        }
        for (const std::size_t a : users)
            for (const std::size_t b : users)
                if (a != b) overlaps[a][b] = 1;
    }
    return overlaps;
}

std::vector<TreeEdge> tree_of(const Matrix<std::uint8_t>& neighbours, const char* what) {
    const std::size_t M = neighbours.rows();
    std::vector<TreeEdge> edges;
    std::vector<bool> met(M);
    for (std::size_t root = 0; root < M; ++root) {
        if (met[root]) continue;
        met[root] = true;
        std::vector<TreeEdge> queue{{root, root}};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const TreeEdge at = queue[next];
            for (std::size_t m = 0; m < M; ++m) {
                if (!neighbours[at.child][m] || m == at.parent) continue;
                require(!met[m], what, ": expected words that overlap along a tree of dictionaries, dictionary ", m,
                        " is on a cycle");
                met[m] = true;
                queue.push_back({m, at.child});
            }
        }
        edges.insert(edges.end(), queue.begin() + 1, queue.end());
    }
    std::reverse(edges.begin(), edges.end());
    return edges;
}

TreeEncoder::TreeEncoder(const Dictionaries& dictionaries, const Execution& execution)
    : dictionaries_(dictionaries),
      edges_(tree_of(word_overlaps(dictionaries), "encode")),
      norms_(dictionaries.rows.rows()) {
    const std::size_t K = dictionaries.words;
    for (std::size_t w = 0; w < norms_.size(); ++w)
        norms_[w] = kernels().dot(dictionaries.rows.row(w), dictionaries.rows.row(w), dictionaries.dimensions());
    for (const TreeEdge& edge : edges_) {
        pairs_.push_back(multiply_transposed(dictionaries.rows.view().slice(edge.parent * K, K),
                                             dictionaries.rows.view().slice(edge.child * K, K), execution));
        for (std::size_t i = 0; i < pairs_.back().size(); ++i) pairs_.back().data()[i] *= 2;
    }
}

// `costs`: |c|² - 2 y·c of all words, which grows by the best of the subtrees. Choices: edges × K.
void TreeEncoder::find(float* costs, std::uint8_t* choices, std::uint8_t* code) const {
    static constexpr float kZeros[kMaxWords] = {};
    const std::size_t K = dictionaries_.words;
    float best;
    for (std::size_t e = 0; e < edges_.size(); ++e)
        for (std::size_t k = 0; k < K; ++k) {
            choices[e * K + k] = static_cast<std::uint8_t>(
                kernels().argmin_sum(costs + edges_[e].child * K, pairs_[e].row(k), K, &best));
            costs[edges_[e].parent * K + k] += best;
        }
    for (std::size_t m = 0; m < dictionaries_.count; ++m)  // right for the roots
        code[m] = static_cast<std::uint8_t>(kernels().argmin_sum(costs + m * K, kZeros, K, &best));
    for (std::size_t e = edges_.size(); e-- > 0;) code[edges_[e].child] = choices[e * K + code[edges_[e].parent]];
}

template <class Take>
void TreeEncoder::for_each_code(MatrixView<float> vectors, const Execution& execution, const Take& take) const {
    const std::size_t all = dictionaries_.rows.rows();
    parallel_ranges(execution, vectors.rows(), kRowBlock, [&](std::size_t first, std::size_t last) {
        thread_local Scratch<float> scratch;
        float* costs = scratch.at_least(kRowBlock * all);
        row_block_products(-2, vectors.row(first), last - first, dictionaries_.rows.data(), all, vectors.columns(),
                           costs);
        std::vector<std::uint8_t> choices(edges_.size() * dictionaries_.words);
        for (std::size_t i = first; i < last; ++i) {
            std::uint8_t code[kMaxDictionaries];
            float* own = costs + (i - first) * all;
            const float* rows[] = {own, norms_.data()};
            kernels().sum_rows(rows, 2, all, own);
            find(own, choices.data(), code);
            take(i, code);
        }
    });
}

Matrix<std::uint8_t> TreeEncoder::encode(MatrixView<float> vectors, const Execution& execution) const {
    Matrix<std::uint8_t> codes(vectors.rows(), dictionaries_.count);
    for_each_code(vectors, execution, [&](std::size_t i, const std::uint8_t* code) {
        std::copy_n(code, dictionaries_.count, codes.row(i));
    });
    return codes;
}

void TreeEncoder::improve(MatrixView<float> vectors, const Execution& execution, Matrix<std::uint8_t>& codes) const {
    for_each_code(vectors, execution, [&](std::size_t i, const std::uint8_t* code) {
        const float* vector = vectors.row(i);
        if (squared_error(dictionaries_, vector, code) < squared_error(dictionaries_, vector, codes.row(i)))
            std::copy_n(code, dictionaries_.count, codes.row(i));
    });
}

}  // namespace summand
