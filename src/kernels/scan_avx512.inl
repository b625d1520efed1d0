// Scan kernels of the AVX-512 VBMI level: the 256 byte bounds of a plane fill four registers.

constexpr std::size_t kBlockRegisters = kBlockVectors / sizeof(__m512i);
constexpr std::size_t kPrefetchBytes = 8192;
constexpr std::uint64_t kFew = 3;         // vectors of a word that are scored rather than looked at closer
constexpr std::size_t kAheadBytes = 512;  // per word of the second pass; twice that of quads, whose tops come late
constexpr std::size_t kFewOfBlock = 8;    // kept vectors that cost less by themselves than a pass over all
constexpr std::size_t kWordsAhead = 4;    // of those, fetched early

// For masked forms with every bit set: the plain ones start from an undefined register, which g++ 12 warns about.
constexpr __mmask16 kAllLanes = 0xffff;
constexpr __mmask32 kAllShorts = ~__mmask32{0};
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

SUMMAND_INLINE __m512i load_row(const std::uint8_t* row) { return _mm512_loadu_si512(row); }

// Bits of `a` where the mask has ones, of `b` elsewhere.
SUMMAND_INLINE __m512i select(std::uint8_t mask, __m512i a, __m512i b) {
    constexpr int kSelect = 0xca;
    return _mm512_ternarylogic_epi64(_mm512_set1_epi8(static_cast<char>(mask)), a, b, kSelect);
}

// The fourth bytes of quads up to their top two bits, which are any.
SUMMAND_INLINE __m512i fourth_of(__m512i a, __m512i b, __m512i c) {
    const auto down = [](__m512i row, unsigned bits) { return _mm512_maskz_srli_epi16(kAllShorts, row, bits); };
    return select(15, select(3, down(a, 6), down(b, 4)), down(c, 2));
}

// The bytes of plane `Plane` of a quad.
template <int Plane>
SUMMAND_INLINE __m512i quad_bytes(const std::uint8_t* rows, const std::uint8_t* top) {
    const __m512i ends = load_row(top);
    if constexpr (Plane == 3)
        return select(63, fourth_of(load_row(rows), load_row(rows + kBlockVectors), load_row(rows + 2 * kBlockVectors)),
                      ends);
    else
        return select(63, load_row(rows + Plane * kBlockVectors),
                      _mm512_maskz_slli_epi16(kAllShorts, ends, 6 - 2 * Plane));
}

SUMMAND_INLINE void append_block(const __m512i (&sum)[kBlockRegisters], __m512i limit, std::size_t block,
                                 const std::uint64_t* kept, SurvivorWord* out, std::size_t& found) {
    for (std::size_t r = 0; r < kBlockRegisters; ++r)
        append(_mm512_cmple_epu8_mask(sum[r], limit), block * kBlockWords + r, kept, out, found);
}

template <int Plane>
SUMMAND_INLINE void add_quad_plane(const std::uint8_t* entries, const std::uint8_t* rows, const std::uint8_t* top,
                                   __m512i (&sum)[kBlockRegisters]) {
    const ByteTable table = load_table(entries + Plane * kByteSlots);
    for (std::size_t r = 0; r < kBlockRegisters; ++r) {
        const std::size_t place = r * sizeof(__m512i);
        sum[r] = _mm512_adds_epu8(sum[r], look_up(table, quad_bytes<Plane>(rows + place, top + place)));
    }
}

// Of plane `plane` and after, which are in no quad. The loop over planes is not unrolled: the sums of a block and one
// table are what the registers hold.
SUMMAND_INLINE void add_whole_planes(const BoundTables& tables, const CodeRows& own, std::size_t plane,
                                     __m512i (&sum)[kBlockRegisters]) {
    const std::uint8_t* row = own.row(plane);
    for (; plane < own.planes; ++plane, row += kBlockVectors) {
        const ByteTable table = load_table(tables.entries + plane * kByteSlots);
        for (std::size_t r = 0; r < kBlockRegisters; ++r)
            sum[r] = _mm512_adds_epu8(sum[r], look_up(table, next_row(row + r * sizeof(__m512i))));
    }
}

// A set bit for each word of a block that has kept vectors.
SUMMAND_INLINE unsigned kept_words_of(const std::uint64_t* kept) {
    const __m512i words = _mm512_loadu_si512(kept);
    return _mm512_test_epi64_mask(words, words);
}

constexpr unsigned kAllWords = (1u << kBlockWords) - 1;

// Word by word, where the others of the block have no kept vectors: within(codes of the word) is asked for the rest.
template <class Within>
SUMMAND_INLINE void append_words(unsigned words, const CodeRows& own, std::size_t block, const std::uint64_t* kept,
                                 SurvivorWord* out, std::size_t& found, Within within) {
    for (; words != 0; words &= words - 1) {
        const auto w = static_cast<std::size_t>(__builtin_ctz(words));
        append(within(own.vector(w * kWordVectors)), block * kBlockWords + w, kept, out, found);
    }
}

