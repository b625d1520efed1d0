// Small quantizers and codes for the tests of containers, and ways to damage a container.
#pragma once

#include "base/byte_order.h"
#include "base/hash.h"
#include "io/container.h"
#include "io/support.h"
#include "summand/quantizer.h"

namespace summand::test {

struct Shape3 {
    std::size_t dictionaries;
    std::size_t words;
    std::size_t dimensions;
};

/// Dense words, a rotation and a bias.
inline Quantizer dense_quantizer(const Shape3& shape) {
    const auto [M, K, D] = shape;
    Quantizer q;
    q.method = "CQ";
    q.bias = Bias::stored;
    q.centre = random_matrix(1, D, 1).values();
    q.rotation = random_matrix(D, D, 2);
    q.dictionaries.count = M;
    q.dictionaries.words = K;
    q.dictionaries.rows = random_matrix(M * K, D, 3);
    q.word_offsets = random_matrix(M, K, 4).values();
    q.encoder = {.penalty = 0.1f, .theta = 0.3f, .effort = Effort::best};
    q.training = {.vectors = 1000,
                  .distortion = 0.1,
                  .held_out_distortion = 1.0 / 3,
                  .cross_term_deviation = 1e-300,
                  .objective = {3.5, 2.25, 1.0 / 7}};
    return q;
}

/// Words that are zero outside their block, no rotation, no bias.
inline Quantizer block_quantizer(const Shape3& shape) {
    const auto [M, K, D] = shape;
    Quantizer q;
    q.method = "PQ";
    q.unit_length = true;
    q.centre.assign(D, 0.5f);
    q.dictionaries.count = M;
    q.dictionaries.words = K;
    for (std::size_t m = 0; m <= M; ++m) q.dictionaries.block_begin.push_back(m * D / M);
    q.dictionaries.rows = Matrix<float>(M * K, D);
    const Matrix<float> values = random_matrix(M * K, D, 5);
    for (std::size_t m = 0; m < M; ++m)
        for (std::size_t k = 0; k < K; ++k)
            for (std::size_t d = q.dictionaries.block_begin[m]; d < q.dictionaries.block_begin[m + 1]; ++d)
                q.dictionaries.word(m, k)[d] = values[m * K + k][d];
    q.word_offsets = random_matrix(M, K, 6).values();
    return q;
}

inline Codes random_codes(const Quantizer& q, std::size_t n, std::uint64_t seed) {
    Random random(seed);
    Codes codes{Matrix<std::uint8_t>(n, q.dictionaries.count), {}, identity(q)};
    for (std::size_t i = 0; i < codes.rows.size(); ++i)
        codes.rows.data()[i] = static_cast<std::uint8_t>(random.below(q.dictionaries.words));
    if (q.bias == Bias::stored) codes.bias = random_matrix(1, n, seed).values();
    return codes;
}

/// Makes all checksums right again, as one who forges a file would.
inline void reseal(Bytes& bytes) {
    const auto count = load_little<std::uint32_t>(&bytes[header::kSections]);
    for (std::size_t i = 0; i < count; ++i) {
        std::byte* row = &bytes[header::kSize + entry::kSize * i];
        const auto offset = load_little<std::uint64_t>(row + entry::kOffset);
        const auto length = load_little<std::uint64_t>(row + entry::kLength);
        if (offset <= bytes.size() && length <= bytes.size() - offset)
            store_little(row + entry::kCrc, crc32_of(bytes.data() + offset, length));
    }
    store_little(&bytes[header::kCrc], std::uint32_t{0});
    store_little(&bytes[header::kCrc],
                 crc32_of(bytes.data(), std::min(bytes.size(), header::kSize + entry::kSize * count)));
}

/// Where the row of a section stands in the table; all tests ask for sections that are there.
inline std::size_t entry_of(const Bytes& bytes, std::string_view section) {
    std::size_t at = header::kSize;
    while (std::string_view(reinterpret_cast<const char*>(&bytes[at])) != section) at += entry::kSize;
    return at;
}

inline std::size_t content_of(const Bytes& bytes, std::string_view section) {
    return load_little<std::uint64_t>(&bytes[entry_of(bytes, section) + entry::kOffset]);
}

/// Every file that differs in one bit, every beginning of it and every longer one must be refused.
template <class Load>
void expect_every_damage_refused(const Bytes& good, const Load& load) {
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        Bytes bad = good;
        bad[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_THROW(load(bad), Error) << "bit " << bit % 8 << " of byte " << bit / 8;
    }
    for (std::size_t length = 0; length < good.size(); ++length)
        ASSERT_THROW(load(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length))), Error)
            << "cut to " << length;
    Bytes longer = good;
    longer.push_back(std::byte{0});
    expect_error([&] { load(longer); }, {"trailing bytes: 1 follow"});
}

}  // namespace summand::test
