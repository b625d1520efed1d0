#include "train/cells.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kDimensions = 10;

Partition cells_of(const std::string& spec, std::size_t size = 1200) {
    return train_cells(clustered(size, kDimensions).view(), cell_options(*parse_index_spec(spec + ",PQ2").cells), {});
}

std::vector<float> centre_of(const Partition& partition, std::uint32_t cell) {
    const Matrix<float> zero(1, kDimensions, 0.0f);
    const Matrix<float> minus = residuals(partition, {cell}, zero.view());
    std::vector<float> centre(minus.row(0), minus.row(0) + kDimensions);
    for (float& x : centre) x = -x;
    return centre;
}

std::uint32_t nearest_by_brute_force(const Partition& partition, const float* vector) {
    std::uint32_t best = 0;
    double least = 1e300;
    for (std::uint32_t cell = 0; cell < partition.cells(); ++cell) {
        const double distance = squared_distance(vector, centre_of(partition, cell).data(), kDimensions);
        if (distance < least) {
            least = distance;
            best = cell;
        }
    }
    return best;
}

TEST(Cells, VectorsBelongToTheNearestCentre) {
    const Matrix<float> vectors = clustered(60, kDimensions, 5);
    for (const char* spec : {"IVF20", "IMI2x2", "IMI2x3", "IMI2x3(coarse=OPQ)"}) {
        const Partition partition = cells_of(spec);
        const std::vector<std::uint32_t> cells = assign(partition, vectors.view());
        for (std::size_t i = 0; i < vectors.rows(); ++i)
            EXPECT_EQ(cells[i], nearest_by_brute_force(partition, vectors.row(i))) << spec << " row " << i;
    }
}

// With as many groups as are tried, nothing is missed; with more, few vectors are.
TEST(Cells, TwoLevelsFindTheNearestCentreAlmostAlways) {
    const Matrix<float> vectors = clustered(200, kDimensions, 5);
    for (const auto& [spec, most] : {std::pair{"IVF40(groups=4)", 0}, std::pair{"IVF60(groups=12)", 10}}) {
        const Partition partition = cells_of(spec);
        EXPECT_EQ(partition.group_begin.back(), partition.cells());
        const std::vector<std::uint32_t> cells = assign(partition, vectors.view());
        int missed = 0;
        for (std::size_t i = 0; i < vectors.rows(); ++i)
            missed += cells[i] != nearest_by_brute_force(partition, vectors.row(i)) ? 1 : 0;
        EXPECT_LE(missed, most) << spec;
    }
}

TEST(Cells, MoreThanTheVectorsToLearnFromAreRefused) {
    for (const char* spec : {"IVF21", "IVF21(groups=4)", "IVF100000"})
        expect_error([&] { cells_of(spec, 20); },
                     {"train: expected a vector or more to learn each of", "cells from, got 20",
                      "learn from more of them", "or ask for fewer cells"});
    expect_error([&] { cells_of("IMI2x5", 20); }, {"each of 32 words of cells from, got 20 vectors"});
    EXPECT_EQ(cells_of("IVF20", 20).cells(), 20u);
}

TEST(Cells, MoreGroupsThanDifferentVectorsAreTrained) {
    Matrix<float> vectors = clustered(60, kDimensions);
    for (std::size_t i = 20; i < 60; ++i) std::copy_n(vectors.row(i % 20), kDimensions, vectors.row(i));
    const Partition partition =
        train_cells(vectors.view(), cell_options(*parse_index_spec("IVF50(groups=30),PQ2").cells), {});
    EXPECT_EQ(assign(partition, vectors.view()).size(), 60u);
    for (std::size_t g = 0; g < 30; ++g) EXPECT_LT(partition.group_begin[g], partition.group_begin[g + 1]);
}

// Where words are not orthogonal, no other word of either dictionary is better beside the one of the other.
TEST(Cells, NoSingleChangeImprovesAPairOfDenseWords) {
    const Matrix<float> vectors = clustered(60, kDimensions, 5);
    const Partition partition = cells_of("IMI2x4(coarse=NOCQ)");
    EXPECT_FALSE(partition.orthogonal);
    const std::vector<std::uint32_t> cells = assign(partition, vectors.view());
    const auto distance = [&](std::size_t i, std::uint32_t cell) {
        return squared_distance(vectors.row(i), centre_of(partition, cell).data(), kDimensions);
    };
    for (std::size_t i = 0; i < vectors.rows(); ++i)
        for (std::uint32_t k = 0; k < 16; ++k) {
            EXPECT_LE(distance(i, cells[i]), distance(i, cells[i] / 16 * 16 + k) + 1e-3);
            EXPECT_LE(distance(i, cells[i]), distance(i, k * 16 + cells[i] % 16) + 1e-3);
        }
}

