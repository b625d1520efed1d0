// Visits of the iterated conditional modes, included by each instruction set's file behind common.inl.
//
// Few words are worth a look: a word's cost is at least its error, so once the cost of the word with the smallest error
// is known, only words whose error is below it can be better. Errors are compared in 16 bits, 32 at a time.

// Bit l: whether lane l is at most the limit; and the smallest lane.
#if defined(__AVX512BW__)
SUMMAND_INLINE std::uint32_t at_most(Short32 v, std::int16_t limit) {
    return _mm512_cmple_epi16_mask(__m512i(v), _mm512_set1_epi16(limit));
}
#elif defined(__AVX2__)
SUMMAND_INLINE std::uint32_t at_most(Short32 v, std::int16_t limit) {
    __m256i half[2];
    __builtin_memcpy(half, &v, sizeof v);
    const __m256i limits = _mm256_set1_epi16(limit);
    const __m256i above = _mm256_packs_epi16(_mm256_cmpgt_epi16(half[0], limits), _mm256_cmpgt_epi16(half[1], limits));
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(above, 0xd8)));
}
#elif defined(__aarch64__)
SUMMAND_INLINE std::uint32_t at_most(Short32 v, std::int16_t limit) {
    int16x8_t part[4];
    __builtin_memcpy(part, &v, sizeof v);
    const uint16x8_t bit = {1, 2, 4, 8, 16, 32, 64, 128};
    std::uint32_t bits = 0;
    for (int p = 0; p < 4; ++p)
        bits |= static_cast<std::uint32_t>(vaddvq_u16(vandq_u16(vcleq_s16(part[p], vdupq_n_s16(limit)), bit))) << 8 * p;
    return bits;
}
#else
SUMMAND_INLINE std::uint32_t at_most(Short32 v, std::int16_t limit) {
    std::uint32_t bits = 0;
    for (std::size_t l = 0; l < kIcmLanes; ++l) bits |= static_cast<std::uint32_t>(v[l] <= limit) << l;
    return bits;
}
#endif

#if defined(__AVX2__)
SUMMAND_INLINE std::int16_t smallest(Short32 v) {
    __m128i part[4];
    __builtin_memcpy(part, &v, sizeof v);
    const __m128i least = _mm_min_epi16(_mm_min_epi16(part[0], part[1]), _mm_min_epi16(part[2], part[3]));
    const __m128i sign = _mm_set1_epi16(-32768);  // the instruction knows no negative numbers
    return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_xor_si128(least, sign))) ^ 0x8000);
}
#elif defined(__aarch64__)
SUMMAND_INLINE std::int16_t smallest(Short32 v) {
    int16x8_t part[4];
    __builtin_memcpy(part, &v, sizeof v);
    return vminvq_s16(vminq_s16(vminq_s16(part[0], part[1]), vminq_s16(part[2], part[3])));
}
#else
SUMMAND_INLINE std::int16_t smallest(Short32 v) {
    std::int16_t least = v[0];
    for (std::size_t l = 1; l < kIcmLanes; ++l) least = v[l] < least ? v[l] : least;
    return least;
}
#endif

IcmBounds icm_bounds(const float* unary, std::size_t words, std::size_t stride, float scale, std::int16_t* out) {
    float least = unary[0], most = unary[0];
    std::size_t k = 0;
    if (words >= kLanes) {
        Float16 low = load<Float16>(unary), high = low;
        for (; k + kLanes <= words; k += kLanes) {
            const Float16 values = load<Float16>(unary + k);
            low = values < low ? values : low;
            high = values > high ? values : high;
        }
        for (std::size_t l = 0; l < kLanes; ++l) {
            least = low[l] < least ? low[l] : least;
            most = high[l] > most ? high[l] : most;
        }
    }
    for (; k < words; ++k) {
        least = unary[k] < least ? unary[k] : least;
        most = unary[k] > most ? unary[k] : most;
    }
    IcmBounds bounds{least, 0, 1};
    float step = 4 * scale;
    for (; step * kMostIcmBound < most - least && bounds.shift < kMostIcmShift; step *= 2) ++bounds.shift;
    bounds.per_step = 1 / step;
    const Float16 limit = broadcast(kMostIcmBound);
    for (k = 0; k < stride; k += kLanes) {
        const Float16 steps = (load<Float16>(unary + k) - least) * bounds.per_step;
        store(out + k, __builtin_convertvector(__builtin_convertvector(steps < limit ? steps : limit, Int16), Short16));
    }
    return bounds;
}