// Vectors of a word that the bounds of their own entries leave.
std::uint64_t within_of_word(const BoundTables& tables, const CodeRows& codes) {
    __m512i sum = {};
    const auto add = [&](std::size_t p, __m512i bytes) {
        sum = _mm512_adds_epu8(sum, look_up(load_table(tables.entries + p * kByteSlots), bytes));
    };
    for (std::size_t q = 0; q < codes.quads; ++q) {
        add(4 * q, quad_bytes<0>(codes.quad(q), codes.top(q)));
        add(4 * q + 1, quad_bytes<1>(codes.quad(q), codes.top(q)));
        add(4 * q + 2, quad_bytes<2>(codes.quad(q), codes.top(q)));
        add(4 * q + 3, quad_bytes<3>(codes.quad(q), codes.top(q)));
    }
    for (std::size_t p = 4 * codes.quads; p < codes.planes; ++p) add(p, load_row(codes.row(p)));
    return _mm512_cmple_epu8_mask(sum, _mm512_set1_epi8(static_cast<char>(tables.limit)));
}

// All bits of the codes.
template <bool Quads>
std::size_t byte_survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks,
                           const std::uint64_t* kept, SurvivorWord* out) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const CodeRows own = codes.block(b);
        const unsigned words = kept_words_of(kept + b * kBlockWords);
        if (words != kAllWords) {
            append_words(words, own, b, kept, out, found,
                         [&](const CodeRows& word) { return within_of_word(tables, word); });
            continue;
        }
        __m512i sum[kBlockRegisters] = {};
        for (std::size_t q = 0; Quads && q < own.quads; ++q) {
            const std::uint8_t* entries = tables.entries + 4 * q * kByteSlots;
            add_quad_plane<0>(entries, own.quad(q), own.top(q), sum);
            add_quad_plane<1>(entries, own.quad(q), own.top(q), sum);
            add_quad_plane<2>(entries, own.quad(q), own.top(q), sum);
            add_quad_plane<3>(entries, own.quad(q), own.top(q), sum);
        }
        add_whole_planes(tables, own, Quads ? 4 * own.quads : 0, sum);
        append_block(sum, limit, b, kept, out, found);
    }
    return found;
}

// Slots of a quartet share the low six bits, all that a one-register permute reads of an index.
SUMMAND_INLINE __m512i smallest_of_quartets(const ByteTable& table) {
    return _mm512_min_epu8(_mm512_min_epu8(table.quarter[0], table.quarter[1]),
                           _mm512_min_epu8(table.quarter[2], table.quarter[3]));
}

SUMMAND_INLINE __m512i quartet_bounds(__m512i quartets, __m512i bytes) {
    return _mm512_maskz_permutexvar_epi8(kAllBytes, bytes, quartets);
}

SUMMAND_INLINE void add_quad(const __m512i* quartets, const std::uint8_t* rows, __m512i (&sum)[kBlockRegisters]) {
    for (std::size_t r = 0; r < kBlockRegisters; ++r) {
        const std::uint8_t* own = rows + r * sizeof(__m512i);
        const __m512i a = next_row(own), b = next_row(own + kBlockVectors), c = next_row(own + 2 * kBlockVectors);
        const __m512i two = _mm512_adds_epu8(quartet_bounds(quartets[0], a), quartet_bounds(quartets[1], b));
        const __m512i others =
            _mm512_adds_epu8(quartet_bounds(quartets[2], c), quartet_bounds(quartets[3], fourth_of(a, b, c)));
        sum[r] = _mm512_adds_epu8(sum[r], _mm512_adds_epu8(two, others));
    }
}

// Prefetches the codes of words with candidates, which are needed soon.
SUMMAND_INLINE void fetch_tops(const CodeRows& word) {
    for (std::size_t q = 0; q < word.quads; ++q) prefetch(word.top(q));
}

