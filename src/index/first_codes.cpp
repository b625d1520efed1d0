#include "index/first_codes.h"

#include <algorithm>

#include "base/aligned.h"
#include "index/inverted_lists.h"
#include "model/word_sum.h"
#include "summand/error.h"

namespace summand {
namespace {

// Rows times the rotation: word·R is Rᵀ·word, which is where the word lies among the data.
Dictionaries in_data_space(const Quantizer& quantizer) {
    if (quantizer.rotation.empty()) return quantizer.dictionaries;
    const Dictionaries& words = quantizer.dictionaries;
    Dictionaries turned{.count = words.count, .words = words.words};
    turned.rows = Matrix<float>(words.rows.rows(), words.dimensions());
    for (std::size_t w = 0; w < turned.rows.rows(); ++w)
        for (std::size_t i = 0; i < words.dimensions(); ++i) {
            const float value = words.rows[w][i];
            if (value == 0) continue;  // outside the block of the dictionary
            for (std::size_t d = 0; d < words.dimensions(); ++d) turned.rows[w][d] += value * quantizer.rotation[i][d];
        }
    return turned;
}

void decode_at(const Decoder& decoder, const PackedCodes& packed, std::size_t position, float* vector) {
    std::uint8_t code[kMaxDictionaries];
    packed.read_words(position, code);
    decoder.add(code, vector);
}

std::size_t cell_of(const InvertedLists& lists, std::size_t position) {
    const auto& begin = lists.parts().begin;
    return static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), position) - begin.begin()) - 1;
}

void add_centre(const Dictionaries& words, std::size_t cell, float* vector) {
    const std::size_t chosen[] = {words.count == 1 ? cell : cell / words.words, cell % words.words};
    for (std::size_t i = 0; i < words.count; ++i) {
        const float* word = words.word(i, chosen[i]);
        for (std::size_t d = 0; d < words.dimensions(); ++d) vector[d] += word[d];
    }
}

}  // namespace

Decoder::Decoder(const Quantizer& quantizer) : words_(in_data_space(quantizer)), centre_(quantizer.centre) {}

void Decoder::add(const std::uint8_t* code, float* vector) const {
    thread_local Scratch<float> scratch;
    float* sum = scratch.at_least(centre_.size());
    word_sum(words_, code, sum);
    for (std::size_t d = 0; d < centre_.size(); ++d) vector[d] = vector[d] + centre_[d] + sum[d];
}

FirstCodes::FirstCodes(std::shared_ptr<const IndexParts::First> index)
    : index_(std::move(index)), decoder_(IndexParts::quantizer(*index_)) {
    if (const auto* inverted = std::get_if<InvertedIndex>(index_.get()))
        positions_ = positions_of(*IndexParts::lists(*inverted));
}

std::size_t FirstCodes::size() const {
    return std::visit([](const auto& index) { return index.size(); }, *index_);
}

const Quantizer& FirstCodes::quantizer() const { return IndexParts::quantizer(*index_); }

void FirstCodes::reconstruct(std::int64_t id, float* vector) const {
    const auto row = static_cast<std::size_t>(id);
    std::fill_n(vector, dimensions(), 0.0f);
    if (const auto* flat = std::get_if<FlatIndex>(index_.get()))
        return decode_at(decoder_, *IndexParts::packed(*flat), row, vector);
    const auto& inverted = std::get<InvertedIndex>(*index_);
    const InvertedModel& model = inverted.model();
    decode_at(decoder_, IndexParts::lists(inverted)->packed(), positions_[row], vector);
    if (model.coding == Coding::residual)
        add_centre(model.partition.dictionaries, cell_of(*IndexParts::lists(inverted), positions_[row]), vector);
}

}  // namespace summand
