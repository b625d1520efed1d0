// What the stored sample files hold, built from whole numbers and halves alone, so that no library, platform or
// random generator can change it.
#pragma once

#include <filesystem>
#include <string>

#include "summand/aggregate.h"
#include "summand/codes.h"
#include "summand/inverted_index.h"
#include "summand/quantizer.h"

namespace summand::test {

/// Folder of the stored files.
inline std::filesystem::path samples() { return SUMMAND_SAMPLES; }

/// …, -1.5, -1, -0.5, 0, 0.5, 1, … in a fixed order without a short period.
inline float sample_value(std::size_t i) { return static_cast<float>((i * 37 + 11) % 61) / 2 - 15; }

inline Matrix<float> sample_matrix(std::size_t rows, std::size_t columns) {
    Matrix<float> result(rows, columns);
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = sample_value(i);
    return result;
}

/// Dense words, with all that a quantizer can have.
inline Quantizer dense_sample() {
    Quantizer q;
    q.method = "CQ";
    q.bias = Bias::stored;
    q.centre = {0.5f, -1, 2};
    q.rotation = Matrix<float>(3, 3, {0, 1, 0, 1, 0, 0, 0, 0, -1});
    q.dictionaries.count = 2;
    q.dictionaries.words = 20;
    q.dictionaries.rows = sample_matrix(40, 3);
    q.word_offsets = sample_matrix(2, 20).values();
    q.encoder = {.penalty = 0.25f, .theta = 0.5f, .effort = Effort::best};
    q.training = {.vectors = 1000,
                  .distortion = 1.5,
                  .held_out_distortion = 1.75,
                  .cross_term_deviation = 0.125,
                  .objective = {4, 2, 1.5}};
    return q;
}

/// Blocks of different widths, codes of four bits.
inline Quantizer block_sample() {
    Quantizer q;
    q.method = "PQ";
    q.unit_length = true;
    q.centre = {0, 0, 0, 0, 0};
    q.dictionaries.count = 3;
    q.dictionaries.words = 16;
    q.dictionaries.block_begin = {0, 2, 4, 5};
    q.dictionaries.rows = Matrix<float>(48, 5);
    for (std::size_t m = 0; m < 3; ++m)
        for (std::size_t k = 0; k < 16; ++k)
            for (std::size_t d = q.dictionaries.block_begin[m]; d < q.dictionaries.block_begin[m + 1]; ++d)
                q.dictionaries.word(m, k)[d] = sample_value(m * 100 + k * 5 + d);
    q.word_offsets = sample_matrix(3, 16).values();
    q.encoder.effort = Effort::fast;
    q.training.held_out_distortion = 0;  // as the first programs wrote what was not measured
    return q;
}

/// Enough dictionaries for a quad and one more.
inline Quantizer quad_sample() {
    Quantizer q;
    q.method = "NOCQ";
    q.centre = {1, 0, -1};
    q.dictionaries.count = 5;
    q.dictionaries.words = 100;
    q.dictionaries.rows = sample_matrix(500, 3);
    q.word_offsets = sample_matrix(5, 100).values();
    return q;
}

/// Two paired dictionaries of cells, or one in two levels.
inline InvertedModel cells_sample(bool paired) {
    InvertedModel model;
    model.quantizer = dense_sample();
    model.partition.dictionaries.count = paired ? 2 : 1;
    model.partition.dictionaries.words = 4;
    model.partition.dictionaries.rows = sample_matrix(paired ? 8 : 4, 3);
    model.partition.word_offsets = sample_matrix(paired ? 2 : 1, 4).values();
    model.partition.orthogonal = !paired;
    model.coding = paired ? Coding::plain : Coding::residual;
    if (paired) return model;
    model.partition.groups = sample_matrix(2, 3);
    model.partition.group_begin = {0, 1, 4};
    return model;
}

inline Vocabulary vocabulary_sample(Aggregation kind) {
    Vocabulary vocabulary{.kind = kind, .mean = {0.5f, -1, 2}, .centres = sample_matrix(4, 2), .objective = {3, 2.5}};
    vocabulary.projection = Matrix<float>(2, 3, {0, 1, 0, 1, 0, 0});
    if (kind == Aggregation::vlad) return vocabulary;
    vocabulary.variances = Matrix<float>(4, 2, 0.5f);
    vocabulary.weights = {0.5f, 0.25f, 0.125f, 0.125f};
    return vocabulary;
}

inline Codes sample_codes(const Quantizer& quantizer) {
    constexpr std::size_t n = 7;
    Codes codes{Matrix<std::uint8_t>(n, quantizer.dictionaries.count), {}, identity(quantizer)};
    for (std::size_t i = 0; i < codes.rows.size(); ++i)
        codes.rows.data()[i] = static_cast<std::uint8_t>((i * 7 + 3) % quantizer.dictionaries.words);
    if (quantizer.bias == Bias::stored) codes.bias = sample_matrix(1, n).values();
    return codes;
}

}  // namespace summand::test