constexpr int kFewCandidates = 12;  // from more on all words together are faster

// What a visit compares, of all words.
struct IcmSums {
    alignas(64) std::int16_t pairs[kMaxIcmStride];   // sums of the rows; exact in 16 bits
    alignas(64) std::int16_t bounds[kMaxIcmStride];  // of the changes
    std::int16_t least;                              // of the bounds
};

// Row after row, so that each is one stream.
template <std::size_t Vectors>
SUMMAND_INLINE Short32 add_rows(std::size_t row_count, const IcmVisit& visit, std::size_t first, Short32 least,
                                IcmSums& sums) {
    Short32 sum[Vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < Vectors; ++v) sum[v] = Short32{};
    for (std::size_t r = 0; r < row_count; ++r)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < Vectors; ++v) sum[v] += load<Short32>(visit.rows[r] + first + v * kIcmLanes);
    const int shift = visit.bounds.shift < 15 ? visit.bounds.shift : 15;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < Vectors; ++v) {
        const std::size_t k = first + v * kIcmLanes;
        store(sums.pairs + k, sum[v]);
        const Short32 bound = load<Short32>(visit.bound + k) + (sum[v] >> shift);
        store(sums.bounds + k, bound);
        least = bound < least ? bound : least;
    }
    return least;
}
template <bool Full>
SUMMAND_INLINE void add_rows(const IcmDictionary& dictionary, const IcmVisit& visit, IcmSums& sums) {
    Short32 least = Short32{} + std::int16_t{32767};
    if constexpr (Full)
        least = add_rows<kMaxIcmStride / kIcmLanes>(dictionary.row_count, visit, 0, least, sums);
    else
        for (std::size_t k = 0; k < dictionary.stride; k += kIcmLanes)
            least = add_rows<1>(dictionary.row_count, visit, k, least, sums);
    sums.least = smallest(least);
}

// A bit for each word.
struct WordSet {
    static constexpr std::size_t kParts = kMaxIcmStride / 64;
    std::uint64_t part[kParts] = {};
    static SUMMAND_INLINE std::uint32_t word(std::size_t p, std::uint64_t bits) {
        return static_cast<std::uint32_t>(64 * p) + static_cast<std::uint32_t>(__builtin_ctzll(bits));
    }
    SUMMAND_INLINE std::uint32_t first() const {
        std::uint32_t result = 0;
#pragma GCC unroll 4
        for (std::size_t p = kParts; p-- > 0;) result = part[p] != 0 ? word(p, part[p]) : result;
        return result;
    }
    SUMMAND_INLINE int size() const {
        int count = 0;
        for (const std::uint64_t bits : part) count += __builtin_popcountll(bits);
        return count;
    }
    template <class Body>
    SUMMAND_INLINE void for_each(Body body) const {
        for (std::size_t p = 0; p < kParts; ++p)
            for (std::uint64_t bits = part[p]; bits != 0; bits &= bits - 1) body(word(p, bits));
    }
};
template <bool Full>
SUMMAND_INLINE WordSet words_at_most(const IcmDictionary& dictionary, const IcmSums& sums, std::int16_t limit) {
    WordSet set;
    const std::size_t stride = Full ? kMaxIcmStride : dictionary.stride;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < stride; k += kIcmLanes)
        set.part[k / 64] |= static_cast<std::uint64_t>(at_most(load<Short32>(sums.bounds + k), limit)) << (k % 64);
    return set;
}

template <bool Absolute, class Values>
SUMMAND_INLINE Values icm_cost(const IcmDictionary& dictionary, Values error, Values excess) {
    const Values cost = error + dictionary.penalty * excess * excess;
    if constexpr (Absolute) return cost + dictionary.absolute * (excess < Values{} ? -excess : excess);
    return cost;
}

