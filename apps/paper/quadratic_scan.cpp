#include "quadratic_scan.h"

#include <algorithm>
#include <numeric>

#include "summand/error.h"

namespace summand::cli {
namespace {

float product(const float* a, const float* b, std::size_t size) { return std::inner_product(a, a + size, b, 0.0f); }

// q - centre, in the space of the words.
std::vector<float> moved(const Quantizer& model, std::span<const float> query) {
    std::vector<float> centred(query.size());
    for (std::size_t d = 0; d < query.size(); ++d) centred[d] = query[d] - model.centre[d];
    if (model.rotation.empty()) return centred;
    std::vector<float> turned(model.rotation.rows());
    for (std::size_t d = 0; d < turned.size(); ++d)
        turned[d] = product(model.rotation.row(d), centred.data(), centred.size());
    return turned;
}

}  // namespace

QuadraticScan::QuadraticScan(const Quantizer& model, const Codes& codes) : model_(model), codes_(codes) {
    require(model.bias == Bias::derived, "a scan with pairs of words: expected a model whose third term is derived");
    const Dictionaries& words = model.dictionaries;
    for (std::size_t m = 0; m < words.count; ++m)
        for (std::size_t n = m + 1; n < words.count; ++n)
            for (std::size_t k = 0; k < words.words; ++k)
                for (std::size_t l = 0; l < words.words; ++l)
                    pairs_.push_back(2 * product(words.word(m, k), words.word(n, l), words.dimensions()));
}

float QuadraticScan::pairs(const std::uint8_t* code) const {
    const std::size_t M = model_.dictionaries.count, K = model_.dictionaries.words;
    const float* table = pairs_.data();
    float sum = 0;
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t n = m + 1; n < M; ++n, table += K * K) sum += table[code[m] * K + code[n]];
    return sum;
}

Neighbors QuadraticScan::search(MatrixView<float> queries, std::size_t k) const {
    const Dictionaries& words = model_.dictionaries;
    Neighbors found{Matrix<std::int64_t>(queries.rows(), k), Matrix<float>(queries.rows(), k)};
    std::vector<float> table(words.rows.rows());
    std::vector<std::pair<float, std::int64_t>> scores(codes_.size());
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const std::vector<float> query = moved(model_, queries[q]);
        const float length = product(query.data(), query.data(), query.size());
        for (std::size_t w = 0; w < table.size(); ++w)
            table[w] = model_.word_offsets[w] - 2 * product(query.data(), words.rows.row(w), query.size());
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            const std::uint8_t* code = codes_.rows.row(i);
            float sum = length + pairs(code);
            for (std::size_t m = 0; m < words.count; ++m) sum += table[m * words.words + code[m]];
            scores[i] = {sum, static_cast<std::int64_t>(i)};
        }
        std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(k), scores.end());
        for (std::size_t j = 0; j < k; ++j) {
            found.scores[q][j] = scores[j].first;
            found.ids[q][j] = scores[j].second;
        }
    }
    return found;
}

}  // namespace summand::cli
