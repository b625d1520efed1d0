#include "index/flat_search.h"

#include <gtest/gtest.h>

#include <numeric>

#include "index/random_index.h"

namespace summand {
namespace {

// Some vectors of an index as an index of their own, under their ids.
struct Part {
    std::vector<std::int64_t> ids;
    std::shared_ptr<const PackedCodes> codes;
    IdFilter filter;  // of rows
};

Part part_of(const Quantizer& quantizer, const Codes& all, std::vector<std::int64_t> ids, const IdFilter* kept) {
    Codes own{Matrix<std::uint8_t>(ids.size(), all.rows.columns()), {}, all.model};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto row = static_cast<std::size_t>(ids[i]);
        std::copy_n(all.rows.row(row), all.rows.columns(), own.rows.row(i));
        if (!all.bias.empty()) own.bias.push_back(all.bias[row]);
    }
    const auto keeps = [&](std::int64_t row) { return !kept || kept->keeps(ids[static_cast<std::size_t>(row)]); };
    IdFilter filter = IdFilter::where(ids.size(), keeps);
    const Planes planes = ids.size() % 2 == 0 ? Planes::quads : Planes::whole;
    return {std::move(ids), PackedCodes::pack(own, quantizer, Metric::euclidean, planes), std::move(filter)};
}

// Vector i goes to part i²·31 % (3·parts) / 3: parts of several sizes whose ids are mixed.
std::vector<Part> parted(const Quantizer& quantizer, const Codes& codes, std::size_t parts, const IdFilter* kept) {
    std::vector<std::vector<std::int64_t>> ids(parts);
    for (std::size_t i = 0; i < codes.size(); ++i)
        ids[i * i * 31 % (3 * parts) / 3].push_back(static_cast<std::int64_t>(i));
    std::vector<Part> result;
    for (std::vector<std::int64_t>& own : ids)
        if (!own.empty()) result.push_back(part_of(quantizer, codes, std::move(own), kept));
    return result;
}

void expect_the_same(const RandomShape& shape, std::size_t parts, std::size_t k, const IdFilter* filter) {
    const Quantizer quantizer = random_quantizer(shape);
    const Codes codes = random_codes(quantizer, shape.size, shape.seed + 1);
    Random random(99);
    const Matrix<float> queries = random_rows(9, shape.dimensions, random);
    const FlatIndex whole(quantizer, codes, Metric::euclidean);
    const std::vector<Part> some = parted(quantizer, codes, parts, filter);
    std::vector<PartOfCodes> given;
    for (const Part& part : some)
        given.push_back({*part.codes, {part.ids.front(), part.ids.size(), part.ids}, filter ? &part.filter : nullptr});
    const CodeParts joined(given);
    const TableBuilder tables(quantizer, Metric::euclidean, some[0].codes->slot_order());
    for (const unsigned threads : {1u, 12u}) {
        const SearchOptions options{.k = k, .filter = filter, .execution = {.threads = threads}};
        const Neighbors expected = whole.search(queries.view(), options);
        EXPECT_EQ(search_codes(tables, joined, queries.view(), options), expected)
            << shape.size << " vectors in " << parts << " parts, K " << shape.words << ", k " << k;
        const float radius = expected.scores[0][k / 2];
        EXPECT_EQ(search_codes(tables, joined, queries.view(), radius, options),
                  whole.search_range(queries.view(), radius, options));
    }
}

TEST(FlatSearch, PartsFindWhatTheWholeFindsBitForBit) {
    for (const std::size_t words : {16, 256})
        for (const bool bias : {false, true})
            for (const std::size_t parts : {2, 7, 40})
                for (const std::size_t size : {2000, 41000})
                    expect_the_same({.size = size, .words = words, .dimensions = 8, .bias = bias}, parts, 30, nullptr);
}

TEST(FlatSearch, PartsKeepToFiltersAsTheWholeDoes) {
    const IdFilter most = IdFilter::where(41000, [](std::int64_t id) { return id % 10 != 0; }),
                   few = IdFilter::where(41000, [](std::int64_t id) { return id % 1000 < 2; });
    for (const IdFilter* filter : {&most, &few})
        for (const bool bias : {false, true})
            expect_the_same({.size = 41000, .dimensions = 8, .bias = bias}, 7, 30, filter);
}

TEST(FlatSearch, TilesHoldEveryBlockOnce) {
    const Quantizer quantizer = random_quantizer({.dictionaries = 1, .words = 2});
    const auto large = PackedCodes::pack(random_codes(quantizer, 100 * kBlockVectors, 1), quantizer),
               small = PackedCodes::pack(random_codes(quantizer, 5 * kBlockVectors - 1, 2), quantizer);
    const PartOfCodes given[] = {{*small, {0, small->size()}, nullptr},
                                 {*large, {0, large->size()}, nullptr},
                                 {*small, {0, small->size()}, nullptr}};
    const CodeParts parts(given);
    for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 110}, {3, 8}, {50, 110}, {7, 7}})
        for (const ScanOrder& order : {plain_order(parts, first, last, 6), spread_order(parts, first, last, 6)}) {
            std::vector<int> seen(110);
            for (const auto& pass : order.passes)
                for (const Tile& tile : pass) {
                    EXPECT_LE(block_count(tile), 6u);
                    for (const CodeParts::Stretch& own : tile)
                        for (std::size_t b = own.first; b < own.last; ++b) ++seen[own.part->first_block + b];
                }
            for (std::size_t b = 0; b < seen.size(); ++b) EXPECT_EQ(seen[b], b >= first && b < last ? 1 : 0) << b;
        }
}

}  // namespace
}  // namespace summand
