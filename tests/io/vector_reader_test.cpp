#include <algorithm>
#include <cmath>
#include <limits>

#include "io/support.h"

namespace summand::test {

TEST(VectorReader, ReadingInPiecesEqualsReadingAtOnce) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_whole(500, 1500, 0, 127, 1);  // more than one piece inside
    for (const char* file : {"a.fvecs", "a.bvecs", "a.ivecs", "a.fbin", "a.u8bin", "a.i8bin", "a.ibin", "a.npy"}) {
        write_vectors(directory / file, data.view());
        const VectorReader reader(directory / file);
        Matrix<float> pieces(reader.rows(), reader.columns());
        for (std::size_t first = 0, step = 1; first < reader.rows(); first += step, step = step * 2 + 1) {
            const Matrix<float> piece = reader.read(first, std::min(step, reader.rows() - first));
            std::copy_n(piece.data(), piece.size(), pieces.row(first));
        }
        EXPECT_EQ(pieces, reader.read(0, reader.rows())) << file;
        EXPECT_EQ(pieces, data) << file;
    }
}

TEST(VectorReader, RowsByNumberAreThoseOfTheFile) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_whole(50, 7, 0, 127, 1);
    const std::vector<std::int64_t> rows{49, 0, 7, 7, 12};
    for (const char* file : {"a.fvecs", "a.bvecs", "a.fbin", "a.i8bin", "a.npy"}) {
        write_vectors(directory / file, data.view());
        const VectorReader reader(directory / file);
        const Matrix<float> found = reader.read_rows(rows);
        ASSERT_EQ(found.rows(), rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            EXPECT_TRUE(std::equal(found.row(i), found.row(i) + 7, data.row(static_cast<std::size_t>(rows[i]))));
        expect_error([&] { reader.read_rows(std::vector<std::int64_t>{3, 50}); }, {file, "rows below 50, got 50"});
        expect_error([&] { reader.read_rows(std::vector<std::int64_t>{-1}); }, {file, "rows below 50, got -1"});
    }
    write_raw(directory / "b.fbin", bytes_of(2u, 2u, 1.0f, 2.0f, 3.0f, std::nanf("")));
    expect_error([&] { VectorReader(directory / "b.fbin").read_rows(std::vector<std::int64_t>{1}); },
                 {"b.fbin: row 1, column 1 is nan"});
}

TEST(VectorReader, ReadingNoRowsGivesNone) {
    const TemporaryDirectory directory;
    write_vectors(directory / "a.fvecs", random_matrix(3, 2, 1).view());
    EXPECT_EQ(VectorReader(directory / "a.fvecs").read(3, 0).rows(), 0u);
}

TEST(VectorReader, RowsOutsideTheFileAreAnError) {
    const TemporaryDirectory directory;
    write_vectors(directory / "a.fvecs", random_matrix(3, 2, 1).view());
    const VectorReader reader(directory / "a.fvecs");
    expect_error([&] { reader.read(2, 2); }, {"a.fvecs: expected rows below 3, got 2 rows from 2"});
    expect_error([&] { reader.read(4, std::numeric_limits<std::size_t>::max()); }, {"expected rows below 3"});
}

TEST(VectorReader, NotANumberAndInfinityNameFileAndRow) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.fbin", bytes_of(2u, 2u, 1.0f, 2.0f, 3.0f, std::nanf("")));
    expect_error([&] { read_vectors(directory / "a.fbin"); }, {"a.fbin: row 1, column 1 is nan, expected a finite"});
    write_raw(directory / "a.fbin", bytes_of(2u, 2u, 1.0f, 2.0f, -HUGE_VALF, 3.0f));
    expect_error([&] { read_vectors(directory / "a.fbin"); }, {"row 1, column 0 is -inf"});
    EXPECT_EQ(VectorReader(directory / "a.fbin").read(0, 1), Matrix<float>(1, 2, {1, 2}));
}

TEST(VectorReader, KeepsItsFileWhenMoved) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_matrix(3, 2, 1);
    write_vectors(directory / "a.fvecs", data.view());
    VectorReader first(directory / "a.fvecs");
    const VectorReader second = std::move(first);
    EXPECT_EQ(second.path(), directory / "a.fvecs");
    EXPECT_EQ(second.read(0, 3), data);
}

TEST(SampleVectors, IsASubsetInFileOrderWithoutRepeats) {
    const TemporaryDirectory directory;
    Matrix<float> data(100, 1);
    for (std::size_t i = 0; i < 100; ++i) data[i][0] = static_cast<float>(i);
    write_vectors(directory / "a.fbin", data.view());
    const VectorReader reader(directory / "a.fbin");
    for (const std::size_t count : {1u, 7u, 60u, 99u}) {
        const Matrix<float> sample = sample_vectors(reader, count, 3);
        ASSERT_EQ(sample.rows(), count);
        const std::vector<float>& rows = sample.values();
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), std::less_equal<>()));
        EXPECT_EQ(sample, sample_vectors(reader, count, 3));
    }
    EXPECT_NE(sample_vectors(reader, 7, 3), sample_vectors(reader, 7, 4));
}

TEST(SampleVectors, OfMoreThanThereAreIsEverything) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_matrix(9, 3, 1);
    write_vectors(directory / "a.npy", data.view());
    EXPECT_EQ(sample_vectors(VectorReader(directory / "a.npy"), 1000, 1), data);
}

TEST(ReadIds, RefusesIdsBelowMinusOne) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.ibin", bytes_of(2u, 1u, std::int32_t{-1}, std::int32_t{-2}));
    expect_error([&] { read_ids(directory / "a.ibin"); }, {"a.ibin: row 1 has id -2, expected -1 or more"});
}

TEST(ReadIds, RefusesFilesOfVectors) {
    const TemporaryDirectory directory;
    write_vectors(directory / "a.fvecs", random_matrix(2, 2, 1).view());
    expect_error([&] { read_ids(directory / "a.fvecs"); }, {"a.fvecs: holds float32, expected ids: .ivecs"});
}

}  // namespace summand::test
