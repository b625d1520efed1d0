#include "index/index_parts.h"
#include "io/codes_file.h"
#include "io/container_support.h"
#include "io/index_bytes.h"
#include "io/packed_codes_file.h"
#include "io/quantizer_file.h"
#include "summand/flat_index.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand::test {

namespace {

FlatIndex small_index(const Quantizer& quantizer, Metric metric = Metric::euclidean) {
    return FlatIndex(quantizer, random_codes(quantizer, 40, 3), metric);
}

}  // namespace

TEST(FlatIndexFile, LoadGivesBackWhatWasSaved) {
    const TemporaryDirectory directory;
    for (const Shape3& shape : {Shape3{3, 16, 7}, Shape3{4, 256, 8}})
        for (const Quantizer& quantizer : {dense_quantizer(shape), block_quantizer(shape)})
            for (const Metric metric : {Metric::euclidean, Metric::inner_product}) {
                const FlatIndex index = small_index(quantizer, metric);
                save(directory / "i.smd", index);
                for (const FlatIndex& loaded : {load_flat(save(index)), load_flat(directory / "i.smd")}) {
                    EXPECT_EQ(loaded.quantizer(), quantizer);
                    EXPECT_EQ(loaded.codes(), index.codes());
                    EXPECT_EQ(loaded.metric(), metric);
                }
            }
}

TEST(FlatIndexFile, ALoadedIndexAnswersAsBefore) {
    const FlatIndex index = small_index(dense_quantizer({3, 16, 7}));
    const Matrix<float> queries = random_matrix(5, 7, 9);
    EXPECT_EQ(load_flat(save(index)).search(queries.view(), {.k = 10}), index.search(queries.view(), {.k = 10}));
}

TEST(FlatIndexFile, EveryMethodsModelAndIndexComeBack) {
    const Matrix<float> vectors = clustered(120, 16), queries = clustered(5, 16, 2);
    for (const MethodInfo& method : methods()) {
        const std::string shape = method.name == "ITQ" ? "16" : method.name == "CQc" ? "10x2" : "3x2";
        const Quantizer model = train(vectors.view(), parse_spec(std::string(method.name) + shape + "(iterations=1)"));
        EXPECT_EQ(load_quantizer(save(model)), model) << method.name;
        const FlatIndex index(model, encode(model, vectors.view()), Metric::euclidean);
        const FlatIndex loaded = load_flat(save(index));
        EXPECT_EQ(loaded.codes(), index.codes()) << method.name;
        EXPECT_EQ(loaded.search(queries.view(), {.k = 10}), index.search(queries.view(), {.k = 10})) << method.name;
    }
}

TEST(FlatIndexFile, ADerivedBiasIsNotStoredAndComesBack) {
    Quantizer quantizer = dense_quantizer({3, 256, 7});
    quantizer.bias = Bias::derived;
    const Codes codes = random_codes(quantizer, 1500, 3);
    const Matrix<float> queries = random_matrix(5, 7, 9);
    for (const Metric metric : {Metric::euclidean, Metric::inner_product}) {
        const FlatIndex index(quantizer, codes, metric);
        const Bytes bytes = save(index);
        const FlatIndex loaded = load_flat(bytes);
        EXPECT_EQ(loaded.quantizer(), quantizer);
        EXPECT_EQ(loaded.codes(), codes);
        EXPECT_EQ(loaded.search(queries.view(), {.k = 10}), index.search(queries.view(), {.k = 10}));
        EXPECT_EQ(save(loaded), bytes);
    }
    EXPECT_LT(save(FlatIndex(quantizer, codes, Metric::euclidean)).size(), save(quantizer).size() + 1500 * 3 + 1000);
}

TEST(FlatIndexFile, PackedCodesThatLackTheDerivedBiasAreRefused) {
    Quantizer quantizer = dense_quantizer({2, 3, 3});
    quantizer.bias = Bias::derived;
    const FlatIndex products = small_index(quantizer, Metric::inner_product);
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, quantizer);
    add_packed_codes(writer, *IndexParts::packed(products));
    writer.metadata["index"] = {{"metric", "euclidean"}};
    const Bytes bytes = writer.finish();
    expect_error([&] { load_flat(bytes, "i.smd"); },
                 {"i.smd: the codes are packed without the bias that the model derives, expected them in row order"});
}

