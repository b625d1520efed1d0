#include "io/formats.h"

#include "io/support.h"

namespace summand::test {

TEST(Formats, ExtensionsAreReadInAnyCase) {
    EXPECT_EQ(extension("a/b.c/base.FVECS"), ".fvecs");
    EXPECT_EQ(extension("a.b/base"), "");
    EXPECT_EQ(parse_vector_path("x.U8BIN").format->name, "u8bin");
    EXPECT_FALSE(parse_vector_path("x.txt").format.has_value());
}

TEST(Formats, APathMayNameFormatAndArray) {
    const auto parts = [](const std::string& path) {
        const VectorPath p = parse_vector_path(path);
        return concatenate(p.format ? p.format->name : "?", " ", p.file, " ", p.array);
    };
    EXPECT_EQ(parts("a/base.fvecs"), "fvecs a/base.fvecs ");
    EXPECT_EQ(parts("csv:a/numbers.txt"), "csv a/numbers.txt ");
    EXPECT_EQ(parts("npy:base.fvecs"), "npy base.fvecs ");
    EXPECT_EQ(parts("fvecs:-"), "fvecs - ");
    EXPECT_EQ(parts("npz:-:train"), "npz - train");
    EXPECT_EQ(parts("a.npz:train"), "npz a.npz train");
    EXPECT_EQ(parts("hdf5:a.dat:train"), "hdf5 a.dat train");
    EXPECT_EQ(parts("a.hdf5"), "hdf5 a.hdf5 ");
    EXPECT_EQ(parts("a.csv.gz"), "csv a.csv.gz ");
    EXPECT_EQ(parts("a.gz"), "idx a.gz ");
    EXPECT_EQ(parts("a:b.fvecs"), "fvecs a:b.fvecs ");
    EXPECT_EQ(parts("a.fvecs:b"), "? a.fvecs:b ");
    EXPECT_EQ(parts("-"), "? - ");
    EXPECT_EQ(vector_file("csv:a/numbers.txt"), "a/numbers.txt");
    EXPECT_EQ(vector_file("a.npz:train"), "a.npz");
}

TEST(Formats, ANamedFormatCountsInsteadOfTheExtension) {
    const TemporaryDirectory directory;
    write_raw(directory / "numbers.txt", "1,2,3\n");
    EXPECT_EQ(read_vectors("csv:" + (directory / "numbers.txt")), Matrix<float>(1, 3, {1, 2, 3}));
    write_vectors("npy:" + (directory / "data.bin"), Matrix<float>(1, 2, {4, 5}).view());
    EXPECT_EQ(read_vectors("npy:" + (directory / "data.bin")), Matrix<float>(1, 2, {4, 5}));
}

TEST(Formats, StandardInputNeedsAFormatAndStandardOutputToo) {
    expect_error([] { VectorReader("-"); }, {"-: the format of standard input is not known", "fvecs:- or csv:-"});
    expect_error([] { VectorReader("hdf5:-"); }, {"HDF5 cannot be read from standard input"});
    expect_error([] { VectorWriter("-", 1); }, {"-: cannot write vectors as ''", "as in fvecs:-"});
    expect_error([] { check_output("csv:-", Content::vectors); }, {"cannot write vectors as 'csv:'"});
    expect_error([] { check_output("-"); }, {"standard output takes ids and vectors only", "./-"});
}

TEST(Formats, AnUnknownExtensionListsTheKnownOnes) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.txt", "1,2,3\n");
    expect_error(
        [&] { VectorReader(directory / "a.txt"); },
        {"a.txt: unknown extension '.txt', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy .npz .hdf5",
         ".csv .tsv", "csv:FILE"});
}

TEST(Formats, AMissingFileIsMissingWhateverItsExtension) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.fbin", "a.npy", "a.npz", "a.csv", "a.hdf5", "a.gz", "a.idx", "a.txt"})
        expect_error([&] { VectorReader(directory / file); }, {file, "No such file or directory"});
}

TEST(Formats, ADirectoryIsNotAFile) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.fbin", "a.npy", "a.npz", "a.csv", "a.hdf5", "a.gz", "a"}) {
        std::filesystem::create_directory(directory / file);
        expect_error([&] { VectorReader(directory / file); }, {file, "is a directory, expected a file"});
    }
}

}  // namespace summand::test
