// Portable vector code, included by each instruction set's file inside an anonymous namespace and compiled with
// its flags: the compiler lowers the 64-byte vectors to what the level has. Intrinsic-free C++ but for `fused`.

using Float16 __attribute__((vector_size(64))) = float;
using Int16 __attribute__((vector_size(64))) = std::int32_t;
using Short32 __attribute__((vector_size(64))) = std::int16_t;
using Short16 __attribute__((vector_size(32))) = std::int16_t;

constexpr std::size_t kLanes = 16;

template <class V, class T>
SUMMAND_INLINE V load(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof(V));
    return v;
}
template <class V, class T>
SUMMAND_INLINE void store(T* p, V v) {
    __builtin_memcpy(p, &v, sizeof(V));
}
SUMMAND_INLINE Float16 broadcast(float x) { return Float16{} + x; }

// A register of the level, one with the same value in all lanes, and a·b + c, rounded once.
#if defined(__AVX512F__)
using Wide = Float16;
SUMMAND_INLINE Wide wide(float x) { return Wide(_mm512_set1_ps(x)); }
SUMMAND_INLINE Wide fused(Wide a, Wide b, Wide c) { return Wide(_mm512_fmadd_ps(a, b, c)); }
#elif defined(__FMA__)
using Wide __attribute__((vector_size(32))) = float;
SUMMAND_INLINE Wide wide(float x) { return Wide(_mm256_set1_ps(x)); }
SUMMAND_INLINE Wide fused(Wide a, Wide b, Wide c) { return Wide(_mm256_fmadd_ps(a, b, c)); }
#elif defined(__aarch64__)
using Wide __attribute__((vector_size(16))) = float;
SUMMAND_INLINE Wide wide(float x) { return Wide(vdupq_n_f32(x)); }
SUMMAND_INLINE Wide fused(Wide a, Wide b, Wide c) { return Wide(vfmaq_f32(c, a, b)); }
#else
using Wide __attribute__((vector_size(16))) = float;
SUMMAND_INLINE Wide wide(float x) { return Wide{x, x, x, x}; }
// Without an instruction for it. The product is exact in double; the sum is rounded to an odd last bit where it is not,
// so that rounding it to float does what rounding the exact sum does.
SUMMAND_INLINE float fused(float a, float b, float c) {
    const double product = static_cast<double>(a) * static_cast<double>(b), added = static_cast<double>(c);
    const double sum = product + added, rest = sum - product;
    const double error = (product - (sum - rest)) + (added - rest);
    const bool exact = !(error > 0) & !(error < 0);  // so is an infinite sum, whose error is no number
    std::uint64_t bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    const std::uint64_t odd = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    bits = (!exact & ((bits & 1) == 0)) ? odd : bits;
    double result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return static_cast<float>(result);
}
SUMMAND_INLINE Wide fused(Wide a, Wide b, Wide c) {
    for (std::size_t l = 0; l < sizeof(Wide) / sizeof(float); ++l) c[l] = fused(a[l], b[l], c[l]);
    return c;
}
#endif
#if defined(__FMA__) || defined(__aarch64__)
SUMMAND_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif
constexpr std::size_t kWideLanes = sizeof(Wide) / sizeof(float);

// ((l0+l8)+(l4+l12)) + … : halves are added until one value is left.
SUMMAND_INLINE float lane_sum(Float16 v) {
    float lane[kLanes];
    store(lane, v);
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    return lane[0];
}

template <std::size_t Vectors>
SUMMAND_INLINE void inner_products_of(const float* query, const float* columns, std::size_t dimensions,
                                      std::size_t stride, float* out) {
    Wide sum[Vectors] = {};
    for (std::size_t d = 0; d < dimensions; ++d)
        for (std::size_t v = 0; v < Vectors; ++v)
            sum[v] = fused(wide(query[d]), load<Wide>(columns + d * stride + v * kWideLanes), sum[v]);
    for (std::size_t v = 0; v < Vectors; ++v) store(out + v * kWideLanes, sum[v]);
}

void inner_products(const float* query, const float* columns, std::size_t dimensions, std::size_t words,
                    std::size_t stride, float* out) {
    std::size_t w = 0;
    for (; w + 8 * kWideLanes <= words; w += 8 * kWideLanes)
        inner_products_of<8>(query, columns + w, dimensions, stride, out + w);
    for (; w + kWideLanes <= words; w += kWideLanes)
        inner_products_of<1>(query, columns + w, dimensions, stride, out + w);
    for (; w < words; ++w) {
        float sum = 0;
        for (std::size_t d = 0; d < dimensions; ++d) sum = fused(query[d], columns[d * stride + w], sum);
        out[w] = sum;
    }
}

