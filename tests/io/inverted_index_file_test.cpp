#include <cmath>
#include <functional>

#include "index/index_parts.h"
#include "io/container_support.h"
#include "io/index_bytes.h"
#include "io/inverted_model_file.h"
#include "io/packed_codes_file.h"
#include "summand/inverted_index.h"
#include "support/data.h"

namespace summand::test {

namespace {

InvertedIndex small_index(const std::string& spec, Metric metric = Metric::euclidean, std::size_t size = 300) {
    const Matrix<float> vectors = clustered(300, 8);
    InvertedBuilder builder(train(vectors.view(), parse_index_spec(spec), {.metric = metric}));
    builder.add(vectors.view().slice(0, size));
    return std::move(builder).finish();
}

void expect_same(const InvertedIndex& loaded, const InvertedIndex& index) {
    const Matrix<float> queries = clustered(5, 8, 2);
    EXPECT_EQ(loaded.model(), index.model());
    EXPECT_EQ(loaded.list_sizes(), index.list_sizes());
    for (const std::size_t probes : {1, 3, 100})
        EXPECT_EQ(loaded.search(queries.view(), {.k = 20, .probes = probes}),
                  index.search(queries.view(), {.k = 20, .probes = probes}));
}

}  // namespace

TEST(InvertedIndexFile, LoadGivesBackWhatWasSaved) {
    const TemporaryDirectory directory;
    for (const char* spec : {"IVF6,PQ2x8", "IVF6(coding=plain),OPQ3x4", "IMI2x2,PQ2x4", "IMI2x2(coarse=NOCQ),RQ2x4",
                             "IVF9(groups=3),PQ2x4"})
        for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
            const InvertedIndex index = small_index(spec, metric);
            const Bytes bytes = save(index);
            const InvertedIndex loaded = load_inverted(bytes);
            expect_same(loaded, index);
            EXPECT_EQ(save(loaded), bytes);
            save(directory / "i.smd", index);
            expect_same(load_inverted(directory / "i.smd"), index);
        }
}

TEST(InvertedIndexFile, EveryMethodOfTheRegistryCodesResiduals) {
    const Matrix<float> vectors = clustered(200, 16), queries = clustered(5, 16, 2);
    for (const MethodInfo& method : methods()) {
        const std::string shape = method.name == "ITQ" ? "16" : method.name == "CQc" ? "10x2" : "3x2";
        const std::string spec = "IVF4," + std::string(method.name) + shape + "(iterations=1)";
        InvertedBuilder builder(train(vectors.view(), parse_index_spec(spec)));
        builder.add(vectors.view());
        const InvertedIndex index = std::move(builder).finish();
        EXPECT_EQ(load_inverted(save(index)).search(queries.view(), {.k = 10, .probes = 2}),
                  index.search(queries.view(), {.k = 10, .probes = 2}))
            << method.name;
    }
}

// Large values are refused, or give an index that can be loaded.
TEST(InvertedIndexFile, WhateverIsBuiltCanBeLoaded) {
    const Matrix<float> queries = clustered(5, 8, 2);
    std::size_t refused = 0, loaded = 0;
    for (const char* spec : {"IVF6,PQ2x4", "IMI2x2,PQ2x4", "IVF6(coding=plain),CQ2x4(iterations=1)"})
        for (const float large : {1e10f, 1e16f, 1e18f, 1e19f, 1e30f}) {
            Matrix<float> vectors = clustered(300, 8);
            vectors[17][3] = large;
            const InvertedModel model = train(clustered(300, 8).view(), parse_index_spec(spec));
            const auto train_again = [&] { return train(vectors.view(), parse_index_spec(spec)); };
            for (const std::function<InvertedModel()>& made :
                 {std::function([&] { return model; }), std::function<InvertedModel()>(train_again)}) {
                try {
                    InvertedBuilder builder(made());
                    builder.add(vectors.view());
                    const InvertedIndex index = std::move(builder).finish();
                    const Neighbors found = load_inverted(save(index)).search(queries.view());
                    for (const float score : found.scores.values()) EXPECT_FALSE(std::isnan(score)) << spec << large;
                    ++loaded;
                } catch (const Error& error) {
                    EXPECT_NE(std::string(error.what()).find("row 17 has the squared length"), std::string::npos)
                        << error.what();
                    ++refused;
                }
            }
        }
    EXPECT_GE(loaded, 6u);
    EXPECT_GE(refused, 12u);
}

TEST(InvertedIndexFile, AnEmptyIndexComesBack) {
    expect_same(load_inverted(save(small_index("IVF6,PQ2x4", {}, 0))), small_index("IVF6,PQ2x4", {}, 0));
}

TEST(InvertedIndexFile, EveryDamageIsRefused) {
    expect_every_damage_refused(save(small_index("IVF2,PQ1x1", {}, 3)),
                                [](const Bytes& bytes) { load_inverted(bytes); });
}

TEST(InvertedIndexFile, ListsThatDoNotFitAreRefused) {
    const Bytes good = save(small_index("IVF3,PQ2x1"));
    const std::size_t at = content_of(good, "lists");
    using Forged = std::pair<std::size_t, std::uint64_t>;
    for (const auto& [place, value] : {Forged{1, 1000}, Forged{0, 1}, Forged{3, 1}}) {
        Bytes bytes = good;
        store_little(&bytes[at + 8 * place], value);
        reseal(bytes);
        expect_error([&] { load_inverted(bytes, "i.smd"); }, {"i.smd: index: "});
    }
    Bytes bytes = good;
    store_little(&bytes[content_of(good, "ids")], ~std::uint64_t{0});
    reseal(bytes);
    expect_error([&] { load_inverted(bytes, "i.smd"); }, {"i.smd: index: expected ids below 2^63, got"});
}

// One who forges a file can make codes claim any model.
TEST(InvertedIndexFile, CodesOfOtherSizesThanTheModelsAreRefused) {
    const InvertedIndex index = small_index("IVF3,PQ2x4");
    const InvertedLists::Parts& lists = IndexParts::lists(index)->parts();
    for (const char* spec : {"IVF3,PQ4x4", "IVF3,PQ2x8", "IVF3,PQ1x4"}) {
        const InvertedIndex other = small_index(spec);
        PackedCodes::Parts codes = IndexParts::lists(other)->packed().parts();
        codes.model = identity(index.model().quantizer);
        ContainerWriter writer(Kind::inverted);
        add_inverted_model(writer, index.model());
        writer.add("lists", Element::uint64, {lists.begin.size()}, lists.begin);
        writer.add("ids", Element::uint64, {lists.ids.size()}, lists.ids);
        add_packed_codes(writer, PackedCodes(codes));
        expect_error([&] { load_inverted(writer.finish(), "i.smd"); },
                     {"i.smd: index: expected codes of 2 dictionaries of 16 words, got"});
    }
}

TEST(InvertedIndexFile, GroupsThatDoNotDivideTheCellsAreRefused) {
    Bytes bytes = save(small_index("IVF9(groups=3),PQ2x1"));
    store_little(&bytes[content_of(bytes, "cell_group_begin") + 8], std::uint64_t{50});
    reseal(bytes);
    expect_error([&] { load_inverted(bytes, "i.smd"); }, {"i.smd: section cell_group_begin does not divide 9 cells"});
}

}  // namespace summand::test
