#include "index/row_store.h"

#include <cmath>

#include "index/index_parts.h"
#include "summand/evaluate.h"
#include "summand/half.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr Metric kMetrics[] = {Metric::euclidean, Metric::inner_product, Metric::cosine};
constexpr const char* kSpecs[] = {"PQ2x4", "IVF6,PQ2x4", "IMI2x2,OPQ2x4"};
constexpr std::size_t kSize = 300, kDimensions = 19;

Matrix<float> whole_numbers(std::size_t rows, std::uint64_t seed) {
    Random random(seed);
    Matrix<float> vectors(rows, kDimensions);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = static_cast<float>(random.below(256));
    return vectors;
}

Index first_layer(const std::string& text, Metric metric, const Matrix<float>& vectors) {
    const IndexSpec spec = parse_index_spec(text);
    if (!spec.cells) {
        const Quantizer model = train(vectors.view(), spec.code, {.metric = metric});
        return Index(FlatIndex(model, encode(model, vectors.view()), metric));
    }
    InvertedBuilder builder(train(vectors.view(), spec, {.metric = metric}));
    builder.add(vectors.view());
    return Index(std::move(builder).finish());
}

// Every cell is visited and every vector scored again.
SearchOptions everything(const Index& index, std::size_t k) {
    return {.k = k, .probes = index.inverted() ? std::size_t{100} : 0, .refine = kSize};
}

// Scores of all found are near the exact ones of the same ids.
void expect_scores(const Index& index, const Matrix<float>& vectors, const Matrix<float>& queries, double tolerance) {
    const Neighbors exact = exact_neighbors(vectors.view(), queries.view(), kSize, index.metric());
    const Neighbors found = index.search(queries.view(), everything(index, kSize));
    for (std::size_t q = 0; q < queries.rows(); ++q) {
        const double size = 1 + dot(queries.row(q), queries.row(q), kDimensions);
        std::vector<float> score_of(kSize);
        for (std::size_t i = 0; i < kSize; ++i)
            score_of[static_cast<std::size_t>(exact.ids[q][i])] = exact.scores[q][i];
        for (std::size_t i = 0; i < kSize; ++i) {
            const float expected = score_of[static_cast<std::size_t>(found.ids[q][i])];
            EXPECT_NEAR(found.scores[q][i], expected, tolerance * (size + std::abs(expected)));
        }
    }
}

template <class Body>
void for_each_index(const Matrix<float>& vectors, const Body& body) {
    for (const char* spec : kSpecs)
        for (const Metric metric : kMetrics) {
            SCOPED_TRACE(concatenate(spec, " ", name(metric)));
            body(first_layer(spec, metric, vectors));
        }
}

}  // namespace

TEST(RowStore, WholeNumbersInBytesAreAnExactSearch) {
    const Matrix<float> vectors = whole_numbers(kSize, 1), queries = whole_numbers(7, 2);
    for_each_index(vectors, [&](Index index) {
        index.set_refinement(refine_rows(index, vectors.view(), RowFormat::u8));
        expect_scores(index, vectors, queries, 1e-5);
        if (index.metric() == Metric::cosine) return;
        EXPECT_EQ(index.search(queries.view(), everything(index, 20)),
                  exact_neighbors(vectors.view(), queries.view(), 20, index.metric()));
    });
}

TEST(RowStore, EveryFormatScoresCloseToTheVectors) {
    const Matrix<float> vectors = clustered(kSize, kDimensions), queries = clustered(7, kDimensions, 2);
    for_each_index(vectors, [&](Index index) {
        for (const auto& [format, tolerance] :
             {std::pair{RowFormat::fp32, 1e-5}, {RowFormat::fp16, 2e-3}, {RowFormat::sq8, 3e-2}}) {
            SCOPED_TRACE(name(format));
            index.set_refinement(refine_rows(index, vectors.view(), format));
            expect_scores(index, vectors, queries, tolerance);
        }
    });
}