TEST(FlatIndexFile, CodesInQuadsComeBack) {
    for (const std::size_t dictionaries : {4, 7}) {
        const Quantizer quantizer = dense_quantizer({dictionaries, 256, 7});
        const Codes codes = random_codes(quantizer, 700, 3);
        const FlatIndex index = IndexParts::flat(
            quantizer, PackedCodes::pack(codes, quantizer, Metric::euclidean, Planes::quads), Metric::euclidean);
        const Bytes bytes = save(index);
        const FlatIndex loaded = load_flat(bytes);
        EXPECT_EQ(IndexParts::packed(loaded)->shape().quads, 1u);
        EXPECT_EQ(loaded.codes(), codes);
        const Matrix<float> queries = random_matrix(5, 7, 9);
        EXPECT_EQ(loaded.search(queries.view(), {.k = 10}), index.search(queries.view(), {.k = 10}));
        EXPECT_EQ(save(loaded), bytes);
    }
}

TEST(FlatIndexFile, AnIndexOutlivesItsFile) {
    const TemporaryDirectory directory;
    const Quantizer quantizer = dense_quantizer({3, 256, 7});
    const FlatIndex index(quantizer, random_codes(quantizer, 1500, 3), Metric::euclidean);
    save(directory / "i.smd", index);
    const FlatIndex loaded = load_flat(directory / "i.smd");
    save(directory / "i.smd", small_index(quantizer));
    std::filesystem::remove(directory / "i.smd");
    const Matrix<float> queries = random_matrix(5, 7, 9);
    EXPECT_EQ(loaded.search(queries.view(), {.k = 10}), index.search(queries.view(), {.k = 10}));
}

TEST(FlatIndexFile, ForgedBiasLevelsAreRefused) {
    const Quantizer quantizer = dense_quantizer({2, 3, 3});
    Bytes bytes = save(small_index(quantizer));
    store_little(&bytes[content_of(bytes, "bias")], -1e30f);
    reseal(bytes);
    expect_error([&] { load_flat(bytes, "i.smd"); }, {"i.smd: the bias of row 0 does not fit its level"});
}

TEST(FlatIndexFile, SlotsOfWordsThatDoNotExistAreRefused) {
    const Quantizer quantizer = dense_quantizer({2, 3, 3});
    Bytes bytes = save(small_index(quantizer));
    bytes[content_of(bytes, "slots")] = std::byte{3};
    reseal(bytes);
    expect_error([&] { load_flat(bytes, "i.smd"); }, {"a slot names a word that does not exist"});
}

TEST(FlatIndexFile, EveryDamageIsRefused) {
    expect_every_damage_refused(save(small_index(dense_quantizer({2, 3, 3}))),
                                [](const Bytes& bytes) { load_flat(bytes); });
}

TEST(FlatIndexFile, CodesOfAnotherModelAreRefused) {
    const Quantizer quantizer = dense_quantizer({2, 3, 3});
    const Quantizer other = dense_quantizer({2, 4, 3});
    const Codes codes = random_codes(other, 5, 1);
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, quantizer);
    add_codes(writer, codes, other);
    writer.metadata["index"] = {{"metric", "euclidean"}};
    const Bytes bytes = writer.finish();
    expect_error([&] { load_flat(bytes, "i.smd"); }, {"i.smd: the codes were made by model", "the file holds model"});
}

TEST(FlatIndexFile, AnUnknownMetricIsRefused) {
    const Quantizer quantizer = dense_quantizer({2, 3, 3});
    const Codes codes = random_codes(quantizer, 5, 1);
    ContainerWriter writer(Kind::index);
    add_quantizer(writer, quantizer);
    add_codes(writer, codes, quantizer);
    writer.metadata["index"] = {{"metric", "taxicab"}};
    const Bytes bytes = writer.finish();
    expect_error([&] { load_flat(bytes); }, {"metadata index.metric is 'taxicab', expected euclidean"});
}

TEST(FlatIndexFile, CodesAreNotAnIndex) {
    const Quantizer quantizer = dense_quantizer({2, 3, 3});
    const Bytes bytes = save(random_codes(quantizer, 5, 1), quantizer);
    expect_error([&] { load_flat(bytes, "c.smd"); }, {"c.smd: holds codes, expected an index"});
}

}  // namespace summand::test