TEST(Cells, OffsetsAreTheSquaredNormsOfTheCentres) {
    for (const char* spec : {"IVF20", "IMI2x3", "IMI2x3(coarse=OPQ)"}) {
        const Partition partition = cells_of(spec);
        const std::size_t K = partition.dictionaries.words;
        for (std::uint32_t cell = 0; cell < partition.cells(); ++cell) {
            const std::vector<float> centre = centre_of(partition, cell);
            const float sum = partition.dictionaries.count == 1
                                  ? partition.word_offsets[cell]
                                  : partition.word_offsets[cell / K] + partition.word_offsets[K + cell % K];
            EXPECT_NEAR(sum, dot(centre.data(), centre.data(), kDimensions), 1e-3) << spec;
        }
    }
}

// The offsets of near-orthogonal words leave the cross term out up to a constant, which changes no order.
TEST(Cells, OffsetsOfNearOrthogonalWordsFollowTheNorms) {
    const Partition partition = cells_of("IMI2x4(coarse=NOCQ)");
    double sum = 0, squares = 0, all = 0, all_squares = 0;
    for (const std::uint32_t cell : assign(partition, clustered(300, kDimensions, 6).view())) {
        const std::vector<float> centre = centre_of(partition, cell);
        const double norm = dot(centre.data(), centre.data(), kDimensions);
        const double error = norm - static_cast<double>(partition.word_offsets[cell / 16]) -
                             static_cast<double>(partition.word_offsets[16 + cell % 16]);
        sum += error;
        squares += error * error;
        all += norm;
        all_squares += norm * norm;
    }
    EXPECT_LT(squares - sum * sum / 300, 0.1 * (all_squares - all * all / 300));
}

// With more words than a byte counts, cells become better than the rotated halves they begin with, and the product of
// their words stays close to a constant.
TEST(Cells, ManyNearOrthogonalWordsAreBetterThanRotatedHalves) {
    const Matrix<float> vectors = clustered(6000, kDimensions);
    const auto error = [&](const Partition& partition) {
        const Matrix<float> left = residuals(partition, assign(partition, vectors.view()), vectors.view());
        return dot(left.data(), left.data(), left.size());
    };
    const Partition partition = cells_of("IMI2x9(coarse=NOCQ)", 6000);
    EXPECT_FALSE(partition.orthogonal);
    EXPECT_EQ(partition.cells(), 1u << 18);
    EXPECT_LT(error(partition), error(cells_of("IMI2x9(coarse=OPQ)", 6000)));
    double sum = 0, squares = 0, norms = 0, squared_norms = 0;
    for (const std::uint32_t cell : assign(partition, vectors.view())) {
        const std::vector<float> centre = centre_of(partition, cell);
        const double norm = dot(centre.data(), centre.data(), kDimensions);
        const double excess = norm - static_cast<double>(partition.word_offsets[cell / 512]) -
                              static_cast<double>(partition.word_offsets[512 + cell % 512]);
        sum += excess / 6000;
        squares += excess * excess / 6000;
        norms += norm / 6000;
        squared_norms += norm * norm / 6000;
    }
    EXPECT_LT(squares - sum * sum, 0.1 * (squared_norms - norms * norms));
    EXPECT_LT(std::abs(sum), 0.1 * norms);
}

TEST(Cells, ManyNearOrthogonalWordsDoNotDependOnThreads) {
    const Matrix<float> vectors = clustered(2000, kDimensions);
    const CellOptions options = cell_options(*parse_index_spec("IMI2x9(coarse=NOCQ,iterations=3),PQ2x4").cells);
    EXPECT_EQ(train_cells(vectors.view(), options, {.execution = {.threads = 1}}),
              train_cells(vectors.view(), options, {.execution = {.threads = 3}}));
}

TEST(Cells, RotatedHalvesAreNoWorseThanHalves) {
    const Matrix<float> vectors = clustered(1200, kDimensions);
    const auto error = [&](const std::string& spec) {
        const Partition partition = cells_of(spec);
        const Matrix<float> left = residuals(partition, assign(partition, vectors.view()), vectors.view());
        return dot(left.data(), left.data(), left.size());
    };
    EXPECT_LT(error("IMI2x4(coarse=OPQ,iterations=20)"), error("IMI2x4(coarse=PQ,iterations=20)"));
}

TEST(Cells, AsManyCellsAsVectorsAreTheVectors) {
    const Partition partition = cells_of("IVF50", 50);
    EXPECT_EQ(partition.cells(), 50u);
    const Matrix<float> vectors = clustered(50, kDimensions);
    const Matrix<float> left = residuals(partition, assign(partition, vectors.view()), vectors.view());
    EXPECT_NEAR(dot(left.data(), left.data(), left.size()), 0, 1e-3);
}

TEST(Cells, SpecsSayWhatTheyMean) {
    const CellOptions ivf = cell_options(*parse_index_spec("IVF4096(coding=plain,iterations=3),LOCQ8").cells);
    EXPECT_EQ(ivf.dictionaries, 1u);
    EXPECT_EQ(ivf.words, 4096u);
    EXPECT_EQ(ivf.iterations, 3);
    EXPECT_EQ(ivf.coding, Coding::plain);
    const CellOptions imi = cell_options(*parse_index_spec("IMI2x14(coarse=NOCQ),NOCQ8").cells);
    EXPECT_EQ(imi.dictionaries, 2u);
    EXPECT_EQ(imi.words, 1u << 14);
    EXPECT_EQ(imi.coarse, "NOCQ");
    EXPECT_EQ(imi.coding, Coding::residual);
    for (const char* text : {"IVF1024,LOCQ8", "IMI2x8,PQ16x4", "IVF16(coding=plain),PQ8(iterations=3)", "OPQ4"})
        EXPECT_EQ(to_string(parse_index_spec(text)), text);
    EXPECT_EQ(to_string(parse_index_spec("IVF16,OPQ8,PQ8")), "IVF16,OPQ8");
    EXPECT_FALSE(parse_index_spec("LOCQ8").cells.has_value());
}

