// Files that earlier versions wrote must load for ever, and hold what they held.
//
// To add the files of a new format version, run this test with SUMMAND_WRITE_SAMPLES=folder; stored files are never
// written again.
#include "format/samples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "summand/index.h"
#include "summand/io.h"

namespace summand::test {

namespace {

std::string stored(const std::string& file) { return (samples() / "v1" / file).string(); }

}  // namespace

TEST(Format, Version1ModelsLoad) {
    EXPECT_EQ(load_quantizer(stored("dense_model.smd")), dense_sample());
    EXPECT_EQ(load_quantizer(stored("block_model.smd")), block_sample());
}

TEST(Format, Version1CodesLoad) {
    EXPECT_EQ(load_codes(stored("dense_codes.smd")), sample_codes(dense_sample()));
    EXPECT_EQ(load_codes(stored("block_codes.smd")), sample_codes(block_sample()));
}

// Those that end in _rows hold codes in row order, as the first programs wrote them; later ones numbered slots so that
// similar words shared the high nibble.
TEST(Format, Version1IndexesLoad) {
    for (const std::string order : {"", "_rows", "_high_nibbles"}) {
        const FlatIndex dense = load_index(stored("dense_index" + order + ".smd"));
        EXPECT_EQ(dense.quantizer(), dense_sample());
        EXPECT_EQ(dense.codes(), sample_codes(dense_sample()));
        EXPECT_EQ(dense.metric(), Metric::euclidean);
        const FlatIndex block = load_index(stored("block_index" + order + ".smd"));
        EXPECT_EQ(block.quantizer(), block_sample());
        EXPECT_EQ(block.codes(), sample_codes(block_sample()));
        EXPECT_EQ(block.metric(), Metric::inner_product);
    }
}

TEST(Format, IdentitiesNeverChange) {
    EXPECT_EQ(identity(dense_sample()), load_codes(stored("dense_codes.smd")).model);
    EXPECT_EQ(identity(block_sample()), load_codes(stored("block_codes.smd")).model);
}

TEST(Format, ThisVersionWritesTheStoredBytes) {
    const auto expect_stored = [](const std::string& file, const Bytes& bytes) {
        if (const char* folder = std::getenv("SUMMAND_WRITE_SAMPLES"))
            write_file(std::string(folder) + "/" + file, bytes);
        std::ifstream in(stored(file), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), text) << file;
    };
    const auto expect_all = [&](const std::string& name, const Quantizer& quantizer, Metric metric) {
        const Codes codes = sample_codes(quantizer);
        expect_stored(name + "_model.smd", save(quantizer));
        expect_stored(name + "_codes.smd", save(codes, quantizer));
        expect_stored(name + "_index.smd", save(FlatIndex(quantizer, codes, metric)));
    };
    expect_all("dense", dense_sample(), Metric::euclidean);
    expect_all("block", block_sample(), Metric::inner_product);
}

}  // namespace summand::test
