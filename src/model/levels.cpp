#include "model/levels.h"

#include <algorithm>
#include <cmath>

#include "model/bias.h"

namespace summand {

bool has_levels(const Dictionaries& dictionaries) {
    if (dictionaries.count < 2) return false;
    const float* last = dictionaries.word(dictionaries.count - 1, 0);
    return std::all_of(last, last + dictionaries.words * dictionaries.dimensions(), [](float x) { return x == 0; });
}

Dictionaries without_levels(const Dictionaries& dictionaries) {
    if (!has_levels(dictionaries)) return dictionaries;
    const std::size_t rows = (dictionaries.count - 1) * dictionaries.words, D = dictionaries.dimensions();
    return {.count = dictionaries.count - 1,
            .words = dictionaries.words,
            .rows = {rows, D, std::vector<float>(dictionaries.rows.data(), dictionaries.rows.data() + rows * D)}};
}

Matrix<std::uint8_t> with_levels(const Quantizer& quantizer, Matrix<std::uint8_t> codes, const Execution& execution) {
    const Dictionaries& words = quantizer.dictionaries;
    if (!has_levels(words)) return codes;
    Matrix<std::uint8_t> longer(codes.rows(), words.count);
    for (std::size_t i = 0; i < codes.rows(); ++i) std::copy_n(codes.row(i), codes.columns(), longer.row(i));
    const float* levels = quantizer.word_offsets.data() + (words.count - 1) * words.words;
    const std::vector<float> missing = biases(quantizer, longer, execution);  // with level 0
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        const float target = missing[i] + levels[0];
        const float* nearest = std::min_element(levels, levels + words.words, [&](float a, float b) {
            return std::abs(a - target) < std::abs(b - target);
        });
        longer[i][words.count - 1] = static_cast<std::uint8_t>(nearest - levels);
    }
    return longer;
}

}  // namespace summand