TEST(Cells, SpecsSayWhatTheBestCandidatesAreScoredAgainWith) {
    for (const char* text :
         {"PQ8,Refine(flat)", "IVF1024,LOCQ8,Refine(LOCQ8)", "OPQ8,Refine(PQ16x4(iterations=3))", "PQ8,Refine(fp32)",
          "IVF1024,LOCQ8,Refine(fp16)", "IMI2x8,PQ8,Refine(sq8)", "PQ8,Refine(u8)"})
        EXPECT_EQ(to_string(parse_index_spec(text)), text);
    EXPECT_FALSE(parse_index_spec("PQ8").refine.has_value());
    EXPECT_FALSE(parse_index_spec("PQ8,Refine(flat)").refine->code.has_value());
    EXPECT_FALSE(parse_index_spec("PQ8,Refine(flat)").refine->rows.has_value());
    EXPECT_EQ(parse_index_spec("PQ8,Refine(u8)").refine->rows, RowFormat::u8);
    EXPECT_EQ(parse_index_spec("OPQ8,PQ8,Refine(OPQ4,PQ4)").refine->code->dictionaries, 4u);
    const auto parse = [](const char* text) { return [text] { check(parse_index_spec(text)); }; };
    expect_error(parse("PQ8,Refine(flat"), {"spec 'PQ8,Refine(flat': expected ')' at the end"});
    expect_error(parse("PQ8,Refine()"), {"spec '': expected a method name at the end"});
    expect_error(parse("PQ8,Refine(XQ8)"), {"unknown method 'XQ'"});
    expect_error(parse("PQ8,Refine(fp8)"), {"unknown method 'fp'"});
    expect_error(parse("PQ8,Refine(PQ8(iterations=x))"), {"iterations"});
    expect_error(parse("PQ8,refine(flat)"), {"expected the end of the spec, got ',refine(flat)'"});
    expect_error([] { parse_spec("PQ8,Refine(flat)"); }, {"expected the end of the spec, got ',Refine(flat)'"});
}

TEST(Cells, WrongSpecsAreRefused) {
    const auto parse = [](const char* text) { return [text] { check(parse_index_spec(text)); }; };
    expect_error(parse("IVF,PQ8"), {"spec 'IVF,PQ8': expected a number of cells, got ',PQ8'"});
    expect_error(parse("IVF0,PQ8"), {"expected a number of cells from 1 to 1048576, got 0"});
    expect_error(parse("IVF16"), {"spec 'IVF16': expected a comma and the method of the codes at the end"});
    expect_error(parse("IMI3x4,PQ8"), {"expected a number of dictionaries from 2 to 2, got 3"});
    expect_error(parse("IMI2,PQ8"), {"expected x and the bits of a dictionary, got ',PQ8'"});
    expect_error(parse("IMI2x15,PQ8"), {"expected bits of a dictionary from 1 to 14, got 15"});
    expect_error(parse("IVF16(coarse=PQ),PQ8"), {"unknown option 'coarse' of IVF; known: iterations, coding, groups"});
    expect_error(parse("IVF16(coding=both),PQ8"), {"option coding: expected residual or plain, got 'both'"});
    expect_error(parse("IVF16,XQ8"), {"unknown method 'XQ'"});
    const Matrix<float> vectors = clustered(100, kDimensions);
    expect_error([&] { train(vectors.view(), parse_index_spec("PQ2x4")); },
                 {"train: expected the spec of an inverted index, IVF1024,PQ2x4 for example, got PQ2x4"});
    expect_error([&] { train(vectors.view(), parse_index_spec("IVF4,ITQ8(distance=symmetric)")); },
                 {"train: an inverted index has no use for distance=symmetric"});
    const Matrix<float> thin(50, 1, 1.0f);
    expect_error([&] { train(thin.view(), parse_index_spec("IMI2x1,PQ1x2")); },
                 {"train: expected vectors of at least 2 dimensions for two dictionaries, got 1"});
    expect_error([&] { train(MatrixView<float>(thin.data(), 0, 1), parse_index_spec("IVF2,PQ1x2")); },
                 {"train: expected vectors to learn cells from, got none"});
    expect_error([&] { train(vectors.view(), parse_index_spec("IVF4(groups=5),PQ2x4")); },
                 {"train: expected at most as many groups as cells (4), got 5"});
    const Partition partition = cells_of("IVF3");
    expect_error([&] { assign(partition, thin.view()); }, {"assign: expected vectors of 10 dimensions, got 1"});
}

}  // namespace
}  // namespace summand::test