// |x - x̄| <= step/2 in every dimension, so that distances |q - x| are off by at most |steps|/2.
TEST(RowStore, BytesOfRangesAreWithinHalfAStep) {
    Matrix<float> vectors = clustered(kSize, kDimensions);
    for (std::size_t i = 0; i < kSize; ++i) vectors[i][3] = 1e6f + vectors[i][3];  // few steps of a float
    for (std::size_t i = 0; i < kSize; ++i) vectors[i][5] = -7;
    const Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    const RefineRows rows = refine_rows(index, vectors.view(), RowFormat::sq8);
    for (std::size_t d = 0; d < kDimensions; ++d) {
        const double smallest = rows.ranges[d], step = rows.ranges[kDimensions + d];
        double largest = smallest;
        for (std::size_t i = 0; i < kSize; ++i) {
            const auto byte = std::to_integer<int>(rows.rows[i * kDimensions + d]);
            EXPECT_LE(std::abs(smallest + step * byte - static_cast<double>(vectors[i][d])), step / 2 * (1 + 1e-12));
            largest = std::max(largest, static_cast<double>(vectors[i][d]));
        }
        EXPECT_GE(smallest + 255 * step, largest);
    }
    EXPECT_EQ(rows.ranges[kDimensions + 5], 0);
}

TEST(RowStore, HalvesAreTheNearest) {
    const Matrix<float> vectors = clustered(kSize, kDimensions);
    const Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    const RefineRows rows = refine_rows(index, vectors.view(), RowFormat::fp16);
    const auto* halves = reinterpret_cast<const std::uint16_t*>(rows.rows.data());
    for (std::size_t i = 0; i < vectors.size(); ++i) EXPECT_EQ(halves[i], half_of(vectors.data()[i]));
}

TEST(RowStore, RowsLieInTheOrderOfTheLists) {
    const Matrix<float> vectors = whole_numbers(kSize, 1);
    const Index index = first_layer("IVF6,PQ2x4", Metric::euclidean, vectors);
    const RefineRows rows = refine_rows(index, vectors.view(), RowFormat::u8);
    const std::vector<std::uint32_t> positions = positions_of(*IndexParts::lists(*index.inverted()));
    for (std::size_t id = 0; id < kSize; ++id)
        for (std::size_t d = 0; d < kDimensions; ++d)
            EXPECT_EQ(std::to_integer<int>(rows.rows[positions[id] * kDimensions + d]), vectors[id][d]);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows.rows.data()) % 64, 0u);
}

TEST(RowStore, FindsTheSameForEveryThreadCountAndKernel) {
    const Matrix<float> vectors = whole_numbers(kSize, 1), queries = clustered(40, kDimensions, 2);
    for (const RowFormat format : kRowFormats)
        for (const Metric metric : kMetrics) {
            Index index = first_layer("IVF6,PQ2x4", metric, vectors);
            index.set_refinement(refine_rows(index, vectors.view(), format));
            SearchOptions options{.k = 10, .probes = 3, .refine = 40};
            const Neighbors expected = index.search(queries.view(), options);
            with_each_level([&] {
                for (const unsigned threads : {1u, 3u}) {
                    options.execution.threads = threads;
                    EXPECT_EQ(index.search(queries.view(), options), expected) << name(format);
                }
            });
        }
}

TEST(RowStore, FiltersAndRangesAreHeeded) {
    const Matrix<float> vectors = whole_numbers(kSize, 1), queries = whole_numbers(7, 2);
    for_each_index(vectors, [&](Index index) {
        index.set_refinement(refine_rows(index, vectors.view(), RowFormat::u8));
        const IdFilter filter = IdFilter::range(100, 140);
        SearchOptions options = everything(index, 20);
        const Neighbors all = index.search(queries.view(), options);
        const float radius = all.scores[0][10];
        const RangeNeighbors within = index.search_range(queries.view(), radius, options);
        for (std::size_t i = 0; i < within.begin[1]; ++i)
            EXPECT_EQ(within.entries[i], (Neighbor{all.scores[0][i], all.ids[0][i]}));
        EXPECT_LT(all.scores[0][within.begin[1]], std::nextafter(radius, INFINITY));
        EXPECT_GE(all.scores[0][within.begin[1]], radius);
        options.filter = &filter;
        const Neighbors kept = index.search(queries.view(), options);
        for (const std::int64_t id : kept.ids.values()) EXPECT_TRUE(filter.keeps(id)) << id;
    });
}

