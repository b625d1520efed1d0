#include "train/dictionary_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "math/blas.h"
#include "math/clusters.h"

namespace summand {
namespace {

constexpr double kRidge = 1;  // a word's old value counts as so many vectors

// Sums of the vectors that use each word, for every dictionary.
std::vector<ClusterSums> sums_by_word(MatrixView<float> vectors, const Matrix<std::uint8_t>& codes, std::size_t words,
                                      const Execution& execution) {
    std::vector<ClusterSums> sums;
    for (std::size_t m = 0; m < codes.columns(); ++m) {
        std::vector<std::uint32_t> cluster(codes.rows());
        for (std::size_t n = 0; n < cluster.size(); ++n) cluster[n] = codes[n][m];
        sums.push_back(sums_by_cluster(vectors, cluster, words, execution));
    }
    return sums;
}

// How often two words of dictionaries a and b are used together, the words of a first; and the ridge.
Matrix<double> normal_matrix(const Matrix<std::uint8_t>& codes, std::size_t a, std::size_t b, std::size_t words) {
    Matrix<double> counts(2 * words, 2 * words);
    for (std::size_t n = 0; n < codes.rows(); ++n) {
        const std::size_t i = codes[n][a], j = words + codes[n][b];
        counts[i][i] += 1;
        counts[j][j] += 1;
        counts[i][j] += 1;
        counts[j][i] += 1;
    }
    for (std::size_t w = 0; w < counts.rows(); ++w) counts[w][w] += kRidge;
    return counts;
}

// What dictionaries a and b together explain of every dimension.
std::vector<double> explained(const std::vector<ClusterSums>& sums, const Matrix<std::uint8_t>& codes, std::size_t a,
                              std::size_t b) {
    const std::size_t K = sums[a].sums.rows(), D = sums[a].sums.columns();
    Matrix<double> right(2 * K, D);
    std::copy_n(sums[a].sums.data(), K * D, right.data());
    std::copy_n(sums[b].sums.data(), K * D, right.row(K));
    const Matrix<double> words = solve_positive_definite(normal_matrix(codes, a, b, K), right);
    std::vector<double> gain(D);
    for (std::size_t w = 0; w < words.rows(); ++w)
        for (std::size_t d = 0; d < D; ++d) gain[d] += words[w][d] * right[w][d];
    return gain;
}

struct Candidate {
    std::size_t first, second;
    std::vector<double> gain;  // per dimension
};

// Returns what all dimensions would explain if each could replace its best edge so far by this one.
double with_edge(const std::vector<double>& best, const std::vector<double>& gain) {
    double sum = 0;
    for (std::size_t d = 0; d < best.size(); ++d) sum += std::max(best[d], gain[d]);
    return sum;
}

// M-1 candidates that form a tree; components are numbered by one of their dictionaries.
std::vector<Candidate> greedy_tree(const std::vector<Candidate>& candidates, std::size_t count,
                                   std::size_t dimensions) {
    std::vector<std::size_t> component(count);
    std::iota(component.begin(), component.end(), std::size_t{0});
    std::vector<double> best(dimensions, 0.0);
    std::vector<Candidate> tree;
    while (tree.size() + 1 < count) {
        const Candidate* chosen = nullptr;
        double most = 0;
        for (const Candidate& candidate : candidates) {
            if (component[candidate.first] == component[candidate.second]) continue;
            const double value = with_edge(best, candidate.gain);
            if (chosen && value <= most) continue;
            chosen = &candidate;
            most = value;
        }
        for (std::size_t d = 0; d < dimensions; ++d) best[d] = std::max(best[d], chosen->gain[d]);
        tree.push_back(*chosen);
        const std::size_t old = component[chosen->second], joined = component[chosen->first];
        std::replace(component.begin(), component.end(), old, joined);
    }
    return tree;
}

}  // namespace

DictionaryTree choose_tree(MatrixView<float> vectors, const Matrix<std::uint8_t>& codes, std::size_t words,
                           const Execution& execution) {
    const std::size_t M = codes.columns(), D = vectors.columns();
    const std::vector<ClusterSums> sums = sums_by_word(vectors, codes, words, execution);
    std::vector<Candidate> candidates;
    for (std::size_t a = 0; a < M; ++a)
        for (std::size_t b = a + 1; b < M; ++b) candidates.push_back({a, b, {}});
    parallel_for(execution, candidates.size(), [&](std::size_t c) {
        candidates[c].gain = explained(sums, codes, candidates[c].first, candidates[c].second);
    });
    const std::vector<Candidate> chosen = greedy_tree(candidates, M, D);
    DictionaryTree tree;
    for (const Candidate& edge : chosen) tree.edges.push_back({edge.first, edge.second, {}});
    for (std::size_t d = 0; d < D; ++d) {
        std::size_t best = 0;
        for (std::size_t e = 1; e < chosen.size(); ++e)
            if (chosen[e].gain[d] > chosen[best].gain[d]) best = e;
        tree.edges[best].dimensions.push_back(d);
    }
    return tree;
}

void solve_tree(MatrixView<float> vectors, const Matrix<std::uint8_t>& codes, const DictionaryTree& tree,
                const Execution& execution, Dictionaries& dictionaries) {
    const std::size_t K = dictionaries.words;
    const std::vector<ClusterSums> sums = sums_by_word(vectors, codes, K, execution);
    parallel_for(execution, tree.edges.size(), [&](std::size_t e) {
        const auto& [first, second, dimensions] = tree.edges[e];
        if (dimensions.empty()) return;
        const std::size_t ends[] = {first, second};
        Matrix<double> right(2 * K, dimensions.size());
        for (std::size_t w = 0; w < 2 * K; ++w)
            for (std::size_t i = 0; i < dimensions.size(); ++i)
                right[w][i] = sums[ends[w / K]].sums[w % K][dimensions[i]] +
                              kRidge * static_cast<double>(dictionaries.word(ends[w / K], w % K)[dimensions[i]]);
        const Matrix<double> words = solve_positive_definite(normal_matrix(codes, first, second, K), std::move(right));
        for (std::size_t w = 0; w < 2 * K; ++w)
            for (std::size_t i = 0; i < dimensions.size(); ++i)
                dictionaries.word(ends[w / K], w % K)[dimensions[i]] = static_cast<float>(words[w][i]);
    });
}

}  // namespace summand
