// The portable part of the scan kernels, included after common.inl by each instruction set's file.

using Byte16 __attribute__((vector_size(16))) = std::uint8_t;

// One value of all lanes: halves are folded onto each other.
template <class Vector, class Fold>
SUMMAND_INLINE auto folded(Vector lanes, Fold fold) {
    lanes = fold(lanes, __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    lanes = fold(lanes, __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3));
    lanes = fold(lanes, __builtin_shufflevector(lanes, lanes, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1));
    return fold(lanes, __builtin_shufflevector(lanes, lanes, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0))[0];
}
constexpr auto kLarger = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto kSmaller = [](auto a, auto b) { return b < a ? b : a; };

ValueRange range(const float* values, std::size_t count) {
    Float16 low = load<Float16>(values), high = low;
    for (std::size_t i = kLanes; i < count; i += kLanes) {
        const Float16 value = load<Float16>(values + i);
        low = kSmaller(low, value);
        high = kLarger(high, value);
    }
    return {folded(low, kSmaller), folded(high, kLarger)};
}

// Floats as integers of the same order; zeros of either sign are one.
SUMMAND_INLINE Int16 keys_of(Float16 values) {
    const Float16 sum = values + Float16{};
    const Int16 bits = load<Int16>(&sum);
    return bits ^ (bits >> 31 & 0x7fffffff);
}
SUMMAND_INLINE float of_key(std::int32_t key) {
    const std::int32_t bits = key ^ (key >> 31 & 0x7fffffff);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// Narrows the range of keys until `rank` values are up to a key, or a few more, `last` at most. It cuts the range by
// turns where they would be if values were spread evenly, and in the middle. for_each(body) gives the keys of all
// values, in order, and of infinities at the end; `low` and `high` are the smallest and the largest without those.
template <class ForEach>
SUMMAND_INLINE float ranked_of(std::size_t count, std::size_t rank, std::size_t last, std::int32_t low,
                               std::int32_t high, ForEach for_each) {
    constexpr std::int32_t kMost = 0x7fffffff;
    std::size_t before = 0, up_to = count;  // values below `low`, and up to `high`
    const double aim = 0.5 * static_cast<double>(rank + (last < count ? last : count)) - 0.5;
    for (unsigned turn = 0; low < high; ++turn) {
        const std::int64_t width = std::int64_t{high} - low;
        const double share =
            turn % 3 == 2 ? 0.5 : (aim - static_cast<double>(before)) / static_cast<double>(up_to - before);
        const auto step = static_cast<std::int64_t>(static_cast<double>(width) * share);
        const auto key = static_cast<std::int32_t>(low + (step < width ? step : width - 1));
        Int16 counts = {};
        for_each([&](Int16 keys) { counts -= keys <= key; });
        const auto below = static_cast<std::size_t>(folded(counts, [](Int16 a, Int16 b) { return a + b; }));
        if (below >= rank && below <= last) {
            Int16 most = Int16{} - kMost;
            for_each([&](Int16 keys) { most = ((most < keys) & (keys <= key)) ? keys : most; });
            return of_key(folded(most, kLarger));
        }
        if (below > last) {
            high = key;
            up_to = below;
        } else {
            low = key + 1;
            before = below;
        }
    }
    return of_key(low);
}

constexpr std::size_t kKeptKeys = 1024;  // that are computed once; more, in every pass

float ranked(const float* values, std::size_t count, std::size_t rank, std::size_t last) {
    const std::size_t whole = count / kLanes * kLanes;
    float tail[kLanes];
    const auto fill = [&](float value) {
        for (std::size_t l = 0; l < kLanes; ++l) tail[l] = whole + l < count ? values[whole + l] : value;
    };
    const auto for_each = [&](auto body) {
        for (std::size_t i = 0; i < whole; i += kLanes) body(keys_of(load<Float16>(values + i)));
        if (whole < count) body(keys_of(load<Float16>(tail)));
    };
    fill(values[0]);
    Int16 least = keys_of(broadcast(values[0])), most = least;
    for_each([&](Int16 keys) {
        least = kSmaller(least, keys);
        most = kLarger(most, keys);
    });
    const std::int32_t low = folded(least, kSmaller), high = folded(most, kLarger);
    fill(__builtin_inff());
    if (count > kKeptKeys) return ranked_of(count, rank, last, low, high, for_each);
    Int16 kept[kKeptKeys / kLanes];
    std::size_t vectors = 0;
    for_each([&](Int16 keys) { kept[vectors++] = keys; });
    return ranked_of(count, rank, last, low, high, [&](auto body) {
        for (std::size_t v = 0; v < vectors; ++v) body(kept[v]);
    });
}

// Has no branch, since it is not predictable which values are kept.
[[maybe_unused]] std::size_t keep_one_by_one(float limit, float* values, std::uint32_t* numbers, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        numbers[kept] = numbers[i];
        values[kept] = values[i];
        kept += values[i] <= limit;
    }
    return kept;
}

