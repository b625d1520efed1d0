// Quantizers, codes and queries made by a random generator, and the plain float scan as the oracle for all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.h"
#include "index/inverted_lists.h"
#include "summand/flat_index.h"

namespace summand {

struct RandomShape {
    std::size_t size = 1000;  ///< vectors
    std::size_t dictionaries = 8;
    std::size_t words = 256;
    std::size_t dimensions = 16;
    bool blocks = false;
    bool rotation = false;
    bool bias = false;
    std::uint64_t seed = 1;
};

inline Matrix<float> random_rows(std::size_t rows, std::size_t columns, Random& random) {
    Matrix<float> result(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (float& x : result[i]) x = static_cast<float>(random.gaussian());
    return result;
}

inline Quantizer random_quantizer(const RandomShape& shape) {
    Random random(shape.seed);
    Quantizer quantizer;
    quantizer.method = "random";
    if (shape.bias) quantizer.bias = Bias::stored;
    quantizer.centre.resize(shape.dimensions);
    for (float& x : quantizer.centre) x = static_cast<float>(random.gaussian());
    if (shape.rotation) quantizer.rotation = random_rows(shape.dimensions, shape.dimensions, random);
    Dictionaries& dictionaries = quantizer.dictionaries;
    dictionaries.count = shape.dictionaries;
    dictionaries.words = shape.words;
    dictionaries.rows = random_rows(shape.dictionaries * shape.words, shape.dimensions, random);
    if (shape.blocks)
        for (std::size_t m = 0; m <= shape.dictionaries; ++m)
            dictionaries.block_begin.push_back(m * shape.dimensions / shape.dictionaries);
    for (std::size_t m = 0; m < (shape.blocks ? shape.dictionaries : 0); ++m)
        for (std::size_t k = 0; k < shape.words; ++k)
            for (std::size_t d = 0; d < shape.dimensions; ++d)
                if (d < dictionaries.block_begin[m] || d >= dictionaries.block_begin[m + 1])
                    dictionaries.word(m, k)[d] = 0;
    for (std::size_t i = 0; i < shape.dictionaries * shape.words; ++i)
        quantizer.word_offsets.push_back(static_cast<float>(random.uniform()));
    return quantizer;
}

inline Codes random_codes(const Quantizer& quantizer, std::size_t size, std::uint64_t seed) {
    Random random(seed);
    Codes codes{Matrix<std::uint8_t>(size, quantizer.dictionaries.count), {}, identity(quantizer)};
    for (std::size_t i = 0; i < size; ++i)
        for (std::uint8_t& code : codes.rows[i])
            code = static_cast<std::uint8_t>(random.below(quantizer.dictionaries.words));
    if (quantizer.bias == Bias::stored)
        for (std::size_t i = 0; i < size; ++i) codes.bias.push_back(static_cast<float>(random.gaussian()));
    return codes;
}

/// Scores of all codes for one query, each summed in the order of the scoring equation.
inline std::vector<Neighbor> oracle_scores(const Quantizer& quantizer, const Codes& codes, std::span<const float> query,
                                           Metric metric) {
    const LookupTable table = lookup_table(quantizer, query, metric);
    std::vector<Neighbor> entries;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const float bias = codes.bias.empty() ? 0.0f : codes.bias[i];
        entries.push_back({table.sum(codes.rows.row(i), bias) + table.offset, static_cast<std::int64_t>(i)});
    }
    return entries;
}

inline Neighbors oracle_search(const Quantizer& quantizer, const Codes& codes, MatrixView<float> queries, Metric metric,
                               std::size_t k, const IdFilter* filter = nullptr) {
    Neighbors found{{queries.rows(), k, kNoId}, {queries.rows(), k, std::numeric_limits<float>::infinity()}};
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        std::vector<Neighbor> entries = oracle_scores(quantizer, codes, queries[q], metric);
        if (filter) std::erase_if(entries, [&](const Neighbor& entry) { return !filter->keeps(entry.id); });
        std::sort(entries.begin(), entries.end());
        for (std::size_t j = 0; j < std::min(k, entries.size()); ++j) {
            found.ids[q][j] = entries[j].id;
            found.scores[q][j] = entries[j].score;
        }
    }
    return found;
}

// Lists of cell % 4 vectors each.
struct Lists {
    explicit Lists(std::size_t cells) : begin(cells + 1) {
        for (std::size_t c = 0; c < cells; ++c) begin[c + 1] = begin[c] + c % 4;
        ids.resize(begin.back());
        const Quantizer quantizer = random_quantizer({.dictionaries = 1, .words = 2});
        lists = std::make_unique<InvertedLists>(InvertedLists::Parts{
            PackedCodes::pack(random_codes(quantizer, ids.size(), 1), quantizer), begin, ids, nullptr});
    }
    std::vector<std::uint64_t> begin, ids;
    std::unique_ptr<InvertedLists> lists;
};

}  // namespace summand
