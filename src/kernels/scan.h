// Scan kernels: the sums of M look-ups over packed codes, and the tables they look in.
//
// Packed codes lie in blocks of 512 vectors. A plane has a byte of each vector, per dictionary (K > 16) or per pair of
// dictionaries (K <= 16); where vectors carry a bias, a last plane, of no quad, holds the level of each bias:
//
//     byte of a plane:   a code   |   low nibble code 2p, high nibble code 2p+1   |   a bias level
//
// Byte j of a row of 512 belongs to vector j of the block. For K > 16 the planes 4q … 4q+3 of bytes c0 … c3 are a quad:
//
//     rows of quad q:   | c0 low six bits, c3 bits 0-1 | c1 low six, c3 bits 2-3 | c2 low six, c3 bits 4-5 |
//     top row of q:     | from the lowest bits on: the top two bits of c0, c1, c2, c3 |
//     rows of a block:  | quad 0: 3 rows | quad 1 | … | a row per plane that is left |
//     tops of a block:  | quad 0: 1 row | quad 1 | … |
//
// Rows and tops are two arrays: a pass that needs six bits of every byte reads three quarters of the memory.
//
// Scanning needs no floats for most vectors. Every table entry has an 8-bit lower bound, and only a vector whose
// bounds sum up to at most `limit` can have a score within the limit of the search; it survives to be scored in float.
#pragma once

#include <cstddef>
#include <cstdint>

// Always inlined: the linker may otherwise keep a copy that was compiled for another instruction set than its caller.
#define SUMMAND_INLINE inline __attribute__((always_inline))

namespace summand {

inline constexpr std::size_t kBlockVectors = 512;
inline constexpr std::size_t kWordVectors = 64;  ///< vectors of one word of a bit mask
inline constexpr std::size_t kBlockWords = kBlockVectors / kWordVectors;
inline constexpr std::size_t kByteSlots = 256;   ///< table entries of a dictionary in byte planes
inline constexpr std::size_t kNibbleSlots = 16;  ///< table entries of a dictionary in pair planes

/// Slots are numbered for the kernels: the 16 of a byte plane with the same low four bits are a group of similar
/// words, the 4 with the same low six bits a quartet of still more similar ones, the 2 with the same low seven bits
/// twins. A rank counts words group by group and quartet by quartet, twins being ranks 0 and 2 or 1 and 3 of theirs;
/// here is its slot. In pair planes quartets share the low two bits of the high nibble.
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

/// Codes from a block on, or from a vector on. Within a block the bytes of the next vector are one further.
struct CodeRows {
    const std::uint8_t* rows;
    const std::uint8_t* tops;
    std::size_t planes;
    std::size_t quads;  ///< the first 4·quads planes

    SUMMAND_INLINE std::size_t row_count() const { return planes - quads; }
    SUMMAND_INLINE CodeRows block(std::size_t b) const {
        return {rows + b * row_count() * kBlockVectors, tops + b * quads * kBlockVectors, planes, quads};
    }
    SUMMAND_INLINE CodeRows vector(std::size_t j) const {
        return {rows + j, quads == 0 ? tops : tops + j, planes, quads};  // tops may be null
    }
    SUMMAND_INLINE CodeRows word(std::size_t w) const {
        return block(w / kBlockWords).vector(w % kBlockWords * kWordVectors);
    }
    SUMMAND_INLINE const std::uint8_t* quad(std::size_t q) const { return rows + 3 * q * kBlockVectors; }
    SUMMAND_INLINE const std::uint8_t* top(std::size_t q) const { return tops + q * kBlockVectors; }
    /// Of a plane that is in no quad.
    SUMMAND_INLINE const std::uint8_t* row(std::size_t plane) const { return rows + (plane - quads) * kBlockVectors; }

    /// body(plane, byte) for the bytes of the vector, plane by plane.
    template <class Body>
    SUMMAND_INLINE void for_each_byte(Body body) const {
        for (std::size_t q = 0; q < quads; ++q) {
            const std::uint32_t bytes = quad_bytes(quad(q), *top(q));
            for (unsigned i = 0; i < 4; ++i) body(4 * q + i, bytes >> 8 * i & 255);
        }
        for (std::size_t p = 4 * quads; p < planes; ++p) body(p, unsigned{*row(p)});
    }

