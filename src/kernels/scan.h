// Scan kernels: the sums of M look-ups over packed codes, and the tables they look in.
//
// Packed codes lie in blocks of 512 vectors. A block holds one row of 512 bytes, a plane, per dictionary (K > 16) or
// per pair of dictionaries (K <= 16); where vectors carry a bias, a last plane holds the level of each bias:
//
//     block:    | plane 0: 512 bytes | plane 1 | … | plane P-1 |          byte j of every row belongs to vector j
//     byte of a plane:   a code   |   low nibble code 2p, high nibble code 2p+1   |   a bias level
//
// Scanning needs no floats for most vectors. Every table entry has an 8-bit lower bound, and only a vector whose
// bounds sum up to at most `limit` can have a score within the limit of the search; it survives to be scored in float.
#pragma once

#include <cstddef>
#include <cstdint>

namespace summand {

inline constexpr std::size_t kBlockVectors = 512;
inline constexpr std::size_t kWordVectors = 64;  ///< vectors of one word of a bit mask
inline constexpr std::size_t kBlockWords = kBlockVectors / kWordVectors;
inline constexpr std::size_t kByteSlots = 256;   ///< table entries of a dictionary in byte planes
inline constexpr std::size_t kNibbleSlots = 16;  ///< table entries of a dictionary in pair planes

/// Slots are numbered for the kernels: the 16 of a byte plane with the same low four bits are a group of similar
/// words, the 4 with the same low six bits a quartet of still more similar ones. A rank counts words group by group and
/// quartet by quartet; here is its slot. In pair planes quartets share the low two bits of the high nibble.
inline constexpr std::size_t kSlotGroup = 16;
inline constexpr std::size_t kSlotQuartet = 4;
inline constexpr std::size_t byte_slot(std::size_t rank) { return rank % 4 * 64 + rank / 4 % 4 * 16 + rank / 16; }
inline constexpr std::size_t nibble_slot(std::size_t rank) { return rank % 4 * 4 + rank / 4; }

/// What a level looks bounds up with.
///     bytes:     256 per plane, one for each value of a byte
///     nibbles:   32 per plane: 16 for the low nibble, then 16 for the high one, to be added.
///                In a plane of bytes the low nibble is a group of 16 similar words: its bound is their smallest,
///                and the high 16 are not read.
enum class BoundForm : std::uint8_t { bytes, nibbles };

inline constexpr std::size_t kNibbleBounds = 2 * kNibbleSlots;

struct BoundTables {
    const std::uint8_t* entries;  ///< of all planes, in the level's form; aligned to a cache line
    std::size_t planes;
    std::size_t pair_planes;   ///< how many of them, from the first on, hold two codes in a byte
    std::uint8_t limit;        ///< at most 254; sums saturate at 255
    bool by_quartets = false;  ///< a hint: most words of 64 vectors have none that the bounds of quartets leave
};
inline constexpr std::size_t kMaxPlanes = 65;  ///< 64 dictionaries and a bias

/// Vectors 64·word … 64·word + 63 counted from the first block scanned; bit j is set where vector j survives.
struct SurvivorWord {
    std::uint64_t mask;
    std::uint64_t word;
};

struct SurvivorCount {
    std::size_t words;
    std::size_t candidates;  ///< words that were looked at closely: as many, or more where a first pass left them
};

/// Codes of one 64-vector word: code m of vector j is in byte (m or m/2)·kBlockVectors + j.
struct SumsTask {
    const std::uint8_t* codes;
    const float* entries;      ///< M × slots
    std::size_t dictionaries;  ///< M
    bool pairs;                ///< two codes in a byte, 16 slots; else 256 slots
};

/// out[q·out_stride + w] = Σ_d queries[q·query_stride + d]·columns[d·stride + w], d ascending.
struct ProductsTask {
    const float* queries;
    std::size_t query_count, query_stride;
    const float* columns;
    std::size_t dimensions, words, stride;
    float* out;
    std::size_t out_stride;
};

/// out[q·out_stride + e] = Σ_i queries[dimensions[i]·16 + q]·values[i] for i from begin[e] to begin[e+1] - 1,
/// ascending: the bits of `products` where the other values are zero.
struct SparseProductsTask {
    const float* queries;     ///< transposed: 16 values, one per query, for each dimension
    std::size_t query_count;  ///< at most 16
    const std::uint32_t* begin;
    const std::uint32_t* dimensions;
    const float* values;
    std::size_t entries;  ///< a multiple of 16
    float* out;
    std::size_t out_stride;
};
inline constexpr std::size_t kSparseQueries = 16;

struct ValueRange {
    float smallest, largest;
};

struct ScanKernels {
    BoundForm form;

    /// Words with survivors among `blocks` blocks, ascending; bit j of kept[w] is set where vector 64·w + j may
    /// survive. `out` has room for all kBlockWords·blocks + 1.
    SurvivorCount (*survivors)(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                               const std::uint64_t* kept, SurvivorWord* out);

    /// out[b] = the number of bits set in the kBlockWords words of block b.
    void (*count_bits)(const std::uint64_t* words, std::size_t blocks, std::uint16_t* out);

    /// out[j] = (entry_0 + entry_1) + … of the 64 vectors of a word.
    void (*sums)(const SumsTask& task, float* out);

    /// `count` is a multiple of 16, here and below.
    ValueRange (*range)(const float* values, std::size_t count);

    /// out[i] = the integer part of (values[i] - smallest)·scale, at most 255.
    void (*quantise)(const float* values, std::size_t count, float smallest, float scale, std::uint8_t* out);

    /// entries[i] = offsets[i] + factor·entries[i]; whether all of them are finite.
    bool (*finish)(const float* offsets, float factor, std::size_t count, float* entries);

    void (*products)(const ProductsTask& task);
    void (*sparse_products)(const SparseProductsTask& task);
};

}  // namespace summand
