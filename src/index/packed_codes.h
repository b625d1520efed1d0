// Codes re-ordered for the scan: read-only, in own memory or in a mapped file.
//
// Vectors come in blocks of 512, and a block holds a row of 512 bytes, a plane, per dictionary (K > 16) or per pair of
// dictionaries (K <= 16: code 2p in the low nibble, code 2p+1 in the high one). Where vectors carry a bias, a last
// plane holds its level: an index into 256 values of which the bias is at least that one.
//
//     | block 0                                            | block 1 | … | block ⌈n/512⌉-1 |
//     | plane 0: 512 bytes | plane 1 | … | bias levels      |
//
// The last block is filled up with zeros. A byte of a code plane names a slot: words are renumbered so that slots with
// the same low bits hold similar words, which kernels need (kernels/scan.h). `slots` leads back:
//
//     word of dictionary m = slots[m·slot_count + byte]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/scan.h"
#include "model/lookup.h"
#include "summand/codes.h"
#include "summand/quantizer.h"

namespace summand {

class PackedCodes {
public:
    /// What an index file stores; spans are aligned to 64 bytes and kept alive by `owner`.
    struct Parts {
        std::size_t size = 0;                 ///< vectors
        std::size_t dictionaries = 0;         ///< M
        std::size_t words = 0;                ///< K
        std::uint64_t model = 0;              ///< identity of the quantizer
        std::span<const std::uint8_t> slots;  ///< M × slot_count()
        std::span<const std::uint8_t> blocks;
        std::span<const float> bias;         ///< one per vector, or empty
        std::span<const float> bias_levels;  ///< 256 by slot, or empty
        std::shared_ptr<const void> owner;
    };

    /// Throws `Error` where the parts do not fit together.
    explicit PackedCodes(Parts parts);

    /// Throws `Error` where codes do not fit the quantizer.
    /// The stored bias is part of the euclidean score alone: for other metrics it is checked and left out.
    static std::shared_ptr<const PackedCodes> pack(const Codes& codes, const Quantizer& quantizer,
                                                   Metric metric = Metric::euclidean);
    Codes unpack() const;

    const Parts& parts() const { return parts_; }
    std::size_t size() const { return parts_.size; }
    std::size_t dictionaries() const { return parts_.dictionaries; }
    bool pairs() const { return parts_.words <= kNibbleSlots; }
    bool has_bias() const { return !parts_.bias_levels.empty(); }

    std::size_t slot_count() const { return pairs() ? kNibbleSlots : kByteSlots; }
    SlotOrder slot_order() const { return {slot_count(), parts_.slots}; }
    std::size_t code_planes() const { return pairs() ? (dictionaries() + 1) / 2 : dictionaries(); }
    std::size_t planes() const { return planes_; }
    std::size_t pair_planes() const { return pairs() ? code_planes() : 0; }
    std::size_t block_count() const { return (size() + kBlockVectors - 1) / kBlockVectors; }
    std::size_t block_bytes() const { return planes_ * kBlockVectors; }

    const std::uint8_t* block(std::size_t b) const { return parts_.blocks.data() + b * block_bytes(); }

    /// Plane 0's byte of vector i; the other planes follow at distances of kBlockVectors.
    const std::uint8_t* vector(std::size_t i) const { return block(i / kBlockVectors) + i % kBlockVectors; }

    /// The word of dictionary m that vector i names.
    std::uint8_t word(std::size_t i, std::size_t m) const {
        const std::uint8_t byte = vector(i)[(pairs() ? m / 2 : m) * kBlockVectors];
        const std::size_t slot = pairs() ? (byte >> (m % 2 * 4)) & 15u : byte;
        return parts_.slots[m * slot_count() + slot];
    }
    float bias(std::size_t i) const { return parts_.bias.empty() ? 0.0f : parts_.bias[i]; }

    std::size_t memory_bytes() const;

private:
    Parts parts_;
    std::size_t planes_;
};

}  // namespace summand