    /// (entry(e_0) + entry(e_1)) + … with e_m the place of the vector's code in tables of `dictionaries`.
    template <class Entry>
    SUMMAND_INLINE float byte_sum(std::size_t dictionaries, Entry entry) const {
        float sum = kNothing;
        CodeRows{rows, tops, dictionaries, quads}.for_each_byte(
            [&](std::size_t p, unsigned byte) { sum += entry(p * kByteSlots + byte); });
        return sum;
    }
    template <class Entry>
    SUMMAND_INLINE float pair_sum(std::size_t dictionaries, Entry entry) const {
        float sum = kNothing;
        for (std::size_t m = 0; m < dictionaries; ++m)
            sum += entry(m * kNibbleSlots + (*row(m / 2) >> (m % 2 * 4) & 15u));
        return sum;
    }

private:
    // The four of one vector, the first in the lowest bits.
    static SUMMAND_INLINE std::uint32_t quad_bytes(const std::uint8_t* own, std::uint32_t tops) {
        const std::uint32_t low =
            own[0] | std::uint32_t{own[kBlockVectors]} << 8 | std::uint32_t{own[2 * kBlockVectors]} << 16;
#if defined(__AVX512VBMI__)  // CPUs of that level move bits about in one step; some with BMI2 alone do not
        return (low & 0x3f3f3f) | __builtin_ia32_pext_si(low, 0xc0c0c0) << 24 |
               __builtin_ia32_pdep_si(tops, 0xc0c0c0c0);
#else
        const std::uint32_t fourth = (low >> 6 & 3) | (low >> 12 & 12) | (low >> 18 & 48);
        const std::uint32_t spread = (tops << 6 | tops << 12 | tops << 18 | tops << 24) & 0xc0c0c0c0;
        return (low & 0x3f3f3f) | fourth << 24 | spread;
#endif
    }

    static constexpr float kNothing = -0.0f;  // any x + kNothing has the bits of x
};

/// Which bounds are looked up first: those of the entries themselves, or the smallest of twins or of quartets. The
/// latter cost less and leave more candidates for a closer look.
enum class FirstLook : std::uint8_t { own, twins, quartets };

struct BoundTables {
    const std::uint8_t* entries;      ///< of all planes, in the level's form; aligned to a cache line
    std::size_t pair_planes;          ///< how many of them, from the first on, hold two codes in a byte
    std::uint8_t limit;               ///< at most 254; sums saturate at 255
    FirstLook look = FirstLook::own;  ///< a hint, good where most words of 64 vectors have no candidates
};
inline constexpr std::size_t kMaxPlanes = 65;  ///< 64 dictionaries and a bias

/// Vectors 64·word … 64·word + 63 counted from the first block scanned; bit j is set where vector j survives.
struct SurvivorWord {
    std::uint64_t mask;
    std::uint64_t word;
};

struct SurvivorCount {
    std::size_t words;
    std::size_t candidates;  ///< words that were looked at closely: at least `words`
};

struct SumsTask {
    CodeRows codes;            ///< of the first vector of a word, or of a block
    const float* entries;      ///< M × slots
    std::size_t dictionaries;  ///< M
    bool pairs;                ///< two codes in a byte, 16 slots; else 256 slots
};

/// out[q·out_stride + w] = Σ_d queries[q·query_stride + d]·columns[d·stride + w], d ascending, fused.
struct ProductsTask {
    const float* queries;
    std::size_t query_count, query_stride;
    const float* columns;
    std::size_t dimensions, words, stride;
    float* out;
    std::size_t out_stride;
};

/// out[q·out_stride + e] = Σ_i queries[dimensions[i]·16 + q]·values[i] for i from begin[e] to begin[e+1] - 1,
/// ascending, fused: the bits of `products` where the other values are zero.
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
    /// survive. `out` has room for all kBlockWords·blocks + 1. After a first look by twins or quartets some vectors may
    /// be left that their own bounds would rule out.
    SurvivorCount (*survivors)(const BoundTables& tables, const CodeRows& codes, std::size_t blocks,
                               const std::uint64_t* kept, SurvivorWord* out);

    /// Writes blocks without quads: a row of 512 bytes per plane.
    void (*write_planes)(const CodeRows& codes, std::size_t blocks, std::uint8_t* out);

    /// out[b] = the number of bits set in the kBlockWords words of block b.
    void (*count_bits)(const std::uint64_t* words, std::size_t blocks, std::uint16_t* out);

    /// out[j] = (entry_0 + entry_1) + … of the 64 vectors of a word.
    void (*sums)(const SumsTask& task, float* out);

    /// The same for some vectors, counted from the first of the blocks that the task's codes begin.
    void (*listed_sums)(const SumsTask& task, const std::uint32_t* vectors, std::size_t count, float* out);

    /// `count` is a multiple of 16, here and in `quantise` and `finish`.
    ValueRange (*range)(const float* values, std::size_t count);

    /// One of any number of values, none of which is NaN: the one that comes at `rank`, counted from 1, when they are
    /// sorted, or a later one up to `last`. The more there are to choose from, the sooner one is found.
    float (*ranked)(const float* values, std::size_t count, std::size_t rank, std::size_t last);

    /// Moves the values up to a limit to the front, in order, and with them the numbers at the same places. Returns how
    /// many there are.
    std::size_t (*keep_up_to)(float limit, float* values, std::uint32_t* numbers, std::size_t count);

    /// out[i] = how many of the values are smaller than values[i], none of which is NaN; room for values and ranks up
    /// to the next multiple of 16.
    void (*ranks)(float* values, std::size_t count, std::int32_t* out);

    /// out[i] = the integer part of (values[i] - smallest)·scale, at most 255.
    void (*quantise)(const float* values, std::size_t count, float smallest, float scale, std::uint8_t* out);

    /// entries[i] = offsets[i] + factor·entries[i]; whether all of them are finite.
    bool (*finish)(const float* offsets, float factor, std::size_t count, float* entries);

    void (*products)(const ProductsTask& task);
    void (*sparse_products)(const SparseProductsTask& task);
};

}  // namespace summand
