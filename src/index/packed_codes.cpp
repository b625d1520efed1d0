#include "index/packed_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/aligned.h"
#include "index/bias_levels.h"
#include "index/word_groups.h"
#include "model/bias.h"
#include "summand/error.h"

namespace summand {
namespace {

constexpr float kLargestBias = 1e36f;  // sums with it cannot overflow

// Everything a packed copy of codes owns.
struct Storage {
    std::vector<std::uint8_t> slots;
    AlignedBuffer<std::uint8_t> blocks;
    std::vector<float> bias;
    std::vector<float> bias_levels;
};

AlignedBuffer<std::uint8_t> zeros(std::size_t size) {
    AlignedBuffer<std::uint8_t> buffer(size);
    prefer_large_pages(buffer.data(), size);
    std::memset(buffer.data(), 0, size);
    return buffer;
}

void check_biases(const std::vector<float>& bias) {
    for (std::size_t i = 0; i < bias.size(); ++i)
        require(std::abs(bias[i]) <= kLargestBias, "index: expected the bias of row ", i, " within ±", kLargestBias,
                ", got ", bias[i]);
}

void check(const Codes& codes, const Quantizer& quantizer) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    require(codes.model == identity(quantizer),
            "index: codes were made by another model; encode the vectors with the model of this index");
    require(codes.rows.columns() == dictionaries.count || codes.size() == 0, "index: expected codes of ",
            dictionaries.count, " bytes, got ", codes.rows.columns());
    const std::size_t stored = quantizer.bias == Bias::stored ? codes.size() : 0;
    require(codes.bias.size() == stored, "index: expected ", stored, " biases, got ", codes.bias.size());
    for (std::size_t i = 0; i < codes.size(); ++i)
        for (const std::uint8_t code : codes.rows[i])
            require(code < dictionaries.words, "index: row ", i, " names word ", int{code}, " of a dictionary of ",
                    dictionaries.words, " words");
    check_biases(codes.bias);
}

// The slot of every word: the inverse of `slots`. Spare slots repeat word 0 and come after its own.
std::array<std::uint8_t, kByteSlots> slot_of_word(const std::uint8_t* slots, std::size_t count) {
    std::array<std::uint8_t, kByteSlots> result{};
    for (std::size_t s = count; s-- > 0;) result[slots[s]] = static_cast<std::uint8_t>(s);
    return result;
}

using SlotsOfWords = std::vector<std::array<std::uint8_t, kByteSlots>>;

SlotsOfWords slots_of_words(const PackedCodes& shape) {
    SlotsOfWords result;
    for (std::size_t m = 0; m < shape.dictionaries(); ++m)
        result.push_back(slot_of_word(shape.parts().slots.data() + m * shape.slot_count(), shape.slot_count()));
    return result;
}

void pack_block(const Codes& codes, const PackedCodes& shape, const SlotsOfWords& slots, std::size_t b,
                std::uint8_t* block) {
    const std::size_t first = b * kBlockVectors;
    const std::size_t count = std::min(kBlockVectors, codes.size() - first);
    for (std::size_t m = 0; m < shape.dictionaries(); ++m) {
        std::uint8_t* plane = block + (shape.pairs() ? m / 2 : m) * kBlockVectors;
        const unsigned shift = shape.pairs() ? m % 2 * 4 : 0;
        for (std::size_t j = 0; j < count; ++j)
            plane[j] = static_cast<std::uint8_t>(plane[j] | (slots[m][codes.rows[first + j][m]] << shift));
    }
}

void pack_bias(const PackedCodes& shape, std::uint8_t* blocks) {
    for (std::size_t i = 0; i < shape.size(); ++i)
        blocks[i / kBlockVectors * shape.block_bytes() + shape.code_planes() * kBlockVectors + i % kBlockVectors] =
            bias_slot(shape.parts().bias_levels, shape.bias(i));
}

}  // namespace

PackedCodes::PackedCodes(Parts parts) : parts_(std::move(parts)), planes_(code_planes() + (has_bias() ? 1 : 0)) {
    require(parts_.dictionaries >= 1 && parts_.dictionaries <= kMaxDictionaries, "index: expected 1 to ",
            kMaxDictionaries, " dictionaries, got ", parts_.dictionaries);
    require(parts_.words >= 2 && parts_.words <= kMaxWords, "index: expected 2 to ", kMaxWords, " words, got ",
            parts_.words);
    require(parts_.slots.size() == dictionaries() * slot_count(), "index: expected ", dictionaries() * slot_count(),
            " slots, got ", parts_.slots.size());
    require(std::all_of(parts_.slots.begin(), parts_.slots.end(), [&](auto word) { return word < parts_.words; }),
            "index: a slot names a word that does not exist");
    require(parts_.bias_levels.empty() || parts_.bias_levels.size() == kByteSlots, "index: expected ", kByteSlots,
            " bias levels, got ", parts_.bias_levels.size());
    require(parts_.bias.size() == (has_bias() ? size() : 0), "index: expected ", has_bias() ? size() : 0,
            " biases, got ", parts_.bias.size());
    require(parts_.blocks.size() == block_count() * block_bytes(), "index: expected ", block_count() * block_bytes(),
            " bytes of codes, got ", parts_.blocks.size());
}

std::shared_ptr<const PackedCodes> PackedCodes::pack(const Codes& codes, const Quantizer& quantizer, Metric metric) {
    check(codes, quantizer);
    const bool biased = quantizer.bias != Bias::none && metric == Metric::euclidean;
    auto storage = std::make_shared<Storage>();
    storage->slots = grouped_slots(quantizer);
    if (biased) {
        storage->bias = quantizer.bias == Bias::derived ? biases(quantizer, codes.rows, {}) : codes.bias;
        check_biases(storage->bias);
        storage->bias_levels = bias_levels(storage->bias);
    }
    const std::size_t bytes_per_vector = code_plane_count(quantizer) + (biased ? 1 : 0);
    const std::size_t blocks = (codes.size() + kBlockVectors - 1) / kBlockVectors;
    storage->blocks = zeros(blocks * kBlockVectors * bytes_per_vector);
    auto packed = std::make_shared<PackedCodes>(Parts{.size = codes.size(),
                                                      .dictionaries = quantizer.dictionaries.count,
                                                      .words = quantizer.dictionaries.words,
                                                      .model = codes.model,
                                                      .slots = storage->slots,
                                                      .blocks = {storage->blocks.data(), storage->blocks.size()},
                                                      .bias = storage->bias,
                                                      .bias_levels = storage->bias_levels,
                                                      .owner = storage});
    const SlotsOfWords slots = slots_of_words(*packed);
    for (std::size_t b = 0; b < blocks; ++b)
        pack_block(codes, *packed, slots, b, storage->blocks.data() + b * packed->block_bytes());
    if (packed->has_bias()) pack_bias(*packed, storage->blocks.data());
    return packed;
}

Codes PackedCodes::unpack() const {
    Codes codes{Matrix<std::uint8_t>(size(), dictionaries()), {parts_.bias.begin(), parts_.bias.end()}, parts_.model};
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t m = 0; m < dictionaries(); ++m) codes.rows[i][m] = word(i, m);
    return codes;
}

std::size_t PackedCodes::memory_bytes() const {
    return parts_.blocks.size() + parts_.slots.size() +
           (parts_.bias.size() + parts_.bias_levels.size()) * sizeof(float);
}

}  // namespace summand
