// Scan kernels of the NEON level: 16 bounds fill a register, and a table look-up takes 16 nibbles at a time.

constexpr std::size_t kPartVectors = kBlockVectors / 2;  // whose sums fit the registers
constexpr std::size_t kPartRegisters = kPartVectors / sizeof(uint8x16_t);

// Adds the bounds of a plane's low nibbles, and with `High` those of its high nibbles.
template <bool High>
SUMMAND_INLINE void add_plane(const std::uint8_t* table, const std::uint8_t* codes, uint8x16_t (&sum)[kPartRegisters]) {
    const uint8x16_t low = vld1q_u8(table), high = vld1q_u8(table + kNibbleSlots);
    for (std::size_t r = 0; r < kPartRegisters; ++r) {
        const uint8x16_t code = vld1q_u8(codes + r * sizeof(uint8x16_t));
        sum[r] = vqaddq_u8(sum[r], vqtbl1q_u8(low, vandq_u8(code, vdupq_n_u8(15))));
        if (High) sum[r] = vqaddq_u8(sum[r], vqtbl1q_u8(high, vshrq_n_u8(code, 4)));
    }
}

// The bounds of a quad's low nibbles; the fourth's are the top bits of the first two rows.
SUMMAND_INLINE void add_quad(const std::uint8_t* tables, const std::uint8_t* rows, uint8x16_t (&sum)[kPartRegisters]) {
    const uint8x16_t first = vld1q_u8(tables), second = vld1q_u8(tables + kNibbleBounds),
                     fourth = vld1q_u8(tables + 3 * kNibbleBounds), nibble = vdupq_n_u8(15);
    for (std::size_t r = 0; r < kPartRegisters; ++r) {
        const uint8x16_t a = vld1q_u8(rows + r * sizeof(uint8x16_t)),
                         b = vld1q_u8(rows + kBlockVectors + r * sizeof(uint8x16_t));
        const uint8x16_t ends = vorrq_u8(vshrq_n_u8(a, 6), vandq_u8(vshrq_n_u8(b, 4), vdupq_n_u8(12)));
        sum[r] = vqaddq_u8(sum[r], vqtbl1q_u8(first, vandq_u8(a, nibble)));
        sum[r] = vqaddq_u8(sum[r], vqtbl1q_u8(second, vandq_u8(b, nibble)));
        sum[r] = vqaddq_u8(sum[r], vqtbl1q_u8(fourth, ends));
    }
    add_plane<false>(tables + 2 * kNibbleBounds, rows + 2 * kBlockVectors, sum);
}

// One bit per byte: each byte keeps the bit of its place, and pairs are added until a byte holds eight.
SUMMAND_INLINE std::uint64_t within(const uint8x16_t* sum, uint8x16_t limit) {
    const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits[4];
    for (std::size_t i = 0; i < 4; ++i) bits[i] = vandq_u8(vcleq_u8(sum[i], limit), places);
    const uint8x16_t quarters = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}

SurvivorCount survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks, const std::uint64_t* kept,
                        SurvivorWord* out) {
    constexpr std::size_t kPartWords = kPartVectors / kWordVectors;
    const uint8x16_t limit = vdupq_n_u8(tables.limit);
    std::size_t found = 0;
    for (std::size_t part = 0; part < 2 * blocks; ++part) {
        const CodeRows own = codes.block(part / 2).vector(part % 2 * kPartVectors);
        uint8x16_t sum[kPartRegisters];
        for (std::size_t r = 0; r < kPartRegisters; ++r) sum[r] = vdupq_n_u8(0);
        for (std::size_t p = 0; p < tables.pair_planes; ++p)
            add_plane<true>(tables.entries + p * kNibbleBounds, own.row(p), sum);
        for (std::size_t q = 0; q < own.quads; ++q) add_quad(tables.entries + 4 * q * kNibbleBounds, own.quad(q), sum);
        for (std::size_t p = tables.pair_planes + 4 * own.quads; p < own.planes; ++p)
            add_plane<false>(tables.entries + p * kNibbleBounds, own.row(p), sum);
        for (std::size_t w = 0; w < kPartWords; ++w)
            append(within(sum + w * kPartRegisters / kPartWords, limit), part * kPartWords + w, kept, out, found);
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