// Lane-wise minimum with the index where it was first met.
struct LaneMinimum {
    Float16 value;
    Int16 index;
};
SUMMAND_INLINE void take_smaller(LaneMinimum& minimum, Float16 value, Int16 index) {
    const Int16 smaller = value < minimum.value;
    minimum.value = smaller ? value : minimum.value;
    minimum.index = smaller ? index : minimum.index;
}
// Halves are folded onto each other until lane 0 holds the smallest value with its smallest index.
SUMMAND_INLINE void fold(LaneMinimum& minimum, Float16 value, Int16 index) {
    const Int16 better = (value < minimum.value) | ((value == minimum.value) & (index < minimum.index));
    minimum.value = better ? value : minimum.value;
    minimum.index = better ? index : minimum.index;
}
#define SUMMAND_LANES(v, a, b, c, d, e, f, g, h) \
    __builtin_shufflevector(v, v, a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h)
#define SUMMAND_FOLD(minimum, ...) \
    fold(minimum, SUMMAND_LANES((minimum).value, __VA_ARGS__), SUMMAND_LANES((minimum).index, __VA_ARGS__))
SUMMAND_INLINE std::uint32_t first_smallest(LaneMinimum minimum, float* best) {
    SUMMAND_FOLD(minimum, 8, 9, 10, 11, 12, 13, 14, 15);
    SUMMAND_FOLD(minimum, 4, 5, 6, 7, 4, 5, 6, 7);
    SUMMAND_FOLD(minimum, 2, 3, 2, 3, 2, 3, 2, 3);
    SUMMAND_FOLD(minimum, 1, 1, 1, 1, 1, 1, 1, 1);
    *best = minimum.value[0];
    return static_cast<std::uint32_t>(minimum.index[0]);
}
#undef SUMMAND_FOLD
#undef SUMMAND_LANES
constexpr Int16 kLaneIndex = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr float kLargest = 3.4e38f;

std::uint32_t argmin_sum(const float* scores, const float* added, std::size_t count, float* best) {
    LaneMinimum minimum{broadcast(kLargest), kLaneIndex};
    Int16 index = kLaneIndex;
    std::size_t k = 0;
    for (; k + kLanes <= count; k += kLanes, index += static_cast<std::int32_t>(kLanes))
        take_smaller(minimum, load<Float16>(scores + k) + load<Float16>(added + k), index);
    std::uint32_t word = first_smallest(minimum, best);
    for (; k < count; ++k) {
        const float score = scores[k] + added[k];
        if (score < *best) {
            *best = score;
            word = static_cast<std::uint32_t>(k);
        }
    }
    return word;
}

template <class Term>
SUMMAND_INLINE float lane_total(std::size_t size, Term term) {
    Float16 sum = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes) sum += term.vector(i);
    float lane[kLanes];
    store(lane, sum);
    for (std::size_t l = 0; i < size; ++i, ++l) lane[l] += term.scalar(i);
    return lane_sum(load<Float16>(lane));
}

struct DotTerm {
    const float *a, *b;
    inline __attribute__((always_inline)) Float16 vector(std::size_t i) const {
        return load<Float16>(a + i) * load<Float16>(b + i);
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const { return a[i] * b[i]; }
};
struct DistanceTerm {
    const float *a, *b;
    inline __attribute__((always_inline)) Float16 vector(std::size_t i) const {
        const Float16 difference = load<Float16>(a + i) - load<Float16>(b + i);
        return difference * difference;
    }
    inline __attribute__((always_inline)) float scalar(std::size_t i) const { return (a[i] - b[i]) * (a[i] - b[i]); }
};

float dot(const float* a, const float* b, std::size_t size) { return lane_total(size, DotTerm{a, b}); }
float squared_distance(const float* a, const float* b, std::size_t size) {
    return lane_total(size, DistanceTerm{a, b});
}

void sum_rows(const float* const* rows, std::size_t count, std::size_t size, float* out) {
    std::size_t d = 0;
    for (; d + kLanes <= size; d += kLanes) {
        Float16 sum = {};
        for (std::size_t m = 0; m < count; ++m) sum += load<Float16>(rows[m] + d);
        store(out + d, sum);
    }
    for (; d < size; ++d) {
        float sum = 0;
        for (std::size_t m = 0; m < count; ++m) sum += rows[m][d];
        out[d] = sum;
    }
}

void combine(float a, const float* x, float b, const float* y, float c, const float* z, std::size_t size, float* out) {
    for (std::size_t d = 0; d < size; ++d) out[d] = a * x[d] + b * y[d] + c * z[d];
}

void scatter_add(const float* values, std::size_t count, std::size_t size, const std::uint8_t* codes,
                 std::size_t code_stride, float* rows) {
    for (std::size_t i = 0; i < count; ++i, values += size) {
        float* row = rows + codes[i * code_stride] * size;
        std::size_t d = 0;
        for (; d + kLanes <= size; d += kLanes) store(row + d, load<Float16>(row + d) + load<Float16>(values + d));
        for (; d < size; ++d) row[d] += values[d];
    }
}
