// Files that earlier versions wrote must load for ever, and hold what they held.
//
// To add the files of a new format version, run this test with SUMMAND_WRITE_SAMPLES=folder; stored files are never
// written again.
#include "format/samples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "index/index_parts.h"
#include "io/index_bytes.h"
#include "summand/flat_index.h"
#include "summand/io.h"
#include "summand/living_index.h"

namespace summand::test {

namespace {

std::string stored(const std::string& file) { return (samples() / "v1" / file).string(); }

std::string inverted_file(bool paired) { return paired ? "paired_inverted.smd" : "inverted.smd"; }

InvertedIndex inverted_sample(bool paired) {
    InvertedBuilder builder(cells_sample(paired));
    const Codes codes = sample_codes(dense_sample());
    std::vector<std::uint32_t> cells;
    for (std::uint32_t i = 0; i < codes.size(); ++i) cells.push_back(i * i % 4);
    builder.add(CellCodes{cells, codes});
    return std::move(builder).finish();
}

}  // namespace

TEST(Format, Version1ModelsLoad) {
    EXPECT_EQ(load_quantizer(stored("dense_model.smd")), dense_sample());
    EXPECT_EQ(load_quantizer(stored("block_model.smd")), block_sample());
}

TEST(Format, Version1CodesLoad) {
    EXPECT_EQ(load_codes(stored("dense_codes.smd")), sample_codes(dense_sample()));
    EXPECT_EQ(load_codes(stored("block_codes.smd")), sample_codes(block_sample()));
}

// Files whose names end in _rows hold codes in row order, as the first programs wrote them; later programs numbered
// slots so that similar words shared the high nibble.
TEST(Format, Version1IndexesLoad) {
    for (const std::string order : {"", "_rows", "_high_nibbles"}) {
        const FlatIndex dense = load_flat(stored("dense_index" + order + ".smd"));
        EXPECT_EQ(dense.quantizer(), dense_sample());
        EXPECT_EQ(dense.codes(), sample_codes(dense_sample()));
        EXPECT_EQ(dense.metric(), Metric::euclidean);
        const FlatIndex block = load_flat(stored("block_index" + order + ".smd"));
        EXPECT_EQ(block.quantizer(), block_sample());
        EXPECT_EQ(block.codes(), sample_codes(block_sample()));
        EXPECT_EQ(block.metric(), Metric::inner_product);
    }
}

TEST(Format, Version1IndexesOfQuadsLoad) {
    const FlatIndex index = load_flat(stored("quad_index.smd"));
    EXPECT_EQ(index.quantizer(), quad_sample());
    EXPECT_EQ(index.codes(), sample_codes(quad_sample()));
    EXPECT_EQ(IndexParts::packed(index)->shape().quads, 1u);
}

TEST(Format, Version1InvertedIndexesLoad) {
    for (const bool paired : {false, true}) {
        const InvertedIndex index = load_inverted(stored(inverted_file(paired)));
        EXPECT_EQ(index.model(), cells_sample(paired));
        EXPECT_EQ(save(index), save(inverted_sample(paired)));
    }
}

TEST(Format, Version1VocabulariesLoad) {
    EXPECT_EQ(load_vocabulary(stored("vlad.smd")), vocabulary_sample(Aggregation::vlad));
    EXPECT_EQ(load_vocabulary(stored("fisher.smd")), vocabulary_sample(Aggregation::fisher));
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
    expect_stored("quad_index.smd", save(IndexParts::flat(quad_sample(),
                                                          PackedCodes::pack(sample_codes(quad_sample()), quad_sample(),
                                                                            Metric::euclidean, Planes::quads),
                                                          Metric::euclidean)));
    for (const bool paired : {false, true}) expect_stored(inverted_file(paired), save(inverted_sample(paired)));
    expect_stored("vlad.smd", save(vocabulary_sample(Aggregation::vlad)));
    expect_stored("fisher.smd", save(vocabulary_sample(Aggregation::fisher)));
}

TEST(Samples, AFolderWithTextsAsIdsIsRead) {
    if (const char* written = std::getenv("SUMMAND_WRITE_SAMPLES")) {
        const IndexModel model{.first = block_sample()};
        LivingIndex index = LivingIndex::create(std::string(written) + "/named", model);
        index.add(sample_matrix(3, 5), std::vector<std::string>{"b", "\u00e4", "a"});
        index.remove(std::vector<std::string>{"b"});
    }
    const LivingIndex index = LivingIndex::open(stored("named"));
    EXPECT_TRUE(index.info().named);
    EXPECT_EQ(index.size(), 2u);
    EXPECT_TRUE(index.contains("\u00e4") && index.contains("a") && !index.contains("b"));
    const Neighbors found = index.search(sample_matrix(1, 5).view(), {.k = 3});
    const std::vector<std::string> names = index.names(found.ids[0]);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), (std::set<std::string>{"", "a", "\u00e4"}));
    EXPECT_EQ(verify(stored("named")), std::vector<std::string>());
}

}  // namespace summand::test