void ranks(float* values, std::size_t count, std::int32_t* out) {
    const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;
    for (std::size_t i = count; i < padded; ++i) values[i] = __builtin_inff();
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Float16 own = load<Float16>(values + i);
        Int16 smaller = {};
        for (std::size_t j = 0; j < count; ++j) smaller -= values[j] < own;
        store(out + i, smaller);
    }
}

void quantise(const float* values, std::size_t count, float smallest, float scale, std::uint8_t* out) {
    const Float16 most = broadcast(255.0f);
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Float16 scaled = (load<Float16>(values + i) - smallest) * scale;
        const Int16 whole = __builtin_convertvector(scaled < most ? scaled : most, Int16);
        store(out + i, __builtin_convertvector(whole, Byte16));
    }
}

bool finish(const float* offsets, float factor, std::size_t count, float* entries) {
    Int16 finite = Int16{} - 1;
    for (std::size_t i = 0; i < count; i += kLanes) {
        const Float16 entry = load<Float16>(offsets + i) + factor * load<Float16>(entries + i);
        finite &= 0 * entry == Float16{};
        store(entries + i, entry);
    }
    std::int32_t all = -1;
    for (std::size_t l = 0; l < kLanes; ++l) all &= finite[l];
    return all != 0;
}

// Queries × registers of words whose sums stay in registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr std::size_t kTileQueries = 4, kTileVectors = 4;
#elif defined(__AVX2__)
constexpr std::size_t kTileQueries = 4, kTileVectors = 2;
#else
constexpr std::size_t kTileQueries = 2, kTileVectors = 2;
#endif

template <std::size_t Vectors>
SUMMAND_INLINE void products_of(const ProductsTask& task, std::size_t q, std::size_t w) {
    Wide sum[kTileQueries][Vectors] = {};
    const float* query = task.queries + q * task.query_stride;
    for (std::size_t d = 0; d < task.dimensions; ++d) {
        const float* columns = task.columns + d * task.stride + w;
        Wide column[Vectors];
        for (std::size_t v = 0; v < Vectors; ++v) column[v] = load<Wide>(columns + v * kWideLanes);
        for (std::size_t i = 0; i < kTileQueries; ++i) {
            const Wide value = wide(query[i * task.query_stride + d]);
            for (std::size_t v = 0; v < Vectors; ++v) sum[i][v] = fused(value, column[v], sum[i][v]);
        }
    }
    for (std::size_t i = 0; i < kTileQueries; ++i)
        for (std::size_t v = 0; v < Vectors; ++v)
            store(task.out + (q + i) * task.out_stride + w + v * kWideLanes, sum[i][v]);
}

// All queries but the last few, which do not fill a tile, against the same words: their columns stay in the cache.
template <std::size_t Vectors>
SUMMAND_INLINE void products_of_words(const ProductsTask& task, std::size_t w) {
    for (std::size_t q = 0; q + kTileQueries <= task.query_count; q += kTileQueries) products_of<Vectors>(task, q, w);
}

