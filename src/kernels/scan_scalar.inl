// Scan kernels of the scalar level: byte bounds, one look-up at a time.

std::uint64_t survivors_of_word(const BoundTables& tables, const CodeRows& codes) {
    std::uint64_t mask = 0;
    for (std::size_t j = 0; j < kWordVectors; ++j)
        mask |= std::uint64_t{bound_sum(tables, codes.vector(j)) <= tables.limit} << j;
    return mask;
}

SurvivorCount survivors(const BoundTables& tables, const CodeRows& codes, std::size_t blocks, const std::uint64_t* kept,
                        SurvivorWord* out) {
    std::size_t found = 0;
    for (std::size_t w = 0; w < blocks * kBlockWords; ++w)
        append(survivors_of_word(tables, codes.word(w)), w, kept, out, found);
    return {found, found};
}

constexpr ScanKernels scan_kernels = {
    .form = BoundForm::bytes,
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
