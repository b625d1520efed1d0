// Scan kernels of the AVX-512 VBMI level: the 256 byte bounds of a plane fill four registers.

constexpr std::size_t kBlockRegisters = kBlockVectors / sizeof(__m512i);
constexpr std::size_t kPrefetchBytes = 8192;
constexpr std::uint64_t kFew = 3;         // vectors of a word that cost less one by one
constexpr std::size_t kAheadBytes = 512;  // per word of the second pass
constexpr std::size_t kFewOfBlock = 12;   // kept vectors that cost less by themselves than a pass over all
constexpr std::size_t kWordsAhead = 4;    // of those, fetched early

// For masked forms with every bit set: the plain ones start from an undefined register, which g++ 12 warns about.
constexpr __mmask16 kAllLanes = 0xffff;
constexpr __mmask64 kAllBytes = ~__mmask64{0};

struct ByteTable {
    __m512i quarter[4];  // entries 0-63, 64-127, 128-191, 192-255
};

SUMMAND_INLINE ByteTable load_table(const std::uint8_t* entries) {
    ByteTable table;
    for (std::size_t i = 0; i < 4; ++i) table.quarter[i] = _mm512_load_si512(entries + 64 * i);
    return table;
}

// A two-register permute reads the low seven bits of an index; the top bit selects between two of them.
SUMMAND_INLINE __m512i look_up(const ByteTable& table, __m512i codes) {
    const __m512i low = _mm512_permutex2var_epi8(table.quarter[0], codes, table.quarter[1]);
    const __m512i high = _mm512_permutex2var_epi8(table.quarter[2], codes, table.quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
}

SUMMAND_INLINE void prefetch(const std::uint8_t* codes) {
    _mm_prefetch(reinterpret_cast<const char*>(codes), _MM_HINT_T0);
}

SUMMAND_INLINE __m512i next_row(const std::uint8_t* row) {
    prefetch(row + kPrefetchBytes);
    return _mm512_loadu_si512(row);
}

SUMMAND_INLINE void append_block(const __m512i (&sum)[kBlockRegisters], __m512i limit, std::size_t block,
                                 const std::uint64_t* kept, SurvivorWord* out, std::size_t& found) {
    for (std::size_t r = 0; r < kBlockRegisters; ++r)
        append(_mm512_cmple_epu8_mask(sum[r], limit), block * kBlockWords + r, kept, out, found);
}

// The loop over planes is not unrolled: the sums of a block and one table are what the registers hold.
std::size_t byte_survivors(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                           const std::uint64_t* kept, SurvivorWord* out) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        __m512i sum[kBlockRegisters] = {};
        for (std::size_t p = 0; p < tables.planes; ++p, codes += kBlockVectors) {
            const ByteTable table = load_table(tables.entries + p * kByteSlots);
            for (std::size_t r = 0; r < kBlockRegisters; ++r)
                sum[r] = _mm512_adds_epu8(sum[r], look_up(table, next_row(codes + r * sizeof(__m512i))));
        }
        append_block(sum, limit, b, kept, out, found);
    }
    return found;
}

// Slots of a quartet share the low six bits, all that a one-register permute reads of an index.
SUMMAND_INLINE __m512i smallest_of_quartets(const ByteTable& table) {
    return _mm512_min_epu8(_mm512_min_epu8(table.quarter[0], table.quarter[1]),
                           _mm512_min_epu8(table.quarter[2], table.quarter[3]));
}

std::size_t quartet_survivors(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                              const std::uint64_t* kept, SurvivorWord* out) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    __m512i quartets[kMaxPlanes];
    for (std::size_t p = 0; p < tables.planes; ++p)
        quartets[p] = smallest_of_quartets(load_table(tables.entries + p * kByteSlots));
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        __m512i sum[kBlockRegisters] = {};
        for (std::size_t p = 0; p < tables.planes; ++p, codes += kBlockVectors)
            for (std::size_t r = 0; r < kBlockRegisters; ++r)
                sum[r] = _mm512_adds_epu8(sum[r], _mm512_maskz_permutexvar_epi8(
                                                      kAllBytes, next_row(codes + r * sizeof(__m512i)), quartets[p]));
        append_block(sum, limit, b, kept, out, found);
    }
    return found;
}

// Vectors of a word that the bounds of their own entries leave.
std::uint64_t within_of_word(const BoundTables& tables, const std::uint8_t* codes) {
    __m512i sum = {};
    for (std::size_t p = 0; p < tables.planes; ++p)
        sum = _mm512_adds_epu8(
            sum, look_up(load_table(tables.entries + p * kByteSlots), _mm512_loadu_si512(codes + p * kBlockVectors)));
    return _mm512_cmple_epu8_mask(sum, _mm512_set1_epi8(static_cast<char>(tables.limit)));
}

