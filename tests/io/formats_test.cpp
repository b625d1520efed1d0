#include "io/formats.h"

#include "io/support.h"

namespace summand::test {

TEST(Formats, ExtensionsAreReadInAnyCase) {
    EXPECT_EQ(extension("a/b.c/base.FVECS"), ".fvecs");
    EXPECT_EQ(extension("a.b/base"), "");
    EXPECT_TRUE(format_of("x.U8BIN").has_value());
    EXPECT_FALSE(format_of("x.txt").has_value());
}

TEST(Formats, AnUnknownExtensionListsTheKnownOnes) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.csv", "1,2,3\n");
    expect_error(
        [&] { VectorReader(directory / "a.csv"); },
        {"a.csv: unknown extension '.csv', expected .fvecs .bvecs .ivecs .fbin .u8bin .i8bin .ibin .npy .hdf5"});
}

TEST(Formats, AMissingFileIsMissingWhateverItsExtension) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.fbin", "a.npy", "a.hdf5", "a.gz", "a.idx", "a.txt"})
        expect_error([&] { VectorReader(directory / file); }, {file, "No such file or directory"});
}

TEST(Formats, ADirectoryIsNotAFile) {
    const TemporaryDirectory directory;
    for (const char* file : {"a.fvecs", "a.fbin", "a.npy", "a.hdf5", "a.gz", "a"}) {
        std::filesystem::create_directory(directory / file);
        expect_error([&] { VectorReader(directory / file); }, {file, "is a directory, expected a file"});
    }
}

}  // namespace summand::test
