#include <cmath>
#include <limits>
#include <locale>

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

TEST(VectorWriter, PiecesOfAnySizeGiveTheSameFileAsOneCall) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_whole(100, 7, 0, 127, 3);
    for (const char* file : {"a.fvecs", "a.bvecs", "a.ivecs", "a.fbin", "a.u8bin", "a.i8bin", "a.ibin", "a.npy"}) {
        const std::string whole = directory / (std::string("whole") + file);
        write_vectors(whole, data.view());
        VectorWriter writer(directory / file, 7);
        std::size_t done = 0;
        for (const std::size_t rows : {1, 0, 30, 9, 60}) {
            writer.write(data.view().slice(done, rows));
            done += rows;
        }
        writer.finish();
        EXPECT_EQ(read_raw(directory / file), read_raw(whole)) << file;
    }
}

TEST(VectorWriter, TheFileAppearsWhenItIsFinished) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_matrix(3, 2, 1);
    write_vectors(directory / "a.fvecs", data.view());
    {
        VectorWriter abandoned(directory / "a.fvecs", 2);
        abandoned.write(random_matrix(9, 2, 2).view());
    }
    EXPECT_EQ(read_vectors(directory / "a.fvecs"), data);
    EXPECT_EQ(directory.files(), 1u);
}

TEST(VectorWriter, AfterAnErrorNothingIsLeftAndNothingCanBeWritten) {
    const TemporaryDirectory directory;
    VectorWriter writer(directory / "a.bvecs", 1);
    writer.write(Matrix<float>(5, 1, 1.0f).view());
    expect_error(
        [&] {
            writer.write(Matrix<float>(2, 1, {1, 300}).view());
        },
        {"a.bvecs: cannot write row 6: 300 is outside 0..255"});
    EXPECT_EQ(directory.files(), 0u);
    expect_error([&] { writer.finish(); }, {"a.bvecs: cannot write after the end or an error"});

    VectorWriter other(directory / "b.fvecs", 3);
    expect_error([&] { other.write(Matrix<float>(1, 2).view()); },
                 {"b.fvecs: cannot write vectors of 2 dimensions, expected 3"});
    EXPECT_EQ(directory.files(), 0u);

    VectorWriter finished(directory / "c.fvecs", 1);
    finished.write(Matrix<float>(1, 1, 1.0f).view());
    finished.finish();
    expect_error([&] { finished.write(Matrix<float>(1, 1, 1.0f).view()); }, {"cannot write after the end or an error"});
    EXPECT_EQ(read_vectors(directory / "c.fvecs").rows(), 1u);
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

struct Thousands : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(WriteVectors, NpyHeadersDoNotFollowTheLocale) {
    const TemporaryDirectory directory;
    const Matrix<float> data = random_matrix(1234, 2, 1);
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Thousands));
    write_vectors(directory / "a.npy", data.view());
    const Matrix<float> read = read_vectors(directory / "a.npy");
    std::locale::global(before);
    EXPECT_EQ(read, data);
}

TEST(WriteNeighbors, MissingAnswersAreInfinitelyFar) {
    const TemporaryDirectory directory;
    const float infinity = std::numeric_limits<float>::infinity();
    const Neighbors found{Matrix<std::int64_t>(2, 2, {4, -1, 7, 8}), Matrix<float>(2, 2, {1, infinity, -2, 3})};
    for (const char* scores : {"s.fvecs", "s.fbin", "s.npy"}) {
        write_neighbors(directory / "i.ivecs", directory / scores, found);
        EXPECT_EQ(read_ids(directory / "i.ivecs"), found.ids);
        EXPECT_EQ(read_scores(directory / scores), found.scores);
    }
    write_neighbors("", directory / "only.fvecs", found);
    EXPECT_EQ(read_scores(directory / "only.fvecs"), found.scores);
    expect_error([&] { read_vectors(directory / "only.fvecs"); }, {"row 0, column 1 is inf, expected a finite number"});
    EXPECT_EQ(directory.files(), 5u);
}

TEST(ReadScores, RefusesWhatIsNoScore) {
    const TemporaryDirectory directory;
    for (const float bad : {std::nanf(""), -HUGE_VALF}) {
        write_raw(directory / "s.fvecs", bytes_of(std::int32_t{1}, bad));
        expect_error([&] { read_scores(directory / "s.fvecs"); }, {"s.fvecs: row 0, column 0 is ", "or +infinity"});
    }
    write_ids(directory / "i.ivecs", Matrix<std::int64_t>(1, 1, 4).view());
    expect_error([&] { read_scores(directory / "i.ivecs"); }, {"i.ivecs: holds int32, expected scores"});
}

TEST(WriteNeighbors, WhereOneFileCannotBeWrittenNoneAppears) {
    const TemporaryDirectory directory;
    const Neighbors found{Matrix<std::int64_t>(1, 1, 4), Matrix<float>(1, 1, std::nanf(""))};
    expect_error([&] { write_neighbors(directory / "i.ivecs", directory / "s.fvecs", found); },
                 {"s.fvecs: cannot write row 0: it holds nan"});
    expect_error([&] { write_neighbors(directory / "i.ivecs", directory / "none/s.fvecs", found); }, {"none/s.fvecs"});
    expect_error([&] { write_neighbors(directory / "i.ivecs", directory / "s.bvecs", found); },
                 {"s.bvecs: cannot write scores as '.bvecs', expected .fvecs .fbin or .npy"});
    EXPECT_EQ(directory.files(), 0u);
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
                 {"cannot write vectors of 0 dimensions, expected at least 1"});
    expect_error([&] { write_vectors(directory / "a.fvecs", Matrix<float>(0, 3).view()); },
                 {"a.fvecs: cannot write 0 vectors, expected at least 1"});
    EXPECT_EQ(directory.files(), 0u);
}

TEST(CheckOutput, SaysBeforehandWhatWritingWouldSay) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.bvecs", "a.npy"}) check_output(directory / file, Content::vectors);
    for (const char* file : {"a.ivecs", "a.ibin", "a.npy"}) check_output(directory / file, Content::ids);
    check_output(directory / "a.smd");
    write_raw(directory / "old.npy", "old");
    check_output(directory / "old.npy", Content::vectors);
    EXPECT_EQ(read_raw(directory / "old.npy"), "old");
    EXPECT_EQ(directory.files(), 1u);
    expect_error([&] { check_output(directory / "a.smd", Content::vectors); },
                 {"a.smd: cannot write vectors as '.smd'"});
    expect_error([&] { check_output(directory / "a.fvecs", Content::ids); }, {"a.fvecs: cannot write ids as '.fvecs'"});
    expect_error([&] { check_output(directory / "none/a.smd"); }, {"none/a.smd: cannot write: the directory"});
    expect_error([&] { check_output("/dev/null"); }, {"/dev/null: cannot write: is not a regular file"});
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