// The same for some of them, one by one.
std::uint64_t within_of_few(const BoundTables& tables, const std::uint8_t* codes, std::uint64_t mask) {
    std::uint64_t within = 0;
    do {
        const auto j = static_cast<std::size_t>(__builtin_ctzll(mask));
        unsigned sum = 0;
        for (std::size_t p = 0; p < tables.planes; ++p)
            sum += tables.entries[p * kByteSlots + codes[p * kBlockVectors + j]];
        within |= std::uint64_t{sum <= tables.limit} << j;
        mask &= mask - 1;
    } while (mask != 0);
    return within;
}

SUMMAND_INLINE const std::uint8_t* codes_of_word(const BoundTables& tables, const std::uint8_t* codes,
                                                 std::size_t word) {
    return codes + word / kBlockWords * tables.planes * kBlockVectors + word % kBlockWords * kWordVectors;
}

// Of words with candidates, those that the bounds of their own entries leave. fetch(i) is called before word i, to have
// memory busy meanwhile.
template <class Fetch>
SUMMAND_INLINE std::size_t refine(const BoundTables& tables, const std::uint8_t* codes, SurvivorWord* words,
                                  std::size_t count, Fetch fetch) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        fetch(i);
        const SurvivorWord candidate = words[i];
        const std::uint8_t* own = codes_of_word(tables, codes, candidate.word);
        const std::uint64_t mask = bits_of(candidate.mask) <= kFew ? within_of_few(tables, own, candidate.mask)
                                                                   : candidate.mask & within_of_word(tables, own);
        words[found] = {mask, candidate.word};
        found += mask != 0;
    }
    return found;
}

bool few_kept(const std::uint64_t* kept, std::size_t blocks) {
    std::size_t rest = kFewOfBlock * blocks;
    for (std::size_t w = 0; w < blocks * kBlockWords; ++w) {
        const std::size_t bits = bits_of(kept[w]);
        if (bits > rest) return false;
        rest -= bits;
    }
    return true;
}

// Without a pass over the blocks: a word has a cache line per plane.
SurvivorCount survivors_of_few(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                               const std::uint64_t* kept, SurvivorWord* out) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < blocks * kBlockWords; ++w) {
        out[count] = {kept[w], w};
        count += kept[w] != 0;
    }
    const auto fetch = [&](std::size_t i) {
        if (i + kWordsAhead >= count) return;
        const std::uint8_t* own = codes_of_word(tables, codes, out[i + kWordsAhead].word);
        for (std::size_t p = 0; p < tables.planes; ++p) prefetch(own + p * kBlockVectors);
    };
    const std::size_t found = refine(tables, codes, out, count, fetch);
    return {found, found};
}

SurvivorCount survivors(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                        const std::uint64_t* kept, SurvivorWord* out) {
    if (few_kept(kept, blocks)) return survivors_of_few(tables, codes, blocks, kept, out);
    if (!tables.by_quartets) {
        const std::size_t found = byte_survivors(tables, codes, blocks, kept, out);
        return {found, found};
    }
    const std::size_t candidates = quartet_survivors(tables, codes, blocks, kept, out);
    const std::uint8_t* ahead = codes + blocks * tables.planes * kBlockVectors + kPrefetchBytes;
    const auto fetch = [&](std::size_t i) {
        for (std::size_t line = 0; line < kAheadBytes; line += sizeof(__m512i))
            prefetch(ahead + i * kAheadBytes + line);
    };
    return {refine(tables, codes, out, candidates, fetch), candidates};
}

SUMMAND_INLINE __m512i codes_of(const std::uint8_t* row) {
    return _mm512_maskz_cvtepu8_epi32(kAllLanes, _mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
}
SUMMAND_INLINE __m512 permute(const float* entries, __m512i codes) {  // reads the low four bits of each code
    return _mm512_maskz_permutexvar_ps(kAllLanes, codes, _mm512_loadu_ps(entries));
}

SUMMAND_INLINE void pair_sums(const SumsTask& task, std::size_t j, float* out) {
    __m512i codes = codes_of(task.codes + j);
    __m512 sum = permute(task.entries, codes);
    for (std::size_t m = 1; m < task.dictionaries; ++m) {
        codes = m % 2 ? _mm512_maskz_srli_epi32(kAllLanes, codes, 4) : codes_of(task.codes + m / 2 * kBlockVectors + j);
        sum += permute(task.entries + m * kNibbleSlots, codes);
    }
    _mm512_storeu_ps(out + j, sum);
}

// Gathers were measured to be slower than single look-ups.
void sums(const SumsTask& task, float* out) {
    if (!task.pairs) return plain_sums(task, out);
    for (std::size_t j = 0; j < kWordVectors; j += kLanes) pair_sums(task, j, out);
}

constexpr ScanKernels scan_kernels = {
    .form = BoundForm::bytes,
    .survivors = survivors,
    .count_bits = count_bits,
    .sums = sums,
    .range = range,
    .quantise = quantise,
    .finish = finish,
    .products = products,
    .sparse_products = sparse_products,
};
