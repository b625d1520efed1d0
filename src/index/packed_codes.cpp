#include "index/packed_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
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
    AlignedBuffer<std::uint8_t> rows, tops;
    std::vector<float> bias;
    std::vector<float> bias_levels;
};

void check_biases(const std::vector<float>& bias) {
    for (std::size_t i = 0; i < bias.size(); ++i)
        require(std::abs(bias[i]) <= kLargestBias, "index: expected the bias of row ", i, " within ±", kLargestBias,
                ", got ", bias[i]);
}

// `model`: identity of the quantizer, which takes long to compute.
void check(const Codes& codes, const Quantizer& quantizer, std::uint64_t model) {
    const Dictionaries& dictionaries = quantizer.dictionaries;
    require(codes.model == model,
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

// Writes block b as whole planes into `planes`, which must hold zeros.
void write_planes(const Codes& codes, const PackedCodes& shape, const SlotsOfWords& slots, std::size_t b,
                  std::uint8_t* planes) {
    const std::size_t first = b * kBlockVectors;
    const std::size_t count = std::min(kBlockVectors, codes.size() - first);
    for (std::size_t m = 0; m < shape.dictionaries(); ++m) {
        std::uint8_t* plane = planes + (shape.pairs() ? m / 2 : m) * kBlockVectors;
        const unsigned shift = shape.pairs() ? m % 2 * 4 : 0;
        for (std::size_t j = 0; j < count; ++j)
            plane[j] = static_cast<std::uint8_t>(plane[j] | (slots[m][codes.rows[first + j][m]] << shift));
    }
    if (!shape.has_bias()) return;
    for (std::size_t j = 0; j < count; ++j)
        planes[shape.code_planes() * kBlockVectors + j] = bias_slot(shape.parts().bias_levels, shape.bias(first + j));
}

void write_quad(const std::uint8_t* planes, std::uint8_t* rows, std::uint8_t* top) {
    for (std::size_t j = 0; j < kBlockVectors; ++j) {
        const unsigned fourth = planes[3 * kBlockVectors + j];
        unsigned ends = fourth & 192;
        for (unsigned i = 0; i < 3; ++i) {
            const unsigned byte = planes[i * kBlockVectors + j];
            rows[i * kBlockVectors + j] = static_cast<std::uint8_t>((byte & 63) | (fourth >> 2 * i & 3) << 6);
            ends |= byte >> 6 << 2 * i;
        }
        top[j] = static_cast<std::uint8_t>(ends);
    }
}

void write_block(const std::uint8_t* planes, const PackedShape& shape, std::uint8_t* rows, std::uint8_t* tops) {
    for (std::size_t q = 0; q < shape.quads; ++q)
        write_quad(planes + 4 * q * kBlockVectors, rows + 3 * q * kBlockVectors, tops + q * kBlockVectors);
    std::copy_n(planes + 4 * shape.quads * kBlockVectors, (shape.planes() - 4 * shape.quads) * kBlockVectors,
                rows + 3 * shape.quads * kBlockVectors);
}

// Parts with room for rows and tops, which the storage owns.
PackedCodes::Parts with_room(PackedCodes::Parts parts, const std::shared_ptr<Storage>& storage) {
    const PackedShape& shape = parts.shape;
    storage->rows = AlignedBuffer<std::uint8_t>::in_large_pages(shape.blocks() * shape.rows() * kBlockVectors);
    storage->tops = AlignedBuffer<std::uint8_t>::in_large_pages(shape.blocks() * shape.quads * kBlockVectors);
    parts.rows = {storage->rows.data(), storage->rows.size()};
    parts.tops = {storage->tops.data(), storage->tops.size()};
    parts.owner = storage;
    return parts;
}

}  // namespace

PackedCodes::PackedCodes(Parts parts)
    : parts_(std::move(parts)),
      codes_{parts_.rows.data(), parts_.tops.data(), parts_.shape.planes(), parts_.shape.quads} {
    const PackedShape& shape = parts_.shape;
    require(shape.size <= kMostVectors, "index: expected at most ", kMostVectors, " vectors, got ", shape.size);
    require(shape.dictionaries >= 1 && shape.dictionaries <= kMaxDictionaries, "index: expected 1 to ",
            kMaxDictionaries, " dictionaries, got ", shape.dictionaries);
    require(shape.words >= 2 && shape.words <= kMaxWords, "index: expected 2 to ", kMaxWords, " words, got ",
            shape.words);
    require(shape.quads == 0 || shape.quads == shape.most_quads(), "index: expected 0 or ", shape.most_quads(),
            " quads of planes, got ", shape.quads);
    const auto require_size = [](std::size_t size, std::size_t expected, const char* what) {
        require(size == expected, "index: expected ", expected, " ", what, ", got ", size);
    };
    require_size(parts_.slots.size(), shape.dictionaries * shape.slot_count(), "slots");
    require(std::all_of(parts_.slots.begin(), parts_.slots.end(), [&](auto word) { return word < shape.words; }),
            "index: a slot names a word that does not exist");
    require_size(parts_.bias_levels.size(), shape.bias ? kByteSlots : 0, "bias levels");
    require_size(parts_.bias.size(), shape.bias ? shape.size : 0, "biases");
    require_size(parts_.rows.size(), shape.blocks() * shape.rows() * kBlockVectors, "bytes of codes");
    require_size(parts_.tops.size(), shape.blocks() * shape.quads * kBlockVectors, "bytes of the top bits of codes");
}

Planes planes_of_flat(const Codes& codes) {
    constexpr std::size_t kCacheBytes = 1 << 20;
    return codes.rows.values().size() > kCacheBytes ? Planes::quads : Planes::whole;
}

std::shared_ptr<const PackedCodes> PackedCodes::pack(const Codes& codes, const Quantizer& quantizer, Metric metric,
                                                     Planes planes) {
    check(codes, quantizer, identity(quantizer));
    return pack(grouped_slots(quantizer), codes, quantizer, metric, planes);
}

std::shared_ptr<const PackedCodes> PackedCodes::pack_like(const PackedCodes& others, const Codes& codes,
                                                          const Quantizer& quantizer, Metric metric, Planes planes) {
    check(codes, quantizer, others.parts().model);
    const std::span<const std::uint8_t> slots = others.parts().slots;
    return pack(std::vector<std::uint8_t>(slots.begin(), slots.end()), codes, quantizer, metric, planes);
}

std::shared_ptr<const PackedCodes> PackedCodes::pack(std::vector<std::uint8_t> slots, const Codes& codes,
                                                     const Quantizer& quantizer, Metric metric, Planes planes) {
    const bool biased = quantizer.bias != Bias::none && is_distance(metric);
    auto storage = std::make_shared<Storage>();
    storage->slots = std::move(slots);
    if (biased) {
        storage->bias = quantizer.bias == Bias::derived ? biases(quantizer, codes.rows, {}) : codes.bias;
        check_biases(storage->bias);
        storage->bias_levels = bias_levels(storage->bias);
    }
    PackedShape shape{.size = codes.size(),
                      .dictionaries = quantizer.dictionaries.count,
                      .words = quantizer.dictionaries.words,
                      .bias = biased};
    if (planes == Planes::quads) shape.quads = shape.most_quads();
    const auto packed = std::make_shared<PackedCodes>(with_room({.shape = shape,
                                                                 .model = codes.model,
                                                                 .slots = storage->slots,
                                                                 .bias = storage->bias,
                                                                 .bias_levels = storage->bias_levels},
                                                                storage));
    const SlotsOfWords slots_of = slots_of_words(*packed);
    std::vector<std::uint8_t> block(packed->planes() * kBlockVectors);
    for (std::size_t b = 0; b < packed->block_count(); ++b) {
        std::fill(block.begin(), block.end(), std::uint8_t{0});
        write_planes(codes, *packed, slots_of, b, block.data());
        write_block(block.data(), shape, storage->rows.data() + b * shape.rows() * kBlockVectors,
                    storage->tops.data() + b * shape.quads * kBlockVectors);
    }
    return packed;
}

void PackedCodes::fetch(std::size_t begin, std::size_t end) const {
    for (std::size_t b = begin / kBlockVectors; b * kBlockVectors < end; ++b) {
        const CodeRows codes = block(b);
        const std::size_t first = std::max(begin, b * kBlockVectors) - b * kBlockVectors;
        const std::size_t last = std::min(end - b * kBlockVectors, kBlockVectors);
        for (std::size_t row = 0; row < codes.row_count(); ++row)
            for (std::size_t j = first / kCacheLine * kCacheLine; j < last; j += kCacheLine)
                __builtin_prefetch(codes.rows + row * kBlockVectors + j);
    }
}

void PackedCodes::read_words(std::size_t i, std::uint8_t* words) const {
    require_sound(i / kBlockVectors, i / kBlockVectors + 1);
    const CodeRows own = vector(i);
    const auto name = [&](std::size_t m, std::size_t slot) { words[m] = parts_.slots[m * slot_count() + slot]; };
    if (pairs())
        for (std::size_t m = 0; m < dictionaries(); ++m) name(m, *own.row(m / 2) >> (m % 2 * 4) & 15u);
    else
        own.for_each_byte([&](std::size_t p, unsigned byte) {
            if (p < dictionaries()) name(p, byte);
        });
}

Codes PackedCodes::unpack() const {
    require_sound();
    Codes codes{Matrix<std::uint8_t>(size(), dictionaries()), {parts_.bias.begin(), parts_.bias.end()}, parts_.model};
    for (std::size_t i = 0; i < size(); ++i) read_words(i, codes.rows.row(i));
    return codes;
}

std::size_t PackedCodes::memory_bytes() const {
    return parts_.rows.size() + parts_.tops.size() + parts_.slots.size() +
           (parts_.bias.size() + parts_.bias_levels.size()) * sizeof(float);
}

void require_same_model(const PackedCodes& a, const PackedCodes& b) {
    require(a.parts().model == b.parts().model && a.dictionaries() == b.dictionaries() &&
                a.shape().words == b.shape().words && a.has_bias() == b.has_bias(),
            "index: expected codes of the model of the others");
    const auto first = a.parts().slots, second = b.parts().slots;
    require(std::equal(first.begin(), first.end(), second.begin(), second.end()),
            "index: expected codes with the slots of the others of this model");
}

void require_codes_of(const Quantizer& quantizer, Metric metric, const PackedCodes& packed) {
    const Dictionaries& words = quantizer.dictionaries;
    require(packed.parts().model == identity(quantizer),
            "index: codes were made by another model; encode the vectors with the model of this index");
    require(packed.dictionaries() == words.count && packed.shape().words == words.words, "index: expected codes of ",
            words.count, " dictionaries of ", words.words, " words, got ", packed.dictionaries(), " of ",
            packed.shape().words);
    require(packed.has_bias() == (quantizer.bias != Bias::none && is_distance(metric)), "index: expected codes ",
            packed.has_bias() ? "without" : "with", " biases for this model and metric");
}

}  // namespace summand
