#include <cmath>

#include "io/support.h"

namespace summand::test {

TEST(WriteVectors, ReadingGivesBackWhatWasWritten) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.fbin", "a.npy"}) {
        const Matrix<float> data = random_matrix(1000, 300, 1);  // more than one piece
        write_vectors(directory / file, data.view());
        EXPECT_EQ(read_vectors(directory / file), data) << file;
    }
    for (const char* file : {"a.bvecs", "a.u8bin", "a.i8bin", "a.ivecs", "a.ibin"}) {
        const Matrix<float> data = random_whole(50, 3, 0, 127, 2);
        write_vectors(directory / file, data.view());
        EXPECT_EQ(read_vectors(directory / file), data) << file;
    }
}

TEST(WriteIds, ReadingGivesBackWhatWasWritten) {
    const TemporaryDirectory directory;
    const Matrix<std::int64_t> ids(2, 3, {0, 5, -1, 2147483647, 7, 8});
    for (const char* file : {"a.ivecs", "a.ibin", "a.npy"}) {
        write_ids(directory / file, ids.view());
        EXPECT_EQ(read_ids(directory / file), ids) << file;
    }
    const Matrix<std::int64_t> large(1, 1, std::int64_t{1} << 40);
    write_ids(directory / "a.npy", large.view());
    EXPECT_EQ(read_ids(directory / "a.npy"), large);
}

TEST(WriteVectors, NpyBytesAreAsNumpyWritesThem) {
    const TemporaryDirectory directory;
    write_vectors(directory / "a.npy", Matrix<float>(1, 2, {1, 2}).view());
    const std::string bytes = read_raw(directory / "a.npy");
    EXPECT_EQ(bytes.size(), 128u + 8u);
    EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), } ");
    EXPECT_EQ(bytes[127], '\n');
}

TEST(WriteVectors, RoundsToTheNearestWholeNumber) {
    const TemporaryDirectory directory;
    write_vectors(directory / "a.bvecs", Matrix<float>(1, 3, {0.4f, 254.6f, -0.4f}).view());
    EXPECT_EQ(read_vectors(directory / "a.bvecs"), Matrix<float>(1, 3, {0, 255, 0}));
}

TEST(WriteVectors, RefusesWhatTheFormatCannotHold) {
    const TemporaryDirectory directory;
    const auto refused = [&](const char* file, float value, std::string_view part) {
        const Matrix<float> data(2, 1, {1, value});
        expect_error([&] { write_vectors(directory / file, data.view()); }, {file, "cannot write row 1", part});
        EXPECT_FALSE(std::filesystem::exists(directory / file));
    };
    refused("a.bvecs", 256, "256 is outside 0..255 of uint8");
    refused("a.u8bin", -1, "-1 is outside 0..255");
    refused("a.i8bin", -129, "-129 is outside -128..127 of int8");
    refused("a.ibin", 3e9f, "is outside -2147483648..2147483647 of int32");
    refused("a.fvecs", std::nanf(""), "it holds nan, expected finite numbers");
    EXPECT_EQ(directory.files(), 0u);
}

TEST(WriteVectors, RefusesUnknownFormatsAndNothingAtAll) {
    const TemporaryDirectory directory;
    expect_error([&] { write_vectors(directory / "a.hdf5", random_matrix(1, 1, 1).view()); },
                 {"a.hdf5: cannot write vectors as '.hdf5', expected .fvecs"});
    expect_error([&] { write_vectors(directory / "a.fvecs", MatrixView<float>()); },
                 {"cannot write 0 vectors of 0 dimensions, expected at least one of each"});
}

TEST(WriteIds, RefusesWhatTheFormatCannotHold) {
    const TemporaryDirectory directory;
    expect_error(
        [&] {
            write_ids(directory / "a.ivecs", Matrix<std::int64_t>(2, 1, {0, 1LL << 31}).view());
        },
        {"cannot write row 1: id 2147483648 is outside -1..2147483647"});
    expect_error([&] { write_ids(directory / "a.npy", Matrix<std::int64_t>(1, 1, -2).view()); }, {"id -2 is outside"});
    expect_error([&] { write_ids(directory / "a.fvecs", Matrix<std::int64_t>(1, 1, 1).view()); },
                 {"cannot write ids as '.fvecs', expected .ivecs .ibin or .npy"});
    EXPECT_EQ(directory.files(), 0u);
}

}  // namespace summand::test