// Slots of twins share the low seven bits, all that a two-register permute reads.
std::size_t twin_survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks,
                           const std::uint64_t* kept, SurvivorWord* out) {
    struct Twins {
        __m512i low, high;
    };
    Twins twins[kMaxPlanes];
    for (std::size_t p = 0; p < codes.planes; ++p) {
        const ByteTable table = load_table(tables.entries + p * kByteSlots);
        twins[p] = {_mm512_min_epu8(table.quarter[0], table.quarter[2]),
                    _mm512_min_epu8(table.quarter[1], table.quarter[3])};
    }
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    std::size_t found = 0;
    const auto within_of = [&](const CodeRows& word) {
        __m512i sum = {};
        for (std::size_t p = 0; p < word.planes; ++p)
            sum = _mm512_adds_epu8(sum, _mm512_permutex2var_epi8(twins[p].low, load_row(word.row(p)), twins[p].high));
        return _mm512_cmple_epu8_mask(sum, limit);
    };
    for (std::size_t b = 0; b < blocks; ++b) {
        const unsigned words = kept_words_of(kept + b * kBlockWords);
        if (words != kAllWords) {
            append_words(words, codes.block(b), b, kept, out, found, within_of);
            continue;
        }
        __m512i sum[kBlockRegisters] = {};
        const std::uint8_t* row = codes.block(b).rows;
        for (std::size_t p = 0; p < codes.planes; ++p, row += kBlockVectors) {
            const Twins own = twins[p];
            for (std::size_t r = 0; r < kBlockRegisters; ++r)
                sum[r] = _mm512_adds_epu8(
                    sum[r], _mm512_permutex2var_epi8(own.low, next_row(row + r * sizeof(__m512i)), own.high));
        }
        append_block(sum, limit, b, kept, out, found);
    }
    return found;
}

template <bool Quads>
std::size_t quartet_survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks,
                              const std::uint64_t* kept, SurvivorWord* out) {
    const __m512i limit = _mm512_set1_epi8(static_cast<char>(tables.limit));
    __m512i quartets[kMaxPlanes];
    for (std::size_t p = 0; p < codes.planes; ++p)
        quartets[p] = smallest_of_quartets(load_table(tables.entries + p * kByteSlots));
    const auto within_of = [&](const CodeRows& word) {
        __m512i sum = {};
        for (std::size_t q = 0; Quads && q < word.quads; ++q) {
            const std::uint8_t* rows = word.quad(q);
            const __m512i a = load_row(rows), b = load_row(rows + kBlockVectors),
                          c = load_row(rows + 2 * kBlockVectors);
            const __m512i all[] = {a, b, c, fourth_of(a, b, c)};
            for (std::size_t i = 0; i < 4; ++i)
                sum = _mm512_adds_epu8(sum, quartet_bounds(quartets[4 * q + i], all[i]));
        }
        for (std::size_t p = Quads ? 4 * word.quads : 0; p < word.planes; ++p)
            sum = _mm512_adds_epu8(sum, quartet_bounds(quartets[p], load_row(word.row(p))));
        return _mm512_cmple_epu8_mask(sum, limit);
    };
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const CodeRows own = codes.block(b);
        const unsigned words = kept_words_of(kept + b * kBlockWords);
        if (words != kAllWords) {
            append_words(words, own, b, kept, out, found, within_of);
            continue;
        }
        __m512i sum[kBlockRegisters] = {};
        for (std::size_t q = 0; Quads && q < own.quads; ++q) add_quad(quartets + 4 * q, own.quad(q), sum);
        std::size_t p = Quads ? 4 * own.quads : 0;
        const std::uint8_t* row = own.row(p);
        for (; p < own.planes; ++p, row += kBlockVectors)
            for (std::size_t r = 0; r < kBlockRegisters; ++r)
                sum[r] = _mm512_adds_epu8(sum[r], quartet_bounds(quartets[p], next_row(row + r * sizeof(__m512i))));
        const std::size_t before = found;
        append_block(sum, limit, b, kept, out, found);
        for (std::size_t i = before; Quads && i < found; ++i) fetch_tops(codes.word(out[i].word));
    }
    return found;
}

// Vectors of a mask that the bounds of their own entries leave, one by one.
std::uint64_t within_of_few(const BoundTables& tables, const CodeRows& codes, std::uint64_t mask) {
    std::uint64_t within = 0;
    do {
        const auto j = static_cast<std::size_t>(__builtin_ctzll(mask));
        within |= std::uint64_t{bound_sum(tables, codes.vector(j)) <= tables.limit} << j;
        mask &= mask - 1;
    } while (mask != 0);
    return within;
}

// Keeps the words that have vectors left after within(mask, codes of the word). Calls fetch(i) before word i, so that
// memory is busy meanwhile.
template <class Fetch, class Within>
SUMMAND_INLINE std::size_t refine(const CodeRows& codes, SurvivorWord* words, std::size_t count, Fetch fetch,
                                  Within within) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        fetch(i);
        const SurvivorWord candidate = words[i];
        const std::uint64_t mask = within(candidate.mask, codes.word(candidate.word));
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

// Lists the words with kept vectors.
std::size_t kept_words(const std::uint64_t* kept, std::size_t blocks, SurvivorWord* out) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < blocks * kBlockWords; ++w) {
        out[count] = {kept[w], w};
        count += kept[w] != 0;
    }
    return count;
}