template <bool Absolute, bool Full>
SUMMAND_INLINE IcmChoice choose(const IcmDictionary& dictionary, const IcmVisit& visit, const IcmSums& sums) {
    const float scale = 2 * dictionary.scale;
    const auto change_of = [&](std::uint32_t word) __attribute__((always_inline)) {
        return visit.unary[word] + static_cast<float>(sums.pairs[word]) * scale;
    };
    const auto rise_of = [&](std::uint32_t word, float change) __attribute__((always_inline)) {
        return (dictionary.gain[word] + dictionary.gain_slope * visit.unary[word]) + dictionary.slope * change;
    };
    const float change = change_of(visit.word);
    const float error0 = visit.error - change;
    const float excess0 = visit.excess - rise_of(visit.word, change);
    const auto with = [&](std::uint32_t word) __attribute__((always_inline)) {
        const float changed = change_of(word);
        const float error = error0 + changed, excess = excess0 + rise_of(word, changed);
        return IcmChoice{word, icm_cost<Absolute>(dictionary, error, excess), error, excess};
    };
    const IcmChoice current{visit.word, icm_cost<Absolute>(dictionary, visit.error, visit.excess), visit.error,
                            visit.excess};
    IcmChoice best = with(words_at_most<Full>(dictionary, sums, sums.least).first());
    // One step more than the cost to beat: the bounds are rounded down.
    const float to_beat = best.cost < current.cost ? best.cost : current.cost;
    const float steps = (to_beat - error0 - visit.bounds.least) * visit.bounds.per_step + 1;
    const float limit = steps < 32767 ? (steps > -32768 ? steps : -32768) : 32767;
    const WordSet candidates = words_at_most<Full>(dictionary, sums, static_cast<std::int16_t>(limit));
    const int count = candidates.size();
    if (count > kFewCandidates) {
        const auto costs_at = [&](std::size_t k) __attribute__((always_inline)) {
            const Float16 unary = load<Float16>(visit.unary + k);
            const Float16 changes = unary + __builtin_convertvector(load<Short16>(sums.pairs + k), Float16) * scale;
            const Float16 rises =
                (load<Float16>(dictionary.gain + k) + dictionary.gain_slope * unary) + dictionary.slope * changes;
            return icm_cost<Absolute>(dictionary, error0 + changes, excess0 + rises);
        };
        // Two minima, of even and of odd pieces: one would wait for itself.
        LaneMinimum minimum{broadcast(kLargest), kLaneIndex}, odd = minimum;
        Int16 index = kLaneIndex;
        for (std::size_t k = 0; k < dictionary.stride; k += kIcmLanes, index += static_cast<std::int32_t>(kIcmLanes)) {
            take_smaller(minimum, costs_at(k), index);
            take_smaller(odd, costs_at(k + kLanes), index + static_cast<std::int32_t>(kLanes));
        }
        fold(minimum, odd.value, odd.index);
        best = with(first_smallest(minimum, &best.cost));
    } else if (count > 1) {
        best.cost = kLargest;
        candidates.for_each([&](std::uint32_t word) __attribute__((always_inline)) {
            const IcmChoice choice = with(word);
            if (choice.cost < best.cost) best = choice;
        });
    }
    return best.cost < current.cost ? best : current;
}

// Adds the rows of the next visit before it chooses the word of this one. The choice ends in branches that cannot be
// predicted, and the rows come from distant memory: loading them need not wait for the branches.
template <bool Absolute, bool Full>
SUMMAND_INLINE void visit_all(const IcmDictionary& dictionary, const IcmVisit* visits, std::size_t count,
                              IcmChoice* choices) {
    IcmSums sums[2];
    if (count > 0) add_rows<Full>(dictionary, visits[0], sums[0]);
    for (std::size_t i = 0; i < count; ++i) {
        if (i + 2 < count)
            for (std::size_t r = 0; r < dictionary.row_count; ++r)
                for (std::size_t k = 0; k < dictionary.stride; k += 64) __builtin_prefetch(visits[i + 2].rows[r] + k);
        if (i + 1 < count) add_rows<Full>(dictionary, visits[i + 1], sums[(i + 1) % 2]);
        choices[i] = choose<Absolute, Full>(dictionary, visits[i], sums[i % 2]);
    }
}

void icm_visits(const IcmDictionary& dictionary, const IcmVisit* visits, std::size_t count, IcmChoice* choices) {
    const bool absolute = dictionary.absolute != 0, full = dictionary.stride == kMaxIcmStride;
    const auto run = absolute ? (full ? visit_all<true, true> : visit_all<true, false>)
                              : (full ? visit_all<false, true> : visit_all<false, false>);
    run(dictionary, visits, count, choices);
}