TEST(RowStore, RowsCountAsBytes) {
    const Matrix<float> vectors = whole_numbers(kSize, 1);
    Index index = first_layer("IVF6,PQ2x4", Metric::euclidean, vectors);
    const std::size_t memory = index.memory_bytes();
    for (const RowFormat format : kRowFormats) {
        index.set_refinement(refine_rows(index, vectors.view(), format));
        const std::size_t row = row_bytes(format, kDimensions);
        const std::size_t ranges = format == RowFormat::sq8 ? 2 * sizeof(float) * kDimensions : 0;
        EXPECT_EQ(index.memory_bytes(), memory + kSize * row + ranges);
        EXPECT_EQ(index.code_bytes(), 1 + row);
        EXPECT_EQ(index.spec(), concatenate("IVF6,PQ2x4,Refine(", name(format), ")"));
    }
}

TEST(RowStore, WhatAFormatCannotHoldIsRefused) {
    Matrix<float> vectors = whole_numbers(kSize, 1);
    const Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    const auto refused = [&](float value, RowFormat format, std::initializer_list<std::string_view> parts) {
        vectors[41][7] = value;
        expect_error([&] { refine_rows(index, vectors.view(), format); }, parts);
    };
    refused(256, RowFormat::u8, {"Refine(u8) holds whole numbers from 0 to 255; row 41 has 256 in dimension 7"});
    refused(-1, RowFormat::u8, {"row 41 has -1 in dimension 7", "use Refine(sq8), Refine(fp16) or Refine(fp32)"});
    refused(0.5f, RowFormat::u8, {"row 41 has 0.5 in dimension 7"});
    refused(65'520, RowFormat::fp16,
            {"Refine(fp16) holds values from -65504 to 65504; row 41 has 65520", "use Refine(sq8) or Refine(fp32)"});
    refused(INFINITY, RowFormat::fp32, {"row 41"});
    vectors[41][7] = 65'519;
    EXPECT_NO_THROW(refine_rows(index, vectors.view(), RowFormat::fp16));
    expect_error([&] { refine_rows(index, vectors.view().slice(0, 299), RowFormat::u8); },
                 {"expected the 300 vectors of 19 dimensions of the index, got 299 of 19"});
}

TEST(RowStore, RowsThatDoNotFitAreRefused) {
    const Matrix<float> vectors = whole_numbers(kSize, 1);
    Index index = first_layer("PQ2x4", Metric::euclidean, vectors);
    const RefineRows bytes = refine_rows(index, vectors.view(), RowFormat::u8);
    RefineRows other = bytes;
    other.rows = bytes.rows.first(kSize * kDimensions - 1);
    expect_error([&] { index.set_refinement(other); },
                 {"expected a second layer of 300 vectors of 19 bytes, got 5699"});
    other.rows = bytes.rows.subspan(1);
    expect_error([&] { index.set_refinement(other); }, {"got 5699"});
    other = bytes;
    other.format = RowFormat::sq8;
    expect_error([&] { index.set_refinement(other); },
                 {"expected 38 numbers for the ranges of a second layer sq8, got 0"});
    std::vector<float> ranges(2 * kDimensions, 1.0f);
    ranges[kDimensions + 2] = -1;
    other.ranges = ranges;
    expect_error([&] { index.set_refinement(other); }, {"range of finite numbers for dimension 2"});
    ranges[kDimensions + 2] = 1e38f;
    expect_error([&] { index.set_refinement(other); }, {"range of finite numbers for dimension 2"});
    ranges[kDimensions + 2] = 1;
    ranges[0] = NAN;
    expect_error([&] { index.set_refinement(other); }, {"range of finite numbers for dimension 0"});
}

}  // namespace summand::test
