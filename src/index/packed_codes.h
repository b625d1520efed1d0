// Codes re-ordered for the scan: read-only, in own memory or in a mapped file.
//
// Vectors come in blocks of 512, and each has a byte in every plane: a plane per dictionary (K > 16) or per pair of
// dictionaries (K <= 16: code 2p in the low nibble, code 2p+1 in the high one). Where vectors carry a bias, a last
// plane holds its level: an index into 256 values of which the bias is at least that one.
//
//     rows:   | block 0 | block 1 | … | block ⌈n/512⌉-1 |
//     tops:   | block 0 | block 1 | … |                        the top bits of four planes each, where planes form
//     quads
//
// kernels/scan.h has the rows of a block. The last block is filled up with zeros. A byte of a code plane names a slot:
// words are renumbered so that slots with the same low bits hold similar words, which kernels need. `slots` leads back:
//
//     word of dictionary m = slots[m·slot_count + byte]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/piece_checks.h"
#include "kernels/scan.h"
#include "model/lookup.h"
#include "summand/codes.h"
#include "summand/quantizer.h"

namespace summand {

struct PackedShape {
    std::size_t size = 0;          ///< vectors
    std::size_t dictionaries = 0;  ///< M
    std::size_t words = 0;         ///< K
    bool bias = false;
    std::size_t quads = 0;  ///< M/4 for K > 16, or none

    bool pairs() const { return words <= kNibbleSlots; }
    std::size_t slot_count() const { return pairs() ? kNibbleSlots : kByteSlots; }
    std::size_t code_planes() const { return pairs() ? (dictionaries + 1) / 2 : dictionaries; }
    std::size_t planes() const { return code_planes() + (bias ? 1 : 0); }
    std::size_t most_quads() const { return pairs() ? 0 : dictionaries / 4; }
    std::size_t rows() const { return planes() - quads; }  ///< of a block; its top rows are as many as quads
    std::size_t blocks() const { return size / kBlockVectors + (size % kBlockVectors != 0); }
};

inline constexpr std::size_t kMostVectors = std::size_t{1} << 48;  ///< whose bytes are counted in 64 bits

/// Codes of a file, and what lies beside them, are checked in pieces of so many blocks when they are first used.
inline constexpr std::size_t kPieceBlocks = 16;

/// Quads save memory traffic and cost instructions.
enum class Planes : std::uint8_t { whole, quads };

/// Codes that exceed the second-level cache come from memory, and quads need fewer bytes of them.
Planes planes_of_flat(const Codes& codes);

class PackedCodes {
public:
    /// What an index file stores; spans are aligned to 64 bytes and kept alive by `owner`.
    struct Parts {
        PackedShape shape;
        std::uint64_t model = 0;              ///< identity of the quantizer
        std::span<const std::uint8_t> slots;  ///< M × slot_count()
        std::span<const std::uint8_t> rows, tops;
        std::span<const float> bias;         ///< one per vector, or empty
        std::span<const float> bias_levels;  ///< 256 by slot, or empty where there are no biases
        std::shared_ptr<const void> owner;
        std::shared_ptr<const PieceChecks> checks = {};  ///< of rows, tops and biases; null: they are known to be sound
    };

    /// Throws `Error` where the parts do not fit together.
    explicit PackedCodes(Parts parts);

    /// Throws `Error` where codes do not fit the quantizer.
    /// The stored bias is part of the euclidean score alone: for other metrics it is checked and left out.
    static std::shared_ptr<const PackedCodes> pack(const Codes& codes, const Quantizer& quantizer,
                                                   Metric metric = Metric::euclidean, Planes planes = Planes::whole);

    /// The same with the slots of other codes of this quantizer, which take long to find.
    static std::shared_ptr<const PackedCodes> pack_like(const PackedCodes& others, const Codes& codes,
                                                        const Quantizer& quantizer, Metric metric, Planes planes);
    Codes unpack() const;

    const Parts& parts() const { return parts_; }
    const PackedShape& shape() const { return parts_.shape; }
    std::size_t size() const { return shape().size; }
    std::size_t dictionaries() const { return shape().dictionaries; }
    bool pairs() const { return shape().pairs(); }
    bool has_bias() const { return shape().bias; }

    std::size_t slot_count() const { return shape().slot_count(); }
    SlotOrder slot_order() const { return {slot_count(), parts_.slots}; }
    std::size_t code_planes() const { return shape().code_planes(); }
    std::size_t planes() const { return codes_.planes; }
    std::size_t pair_planes() const { return pairs() ? code_planes() : 0; }
    std::size_t block_count() const { return shape().blocks(); }

    /// Call before codes or biases of the blocks first … last-1 are used, or all of them. Throws `Error` where they
    /// are damaged.
    void require_sound(std::size_t first, std::size_t last) const {
        if (parts_.checks) parts_.checks->require(first / kPieceBlocks, (last + kPieceBlocks - 1) / kPieceBlocks);
    }
    void require_sound(const Execution& execution = {}) const {
        if (parts_.checks) parts_.checks->require_all(execution);
    }

    CodeRows block(std::size_t b) const { return codes_.block(b); }
    CodeRows vector(std::size_t i) const { return block(i / kBlockVectors).vector(i % kBlockVectors); }

    /// Asks the memory for the codes of vectors begin … end-1.
    void fetch(std::size_t begin, std::size_t end) const;

    /// The words that vector i names, one per dictionary. Checks them first.
    void read_words(std::size_t i, std::uint8_t* words) const;

    float bias(std::size_t i) const { return parts_.bias.empty() ? 0.0f : parts_.bias[i]; }

    std::size_t memory_bytes() const;

private:
    static std::shared_ptr<const PackedCodes> pack(std::vector<std::uint8_t> slots, const Codes& codes,
                                                   const Quantizer& quantizer, Metric metric, Planes planes);

    Parts parts_;
    CodeRows codes_;
};

/// Throws `Error` unless tables of one of them serve the other.
void require_same_model(const PackedCodes& a, const PackedCodes& b);

/// Throws `Error` unless the codes are of this model: its identity, its M and K, and biases where it has them.
void require_codes_of(const Quantizer& quantizer, Metric metric, const PackedCodes& packed);

}  // namespace summand