// Looks at words with kept vectors alone, without a pass over the blocks: a word has a cache line per row.
SurvivorCount survivors_of_few(const BoundTables& tables, const CodeRows& codes, std::size_t blocks,
                               const std::uint64_t* kept, SurvivorWord* out) {
    const std::size_t count = kept_words(kept, blocks, out);
    const auto fetch = [&](std::size_t i) {
        if (i + kWordsAhead >= count) return;
        const CodeRows own = codes.word(out[i + kWordsAhead].word);
        for (std::size_t r = 0; r < own.row_count(); ++r) prefetch(own.rows + r * kBlockVectors);
        fetch_tops(own);
    };
    const std::size_t found = refine(codes, out, count, fetch, [&](std::uint64_t mask, const CodeRows& own) {
        return within_of_few(tables, own, mask);
    });
    return {found, found};
}

SurvivorCount survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks, const std::uint64_t* kept,
                        SurvivorWord* out) {
    if (few_kept(kept, blocks)) return survivors_of_few(tables, codes, blocks, kept, out);
    const bool quads = codes.quads > 0;
    const bool twins = tables.look == FirstLook::twins && !quads;
    if (tables.look != FirstLook::quartets && !twins) {
        const auto pass = quads ? byte_survivors<true> : byte_survivors<false>;
        const std::size_t found = pass(tables, codes, blocks, kept, out);
        return {found, found};
    }
    const auto pass = twins ? twin_survivors : quads ? quartet_survivors<true> : quartet_survivors<false>;
    const std::size_t candidates = pass(tables, codes, blocks, kept, out);
    const std::uint8_t* ahead = codes.block(blocks).rows + kPrefetchBytes;
    const std::size_t bytes = quads ? 2 * kAheadBytes : kAheadBytes;
    const auto fetch = [&](std::size_t i) {
        for (std::size_t line = 0; line < bytes; line += sizeof(__m512i)) prefetch(ahead + i * bytes + line);
    };
    const auto within = [&](std::uint64_t mask, const CodeRows& own) {
        return bits_of(mask) <= kFew ? mask : mask & within_of_word(tables, own);  // a float score costs no more
    };
    return {refine(codes, out, candidates, fetch, within), candidates};
}

SUMMAND_INLINE __m512i codes_of(const std::uint8_t* row) {
    return _mm512_maskz_cvtepu8_epi32(kAllLanes, _mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
}
SUMMAND_INLINE __m512 permute(const float* entries, __m512i codes) {  // reads the low four bits of each code
    return _mm512_maskz_permutexvar_ps(kAllLanes, codes, _mm512_loadu_ps(entries));
}

SUMMAND_INLINE void permuted_sums(const SumsTask& task, std::size_t j, float* out) {
    __m512i codes = codes_of(task.codes.row(0) + j);
    __m512 sum = permute(task.entries, codes);
    for (std::size_t m = 1; m < task.dictionaries; ++m) {
        codes = m % 2 ? _mm512_maskz_srli_epi32(kAllLanes, codes, 4) : codes_of(task.codes.row(m / 2) + j);
        sum += permute(task.entries + m * kNibbleSlots, codes);
    }
    _mm512_storeu_ps(out + j, sum);
}

void sums(const SumsTask& task, float* out) {
    if (!task.pairs) return byte_sums(task, out);
    for (std::size_t j = 0; j < kWordVectors; j += kLanes) permuted_sums(task, j, out);
}

std::size_t keep_up_to(float limit, float* values, std::uint32_t* numbers, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; i += kLanes) {
        const __mmask16 present = count - i < kLanes ? static_cast<__mmask16>((1u << (count - i)) - 1) : kAllLanes;
        const __m512 value = _mm512_maskz_loadu_ps(present, values + i);
        const __m512i number = _mm512_maskz_loadu_epi32(present, numbers + i);
        const __mmask16 small = _mm512_mask_cmp_ps_mask(present, value, _mm512_set1_ps(limit), _CMP_LE_OQ);
        const auto more = static_cast<std::size_t>(__builtin_popcount(small));
        const auto first = static_cast<__mmask16>((1u << more) - 1);
        _mm512_mask_storeu_ps(values + kept, first, _mm512_maskz_compress_ps(small, value));
        _mm512_mask_storeu_epi32(numbers + kept, first, _mm512_maskz_compress_epi32(small, number));
        kept += more;
    }
    return kept;
}

constexpr ScanKernels scan_kernels = {
    .form = BoundForm::bytes,
    .survivors = survivors,
    .write_planes = write_planes,
    .count_bits = count_bits,
    .sums = sums,
    .listed_sums = listed_sums,
    .range = range,
    .ranked = ranked,
    .keep_up_to = keep_up_to,
    .ranks = ranks,
    .quantise = quantise,
    .finish = finish,
    .products = products,
    .sparse_products = sparse_products,
};
