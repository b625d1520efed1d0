// Rows of halves and of bytes, widened as they are read. Included after common.inl and the level's scan.

// One number, and as many as a register holds.
SUMMAND_INLINE float widened(std::uint8_t number) { return static_cast<float>(number); }
// The bits of a half make a float that is smaller by 2^112, zeros and subnormal numbers included.
SUMMAND_INLINE float widened(std::uint16_t half) {
    const std::uint32_t bits = static_cast<std::uint32_t>(half & 0x7fff) << 13;
    float size;
    __builtin_memcpy(&size, &bits, sizeof size);
    size *= 0x1p112f;
    return (half & 0x8000) != 0 ? -size : size;
}
#if defined(__AVX512F__)
SUMMAND_INLINE Wide widened(const std::uint8_t* row) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
    return Wide(_mm512_maskz_cvtepi32_ps(kAllLanes, _mm512_maskz_cvtepu8_epi32(kAllLanes, bytes)));
}
SUMMAND_INLINE Wide widened(const std::uint16_t* row) {
    return Wide(_mm512_maskz_cvtph_ps(kAllLanes, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row))));
}
#elif defined(__AVX2__)
SUMMAND_INLINE Wide widened(const std::uint8_t* row) {
    return Wide(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row)))));
}
SUMMAND_INLINE Wide widened(const std::uint16_t* row) {
    return Wide(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row))));
}
#elif defined(__aarch64__)
SUMMAND_INLINE Wide widened(const std::uint8_t* row) {
    std::uint32_t four;
    __builtin_memcpy(&four, row, sizeof four);
    return Wide(vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))))));
}
SUMMAND_INLINE Wide widened(const std::uint16_t* row) {
    return Wide(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(row))));
}
#else
template <class T>
SUMMAND_INLINE Wide widened(const T* row) {
    return Wide{widened(row[0]), widened(row[1]), widened(row[2]), widened(row[3])};
}
#endif

// As `lane_total`, in registers of the level.
template <class Term>
SUMMAND_INLINE float row_total(std::size_t size, Term term) {
    constexpr std::size_t kParts = kLanes / kWideLanes;
    Wide sum[kParts] = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t p = 0; p < kParts; ++p) sum[p] += term.vector(i + p * kWideLanes);
    float lane[kLanes];
    for (std::size_t p = 0; p < kParts; ++p) store(lane + p * kWideLanes, sum[p]);
    for (std::size_t l = 0; i < size; ++i, ++l) lane[l] += term.scalar(i);
    return lane_sum(load<Float16>(lane));
}

template <class T>
struct RowDotTerm {
    const float* query;
    const T* row;
    inline __attribute__((always_inline)) Wide vector(std::size_t i) const {
        return load<Wide>(query + i) * widened(row + i);
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const { return query[i] * widened(row[i]); }
};
struct HalfDistanceTerm {
    const float* query;
    const std::uint16_t* row;
    inline __attribute__((always_inline)) Wide vector(std::size_t i) const {
        const Wide difference = load<Wide>(query + i) - widened(row + i);
        return difference * difference;
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const {
        const float difference = query[i] - widened(row[i]);
        return difference * difference;
    }
};
struct ByteDistanceTerm {
    const float* query;
    float scale;
    const std::uint8_t* row;
    inline __attribute__((always_inline)) Wide vector(std::size_t i) const {
        const Wide difference = load<Wide>(query + i) - wide(scale) * widened(row + i);
        return difference * difference;
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const {
        const float difference = query[i] - scale * widened(row[i]);
        return difference * difference;
    }
};
struct SteppedDistanceTerm {
    const float *query, *steps;
    const std::uint8_t* row;
    inline __attribute__((always_inline)) Wide vector(std::size_t i) const {
        const Wide difference = load<Wide>(query + i) - load<Wide>(steps + i) * widened(row + i);
        return difference * difference;
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const {
        const float difference = query[i] - steps[i] * widened(row[i]);
        return difference * difference;
    }
};

float half_dot(const float* query, const std::uint16_t* row, std::size_t size) {
    return row_total(size, RowDotTerm<std::uint16_t>{query, row});
}
float half_distance(const float* query, const std::uint16_t* row, std::size_t size) {
    return row_total(size, HalfDistanceTerm{query, row});
}
float byte_dot(const float* query, const std::uint8_t* row, std::size_t size) {
    return row_total(size, RowDotTerm<std::uint8_t>{query, row});
}
float byte_distance(const float* query, float scale, const std::uint8_t* row, std::size_t size) {
    return row_total(size, ByteDistanceTerm{query, scale, row});
}
float stepped_distance(const float* query, const float* steps, const std::uint8_t* row, std::size_t size) {
    return row_total(size, SteppedDistanceTerm{query, steps, row});
}

std::uint64_t byte_squares(const std::uint8_t* row, std::size_t size) {
    constexpr std::size_t kPiece = 1 << 16;  // whose sum fits 32 bits
    std::uint64_t total = 0;
    for (std::size_t first = 0; first < size; first += kPiece) {
        std::uint32_t sum = 0;
        for (std::size_t i = first; i < (size - first < kPiece ? size : first + kPiece); ++i)
            sum += static_cast<std::uint32_t>(row[i]) * row[i];
        total += sum;
    }
    return total;
}

constexpr RowKernels row_kernels = {
    .half_dot = half_dot,
    .half_distance = half_distance,
    .byte_dot = byte_dot,
    .byte_distance = byte_distance,
    .stepped_distance = stepped_distance,
    .byte_squares = byte_squares,
};
