// Scan kernels of the AVX2 level: 16 bounds fill half a register, and a shuffle looks up 32 nibbles in them.

constexpr std::size_t kHalfVectors = kBlockVectors / 2;  // whose sums fit the registers
constexpr std::size_t kHalfRegisters = kHalfVectors / sizeof(__m256i);
constexpr std::size_t kPrefetchBytes = 8192;

SUMMAND_INLINE __m256i load_codes(const std::uint8_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
SUMMAND_INLINE void prefetch(const std::uint8_t* codes) {
    _mm_prefetch(reinterpret_cast<const char*>(codes + kPrefetchBytes), _MM_HINT_T0);
}
SUMMAND_INLINE __m256i load_table(const std::uint8_t* p) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
}
SUMMAND_INLINE __m256i low_nibbles(__m256i codes) { return _mm256_and_si256(codes, _mm256_set1_epi8(15)); }
SUMMAND_INLINE __m256i high_nibbles(__m256i codes) { return low_nibbles(_mm256_srli_epi16(codes, 4)); }

// Adds the bounds of a plane's low nibbles, and with `High` those of its high nibbles.
template <bool High>
SUMMAND_INLINE void add_plane(const std::uint8_t* table, const std::uint8_t* codes, __m256i (&sum)[kHalfRegisters]) {
    const __m256i low = load_table(table), high = load_table(table + kNibbleSlots);
    for (std::size_t r = 0; r < kHalfRegisters; ++r) {
        const __m256i code = load_codes(codes + r * sizeof(__m256i));
        if (r % 2 == 0) prefetch(codes + r * sizeof(__m256i));
        sum[r] = _mm256_adds_epu8(sum[r], _mm256_shuffle_epi8(low, low_nibbles(code)));
        if (High) sum[r] = _mm256_adds_epu8(sum[r], _mm256_shuffle_epi8(high, high_nibbles(code)));
    }
}

// The bounds of a quad's low nibbles; the fourth's are the top bits of the first two rows.
SUMMAND_INLINE void add_quad(const std::uint8_t* tables, const std::uint8_t* rows, __m256i (&sum)[kHalfRegisters]) {
    const __m256i first = load_table(tables), second = load_table(tables + kNibbleBounds),
                  fourth = load_table(tables + 3 * kNibbleBounds);
    for (std::size_t r = 0; r < kHalfRegisters; ++r) {
        const std::uint8_t* own = rows + r * sizeof(__m256i);
        if (r % 2 == 0) {
            prefetch(own);
            prefetch(own + kBlockVectors);
        }
        const __m256i a = load_codes(own), b = load_codes(own + kBlockVectors);
        const __m256i ends = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(a, 6), _mm256_set1_epi8(3)),
                                             _mm256_and_si256(_mm256_srli_epi16(b, 4), _mm256_set1_epi8(12)));
        const __m256i two =
            _mm256_adds_epu8(_mm256_shuffle_epi8(first, low_nibbles(a)), _mm256_shuffle_epi8(second, low_nibbles(b)));
        sum[r] = _mm256_adds_epu8(_mm256_adds_epu8(sum[r], two), _mm256_shuffle_epi8(fourth, ends));
    }
    add_plane<false>(tables + 2 * kNibbleBounds, rows + 2 * kBlockVectors, sum);
}

SUMMAND_INLINE std::uint64_t within(__m256i sum, __m256i limit) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(sum, limit), sum)));
}

SurvivorCount survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks, const std::uint64_t* kept,
                        SurvivorWord* out) {
    const __m256i limit = _mm256_set1_epi8(static_cast<char>(tables.limit));
    std::size_t found = 0;
    for (std::size_t half = 0; half < 2 * blocks; ++half) {
        const CodeRows own = codes.block(half / 2).vector(half % 2 * kHalfVectors);
        __m256i sum[kHalfRegisters] = {};
        for (std::size_t p = 0; p < tables.pair_planes; ++p)
            add_plane<true>(tables.entries + p * kNibbleBounds, own.row(p), sum);
        for (std::size_t q = 0; q < own.quads; ++q) add_quad(tables.entries + 4 * q * kNibbleBounds, own.quad(q), sum);
        for (std::size_t p = tables.pair_planes + 4 * own.quads; p < own.planes; ++p)
            add_plane<false>(tables.entries + p * kNibbleBounds, own.row(p), sum);
        for (std::size_t w = 0; w < kHalfRegisters / 2; ++w)
            append(within(sum[2 * w], limit) | within(sum[2 * w + 1], limit) << 32, half * (kHalfRegisters / 2) + w,
                   kept, out, found);
    }
    return {found, found};
}

constexpr ScanKernels scan_kernels = {
    .form = BoundForm::nibbles,
    .survivors = survivors,
    .write_planes = write_planes,
    .count_bits = count_bits,
    .sums = plain_sums,
    .listed_sums = listed_sums,
    .range = range,
    .ranked = ranked,
    .keep_up_to = keep_one_by_one,
    .ranks = ranks,
    .quantise = quantise,
    .finish = finish,
    .products = products,
    .sparse_products = sparse_products,
};