void products(const ProductsTask& task) {
    std::size_t w = 0;
    for (; w + kTileVectors * kWideLanes <= task.words; w += kTileVectors * kWideLanes)
        products_of_words<kTileVectors>(task, w);
    for (; w + kWideLanes <= task.words; w += kWideLanes) products_of_words<1>(task, w);
    for (std::size_t q = task.query_count / kTileQueries * kTileQueries; q < task.query_count; ++q)
        inner_products(task.queries + q * task.query_stride, task.columns, task.dimensions, task.words, task.stride,
                       task.out + q * task.out_stride);
}

template <int... Lane>
struct Lanes {};
using AllLanes = Lanes<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;

// In rows whose numbers differ by `Distance`, exchanges the lanes that do: all four distances transpose 16 rows.
template <int Distance, int... Lane>
SUMMAND_INLINE void exchange(Float16* rows, Lanes<Lane...>) {
    for (int i = 0; i < static_cast<int>(kLanes); ++i) {
        if (i & Distance) continue;
        const Float16 a = rows[i], b = rows[i + Distance];
        rows[i] = __builtin_shufflevector(a, b, (Lane & Distance ? Lane - Distance + 16 : Lane)...);
        rows[i + Distance] = __builtin_shufflevector(a, b, (Lane & Distance ? Lane + 16 : Lane + Distance)...);
    }
}

// 16 entries of 16 queries, transposed and stored.
void sparse_products(const SparseProductsTask& task) {
    for (std::size_t first = 0; first < task.entries; first += kLanes) {
        constexpr std::size_t kVectors = kLanes / kWideLanes;
        float sums[kLanes][kLanes];
        for (std::size_t e = 0; e < kLanes; ++e) {
            Wide sum[kVectors] = {};
            for (std::uint32_t i = task.begin[first + e]; i < task.begin[first + e + 1]; ++i) {
                const Wide value = wide(task.values[i]);
                const float* queries = task.queries + task.dimensions[i] * kLanes;
                for (std::size_t v = 0; v < kVectors; ++v)
                    sum[v] = fused(load<Wide>(queries + v * kWideLanes), value, sum[v]);
            }
            for (std::size_t v = 0; v < kVectors; ++v) store(sums[e] + v * kWideLanes, sum[v]);
        }
        Float16 tile[kLanes];
        for (std::size_t e = 0; e < kLanes; ++e) tile[e] = load<Float16>(sums[e]);
        exchange<1>(tile, AllLanes());
        exchange<2>(tile, AllLanes());
        exchange<4>(tile, AllLanes());
        exchange<8>(tile, AllLanes());
        for (std::size_t q = 0; q < task.query_count; ++q) store(task.out + q * task.out_stride + first, tile[q]);
    }
}

// Without an instruction for it: sums of bits in pairs, nibbles, bytes.
SUMMAND_INLINE std::uint64_t bits_of(std::uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return static_cast<std::uint64_t>(__builtin_popcountll(x));
#else
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
#endif
}

// The bytes of the first vectors of a quad, a row for each of its planes.
template <std::size_t Vectors>
SUMMAND_INLINE void unpack_quad(const CodeRows& codes, std::size_t q, std::uint8_t* out) {
    const std::uint8_t *rows = codes.quad(q), *top = codes.top(q);
    for (std::size_t j = 0; j < Vectors; ++j) {
        const std::uint8_t a = rows[j], b = rows[kBlockVectors + j], c = rows[2 * kBlockVectors + j], t = top[j];
        out[j] = static_cast<std::uint8_t>((a & 63) | (t << 6 & 192));
        out[Vectors + j] = static_cast<std::uint8_t>((b & 63) | (t << 4 & 192));
        out[2 * Vectors + j] = static_cast<std::uint8_t>((c & 63) | (t << 2 & 192));
        out[3 * Vectors + j] = static_cast<std::uint8_t>(a >> 6 | (b >> 4 & 12) | (c >> 2 & 48) | (t & 192));
    }
}

void write_planes(const CodeRows& codes, std::size_t blocks, std::uint8_t* out) {
    for (std::size_t b = 0; b < blocks; ++b, out += codes.planes * kBlockVectors) {
        const CodeRows own = codes.block(b);
        for (std::size_t q = 0; q < own.quads; ++q) unpack_quad<kBlockVectors>(own, q, out + 4 * q * kBlockVectors);
        const std::size_t quad_planes = 4 * own.quads;
        __builtin_memcpy(out + quad_planes * kBlockVectors, own.row(quad_planes),
                         (own.planes - quad_planes) * kBlockVectors);
    }
}

