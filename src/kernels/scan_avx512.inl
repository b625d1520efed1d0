// Scan kernels of the AVX-512 VBMI level: the 256 byte bounds of a plane fill four registers.

constexpr std::size_t kBlockRegisters = kBlockVectors / sizeof(__m512i);
constexpr std::size_t kPrefetchBytes = 8192;

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

// The loop over planes is not unrolled: the sums of a block and one table are what the registers hold.
std::size_t survivors(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                      const std::uint64_t* kept, SurvivorWord* out) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        __m512i sum[kBlockRegisters] = {};
        for (std::size_t p = 0; p < tables.planes; ++p, codes += kBlockVectors) {
            const ByteTable table = load_table(tables.entries + p * kByteSlots);
            for (std::size_t r = 0; r < kBlockRegisters; ++r) {
                const std::uint8_t* row = codes + r * sizeof(__m512i);
                _mm_prefetch(reinterpret_cast<const char*>(row + kPrefetchBytes), _MM_HINT_T0);
                sum[r] = _mm512_adds_epu8(sum[r], look_up(table, _mm512_loadu_si512(row)));
            }
        }
        for (std::size_t r = 0; r < kBlockRegisters; ++r)
            append(_mm512_cmple_epu8_mask(sum[r], limit), b * kBlockWords + r, kept, out, found);
    }
    return found;
}

// Masked forms with every bit set: the plain ones start from an undefined register, which g++ 12 warns about.
constexpr __mmask16 kAllLanes = 0xffff;

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
    .add = add,
    .products = products,
    .sparse_products = sparse_products,
};
