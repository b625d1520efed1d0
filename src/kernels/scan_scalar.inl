// Scan kernels of the scalar level: byte bounds, one look-up at a time.

std::uint64_t survivors_of_word(const BoundTables& tables, const std::uint8_t* codes) {
    std::uint16_t sum[kWordVectors] = {};
    for (std::size_t p = 0; p < tables.planes; ++p)
        for (std::size_t j = 0; j < kWordVectors; ++j)
            sum[j] = static_cast<std::uint16_t>(sum[j] + tables.entries[p * kByteSlots + codes[p * kBlockVectors + j]]);
    std::uint64_t mask = 0;
    for (std::size_t j = 0; j < kWordVectors; ++j) mask |= std::uint64_t{sum[j] <= tables.limit} << j;
    return mask;
}

SurvivorCount survivors(const BoundTables& tables, const std::uint8_t* codes, std::size_t blocks,
                        const std::uint64_t* kept, SurvivorWord* out) {
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b, codes += tables.planes * kBlockVectors)
        for (std::size_t w = 0; w < kBlockWords; ++w)
            append(survivors_of_word(tables, codes + w * kWordVectors), b * kBlockWords + w, kept, out, found);
    return {found, found};
}

constexpr ScanKernels scan_kernels = {
    .form = BoundForm::bytes,
    .survivors = survivors,
    .count_bits = count_bits,
    .sums = plain_sums,
    .range = range,
    .quantise = quantise,
    .finish = finish,
    .products = products,
    .sparse_products = sparse_products,
};
