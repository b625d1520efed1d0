// The scan and the products of a query with words, in WebAssembly with vectors of 128 bits. kernel.js calls it,
// web/make compiles it. All arrays lie in one memory; codes lie as docs/format.md draws them.
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define BLOCK 512
#define LANES 16

typedef struct {
    const uint8_t *rows, *tops;
    uint32_t height;  // rows of a block
    uint32_t planes;  // of codes, and one of bias levels where there are biases
    uint32_t quads;   // the first 4·quads planes
    uint32_t count;   // dictionaries
    uint32_t pairs;   // how many planes, from the first on, hold two codes in a byte
} Codes;

static v128_t low_half(v128_t bytes) { return wasm_v128_and(bytes, wasm_i8x16_splat(15)); }

// What the bounds of a plane say of 16 vectors: 16 for the low half of a byte, and 16 for the high one where it is
// another code. A look-up in a register.
static v128_t bounds_of(v128_t codes, const uint8_t* bounds, int pair) {
    const v128_t low = wasm_i8x16_swizzle(wasm_v128_load(bounds), low_half(codes));
    if (!pair) return low;
    return wasm_u8x16_add_sat(low, wasm_i8x16_swizzle(wasm_v128_load(bounds + 16), wasm_u8x16_shr(codes, 4)));
}

static v128_t sum_of_bounds(const Codes* codes, const uint8_t* rows, const uint8_t* bounds) {
    v128_t sum = wasm_i8x16_splat(0);
    const v128_t six = wasm_i8x16_splat(12);
    for (uint32_t q = 0; q < codes->quads; ++q, rows += 3 * BLOCK, bounds += 4 * 32) {
        const v128_t a = wasm_v128_load(rows), b = wasm_v128_load(rows + BLOCK), c = wasm_v128_load(rows + 2 * BLOCK);
        const v128_t fourth = wasm_v128_or(wasm_u8x16_shr(a, 6), wasm_v128_and(wasm_u8x16_shr(b, 4), six));
        const v128_t first = wasm_u8x16_add_sat(bounds_of(a, bounds, 0), bounds_of(b, bounds + 32, 0));
        const v128_t second = wasm_u8x16_add_sat(bounds_of(c, bounds + 64, 0), bounds_of(fourth, bounds + 96, 0));
        sum = wasm_u8x16_add_sat(sum, wasm_u8x16_add_sat(first, second));
    }
    for (uint32_t p = 4 * codes->quads; p < codes->planes; ++p, rows += BLOCK, bounds += 32)
        sum = wasm_u8x16_add_sat(sum, bounds_of(wasm_v128_load(rows), bounds, p < codes->pairs));
    return sum;
}

// Lists the vectors of some blocks whose bounds sum up to at most `limit`, counted from the first of all blocks.
EXPORT(survivors)
uint32_t survivors(const Codes* codes, uint32_t first, uint32_t last, const uint8_t* bounds, uint32_t limit,
                   uint32_t* out) {
    uint32_t count = 0;
    const v128_t most = wasm_i8x16_splat((int8_t)limit);
    for (uint32_t b = first; b < last; ++b)
        for (uint32_t j = 0; j < BLOCK; j += LANES) {
            const v128_t sum = sum_of_bounds(codes, codes->rows + b * codes->height * BLOCK + j, bounds);
            for (uint32_t mask = wasm_i8x16_bitmask(wasm_u8x16_le(sum, most)); mask; mask &= mask - 1)
                out[count++] = b * BLOCK + j + (uint32_t)__builtin_ctz(mask);
        }
    return count;
}

static float quad_sum(float sum, const uint8_t* own, uint32_t top, const float* entries) {
    const uint32_t a = own[0], b = own[BLOCK], c = own[2 * BLOCK];
    sum += entries[(a & 63) | (top << 6 & 192)];
    sum += entries[256 + ((b & 63) | (top << 4 & 192))];
    sum += entries[512 + ((c & 63) | (top << 2 & 192))];
    return sum + entries[768 + (a >> 6 | (b >> 4 & 12) | (c >> 2 & 48) | (top & 192))];
}