// Look-ups for eight vectors at a time, so that their sums stay in registers; gathers were measured to be slower.
// code(m, j): that of vector j.
template <class Code>
SUMMAND_INLINE void look_up_sums(const SumsTask& task, std::size_t slots, Code code, float* out) {
    constexpr std::size_t kAtOnce = 8;
    for (std::size_t j = 0; j < kWordVectors; j += kAtOnce) {
        float sum[kAtOnce];
        for (std::size_t i = 0; i < kAtOnce; ++i) sum[i] = task.entries[code(0, j + i)];
        for (std::size_t m = 1; m < task.dictionaries; ++m)
            for (std::size_t i = 0; i < kAtOnce; ++i) sum[i] += task.entries[m * slots + code(m, j + i)];
        for (std::size_t i = 0; i < kAtOnce; ++i) out[j + i] = sum[i];
    }
}

[[maybe_unused]] void pair_sums(const SumsTask& task, float* out) {
    const std::uint8_t* rows = task.codes.rows;
    look_up_sums(
        task, kNibbleSlots,
        [=](std::size_t m, std::size_t j) { return rows[m / 2 * kBlockVectors + j] >> (m % 2 * 4) & 15; }, out);
}

void byte_sums(const SumsTask& task, float* out) {
    if (task.codes.quads == 0) {
        const std::uint8_t* rows = task.codes.rows;
        return look_up_sums(
            task, kByteSlots, [=](std::size_t m, std::size_t j) { return rows[m * kBlockVectors + j]; }, out);
    }
    std::uint8_t bytes[kMaxPlanes][kWordVectors];
    for (std::size_t q = 0; q < task.codes.quads; ++q) unpack_quad<kWordVectors>(task.codes, q, bytes[4 * q]);
    for (std::size_t m = 4 * task.codes.quads; m < task.dictionaries; ++m)
        __builtin_memcpy(bytes[m], task.codes.row(m), kWordVectors);
    look_up_sums(
        task, kByteSlots, [&](std::size_t m, std::size_t j) { return bytes[m][j]; }, out);
}

[[maybe_unused]] void plain_sums(const SumsTask& task, float* out) {
    task.pairs ? pair_sums(task, out) : byte_sums(task, out);
}

void listed_sums(const SumsTask& task, const std::uint32_t* vectors, std::size_t count, float* out) {
    const auto entry = [&](std::size_t e) { return task.entries[e]; };
    for (std::size_t i = 0; i < count; ++i) {
        const CodeRows own = task.codes.block(vectors[i] / kBlockVectors).vector(vectors[i] % kBlockVectors);
        out[i] = task.pairs ? own.pair_sum(task.dictionaries, entry) : own.byte_sum(task.dictionaries, entry);
    }
}

// Of a vector, in byte form.
[[maybe_unused]] SUMMAND_INLINE unsigned bound_sum(const BoundTables& tables, const CodeRows& codes) {
    unsigned sum = 0;
    codes.for_each_byte([&](std::size_t p, unsigned byte) { sum += tables.entries[p * kByteSlots + byte]; });
    return sum;
}

// Appends a word that has survivors; without a branch, as they are rare but not predictable.
SUMMAND_INLINE void append(std::uint64_t within, std::uint64_t word, const std::uint64_t* kept, SurvivorWord* out,
                           std::size_t& found) {
    const std::uint64_t mask = within & kept[word];
    out[found] = {mask, word};
    found += mask != 0;
}

void count_bits(const std::uint64_t* words, std::size_t blocks, std::uint16_t* out) {
    for (std::size_t b = 0; b < blocks; ++b) {
        std::uint64_t count = 0;
        for (std::size_t w = 0; w < kBlockWords; ++w) count += bits_of(words[b * kBlockWords + w]);
        out[b] = static_cast<std::uint16_t>(count);
    }
}