// (entry_0 + entry_1) + … of one vector.
static float sum_of_entries(const Codes* codes, uint32_t vector, const float* entries) {
    const uint8_t* own = codes->rows + vector / BLOCK * codes->height * BLOCK + vector % BLOCK;
    const uint8_t* top = codes->tops + vector / BLOCK * codes->quads * BLOCK + vector % BLOCK;
    float sum = -0.0f;
    if (codes->pairs) {
        for (uint32_t m = 0; m < codes->count; ++m, entries += 16) sum += entries[own[m / 2 * BLOCK] >> m % 2 * 4 & 15];
        return sum;
    }
    for (uint32_t q = 0; q < codes->quads; ++q, own += 3 * BLOCK, top += BLOCK, entries += 1024)
        sum = quad_sum(sum, own, *top, entries);
    for (uint32_t m = 4 * codes->quads; m < codes->count; ++m, own += BLOCK, entries += 256) sum += entries[*own];
    return sum;
}

EXPORT(listed_sums)
void listed_sums(const Codes* codes, const float* entries, const uint32_t* vectors, uint32_t count, float* out) {
    for (uint32_t i = 0; i < count; ++i) out[i] = sum_of_entries(codes, vectors[i], entries);
}

EXPORT(sums)
void sums(const Codes* codes, const float* entries, uint32_t first, uint32_t last, float* out) {
    for (uint32_t i = first; i < last; ++i) out[i - first] = sum_of_entries(codes, i, entries);
}

// Products: out[w] = Σ_d query[d]·words[w·width + d], d ascending, each step a multiply-add that is rounded once. As
// src/arithmetic.js: the double sum is rounded to float, and where it lies in the middle between two floats, its error
// says which is nearer.

static double float_of(double value) { return (double)(float)value; }

static double fused(double a, double b, double c) {
    const double product = a * b, sum = product + c, near = float_of(sum), rest = sum - near, beyond = near + 2 * rest;
    if (rest == 0 || float_of(beyond) != beyond) return near;
    const double part = sum - product, error = (product - (sum - part)) + (c - part);
    if (error == 0) return near;
    return (error > 0) == (beyond > near) ? beyond : near;
}

static v128_t floats_of(v128_t doubles) { return wasm_f64x2_promote_low_f32x4(wasm_f32x4_demote_f64x2_zero(doubles)); }

// Two steps of `fused`, of two words.
static v128_t fused_two(v128_t value, v128_t words, v128_t sums) {
    const v128_t sum = wasm_f64x2_add(wasm_f64x2_mul(value, words), sums), near = floats_of(sum);
    const v128_t rest = wasm_f64x2_sub(sum, near), beyond = wasm_f64x2_add(near, wasm_f64x2_add(rest, rest));
    const v128_t middle =
        wasm_v128_and(wasm_f64x2_eq(floats_of(beyond), beyond), wasm_f64x2_ne(rest, wasm_f64x2_splat(0)));
    if (__builtin_expect(!wasm_v128_any_true(middle), 1)) return near;
    const double x = wasm_f64x2_extract_lane(value, 0);
    return wasm_f64x2_make(fused(x, wasm_f64x2_extract_lane(words, 0), wasm_f64x2_extract_lane(sums, 0)),
                           fused(x, wasm_f64x2_extract_lane(words, 1), wasm_f64x2_extract_lane(sums, 1)));
}

#define WORDS 8  // at once: a step waits for the one before
#define EACH_PAIR _Pragma("clang loop unroll(full)") for (uint32_t i = 0; i < WORDS / 2; ++i)

static void products_of_eight(const float* query, const float* words, uint32_t width, float* out) {
    v128_t sum[WORDS / 2];
    EACH_PAIR sum[i] = wasm_f64x2_splat(0);
    for (uint32_t d = 0; d < width; ++d) {
        const v128_t value = wasm_f64x2_splat((double)query[d]);
        EACH_PAIR {
            const float *first = words + 2 * i * width, *second = first + width;
            sum[i] = fused_two(value, wasm_f64x2_make((double)first[d], (double)second[d]), sum[i]);
        }
    }
    EACH_PAIR {
        out[2 * i] = (float)wasm_f64x2_extract_lane(sum[i], 0);
        out[2 * i + 1] = (float)wasm_f64x2_extract_lane(sum[i], 1);
    }
}

EXPORT(products)
void products(const float* query, const float* words, uint32_t width, uint32_t count, float* out) {
    uint32_t w = 0;
    for (; w + WORDS <= count; w += WORDS) products_of_eight(query, words + w * width, width, out + w);
    for (; w < count; ++w) {
        double sum = 0;
        for (uint32_t d = 0; d < width; ++d) sum = fused((double)query[d], (double)words[w * width + d], sum);
        out[w] = (float)sum;
    }
}
