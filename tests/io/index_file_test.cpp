#include <filesystem>
#include <numeric>

#include "index/residuals.h"
#include "io/container_support.h"
#include "io/index_bytes.h"
#include "summand/index.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kSize = 60, kDimensions = 8;

Matrix<float> base() { return clustered(kSize, kDimensions); }

Matrix<float> whole_numbers(std::size_t rows) {
    Random random(1);
    Matrix<float> vectors(rows, kDimensions);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = static_cast<float>(random.below(256));
    return vectors;
}

Index first_layer(const std::string& text, const Matrix<float>& vectors) {
    const IndexSpec spec = parse_index_spec(text);
    if (!spec.cells) {
        const Quantizer model = train(vectors.view(), spec.code);
        return Index(FlatIndex(model, encode(model, vectors.view()), Metric::euclidean));
    }
    InvertedBuilder builder(train(vectors.view(), spec));
    builder.add(vectors.view());
    return Index(std::move(builder).finish());
}

void add_codes(Index& index, const Matrix<float>& vectors, const char* spec = "OPQ2x2") {
    std::vector<std::int64_t> ids(vectors.rows());
    std::iota(ids.begin(), ids.end(), 0);
    const Matrix<float> left = Residuals(index)(vectors.view(), ids);
    const Quantizer second = train(left.view(), parse_spec(spec));
    index.set_refinement(refine_codes(second, encode(second, left.view())));
}

void expect_same(const Index& loaded, const Index& index) {
    const Matrix<float> queries = clustered(5, kDimensions, 2);
    EXPECT_EQ(loaded.defaults(), index.defaults());
    for (const std::size_t refine : {0, 12, 60})
        EXPECT_EQ(loaded.search(queries.view(), {.k = 7, .refine = refine}),
                  index.search(queries.view(), {.k = 7, .refine = refine}));
}

}  // namespace

TEST(IndexFile, LoadGivesBackTheSecondLayerAndTheDefaults) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = base();
    for (const char* spec : {"PQ2x4", "RQ2x2", "IVF4,PQ2x4", "IMI2x1,PQ2x4"}) {
        Index index = first_layer(spec, vectors);
        add_codes(index, vectors);
        index.set_defaults({.probes = index.inverted() ? std::size_t{2} : 0, .refine = 9});
        const Bytes bytes = save(index);
        const Index loaded = load_index(bytes);
        expect_same(loaded, index);
        EXPECT_EQ(save(loaded), bytes);
        save(directory / "i.smd", index);
        expect_same(load_index(directory / "i.smd"), index);
    }
}

TEST(IndexFile, LoadGivesBackTheVectorsThatAnIndexHolds) {
    const TemporaryDirectory directory;
    const Matrix<float> vectors = whole_numbers(kSize);
    for (const char* spec : {"PQ2x4", "IVF4,PQ2x4"})
        for (const RowFormat format : kRowFormats) {
            SCOPED_TRACE(concatenate(spec, " ", name(format)));
            Index index = first_layer(spec, vectors);
            index.set_refinement(refine_rows(index, vectors.view(), format));
            const Bytes bytes = save(index);
            EXPECT_EQ(content_of(bytes, "refine_rows") % 64, 0u);
            const Index loaded = load_index(bytes);
            expect_same(loaded, index);
            EXPECT_EQ(loaded.spec(), index.spec());
            EXPECT_EQ(save(loaded), bytes);
            save(directory / "i.smd", index);
            expect_same(load_index(directory / "i.smd"), index);
        }
}

TEST(IndexFile, EveryDamageOfTheVectorsIsRefused) {
    const Matrix<float> vectors = clustered(4, 2);
    for (const RowFormat format : {RowFormat::sq8, RowFormat::fp16}) {
        Index index = first_layer("PQ1x1", vectors);
        index.set_refinement(refine_rows(index, vectors.view(), format));
        expect_every_damage_refused(save(index), [](const Bytes& bytes) { load_index(bytes); });
    }
}

TEST(IndexFile, ForgedVectorsAreRefused) {
    const Matrix<float> vectors = whole_numbers(kSize);
    const auto forged = [&](RowFormat format, const char* section, std::size_t at, std::uint16_t number) {
        Index index = first_layer("IVF4,PQ2x4", vectors);
        index.set_refinement(refine_rows(index, vectors.view(), format));
        Bytes bytes = save(index);
        store_little(&bytes[content_of(bytes, section) + at], number);
        reseal(bytes);
        return bytes;
    };
    const auto refused = [](const Bytes& bytes, std::initializer_list<std::string_view> parts) {
        expect_error([&] { load_index(bytes, "i.smd"); }, parts);
    };
    refused(forged(RowFormat::fp16, "refine_rows", 6, 0x7c00),
            {"i.smd: index: the second layer holds a number that is not"});
    refused(forged(RowFormat::fp16, "refine_rows", 6, 0xfe01),
            {"i.smd: index: the second layer holds a number that is not"});
    refused(forged(RowFormat::fp32, "refine_rows", 6, 0x7fc0),
            {"i.smd: index: the second layer holds a number that is not"});
    refused(forged(RowFormat::sq8, "refine_ranges", 2, 0xff80), {"i.smd: index: expected a range of finite numbers"});
    refused(forged(RowFormat::sq8, "refine_ranges", 34, 0xbf80), {"i.smd: index: expected a range", "steps of -1"});
}

TEST(IndexFile, VectorsOfAnotherShapeOrFormatAreRefused) {
    const Matrix<float> vectors = whole_numbers(kSize);
    Index index = first_layer("PQ2x4", vectors);
    index.set_refinement(refine_rows(index, vectors.view(), RowFormat::u8));
    const Bytes good = save(index);
    const auto forged = [&](std::size_t field, auto value) {
        Bytes bytes = good;
        store_little(&bytes[entry_of(bytes, "refine_rows") + field], value);
        reseal(bytes);
        return bytes;
    };
    expect_error([&] { load_index(forged(entry::kShape, std::uint64_t{1} << 60)); },
                 {"which its shape", "does not take"});
    expect_error([&] { load_index(forged(entry::kShape + 8, ~std::uint64_t{0})); },
                 {"which its shape", "does not take"});
    expect_error([&] { load_index(forged(entry::kType, std::uint32_t{5})); }, {"which its shape", "does not take"});
    Bytes turned = forged(entry::kShape, std::uint64_t{8});
    store_little(&turned[entry_of(turned, "refine_rows") + entry::kShape + 8], std::uint64_t{60});
    reseal(turned);
    expect_error([&] { load_index(turned); }, {"section refine_rows is 8×60 uint8, expected 60×8 uint8"});
    const std::string text(reinterpret_cast<const char*>(good.data()), good.size());
    Bytes unknown = good;
    unknown[text.find("\"u8\"") + 1] = std::byte{'v'};
    reseal(unknown);
    expect_error([&] { load_index(unknown); }, {"metadata refine.format is 'v8', expected fp32, fp16, sq8 or u8"});
    unknown = good;
    unknown[text.find("\"rows\"") + 1] = std::byte{'c'};
    reseal(unknown);
    expect_error([&] { load_index(unknown); }, {"refine.with is 'cows', expected codes, file or rows"});
}

TEST(IndexFile, IndexesWithoutASecondLayerAreTheFilesTheyWere) {
    const Matrix<float> vectors = base();
    const Index flat = first_layer("PQ2x4", vectors), inverted = first_layer("IVF4,PQ2x4", vectors);
    EXPECT_EQ(save(flat), save(*flat.flat()));
    EXPECT_EQ(save(inverted), save(*inverted.inverted()));
    EXPECT_FALSE(load_index(save(*flat.flat())).refinement().has_value());
    EXPECT_EQ(load_inverted(save(inverted)).list_sizes(), inverted.inverted()->list_sizes());
}

TEST(IndexFile, EveryDamageIsRefused) {
    const Matrix<float> vectors = clustered(4, 2);
    Index index = first_layer("PQ1x1", vectors);
    add_codes(index, vectors, "PQ1x1");
    index.set_defaults({.refine = 3});
    expect_every_damage_refused(save(index), [](const Bytes& bytes) { load_index(bytes); });
}

TEST(IndexFile, TheVectorsAreFoundBesideTheIndexWhereverBothAre) {
    const TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "a");
    const Matrix<float> vectors = base();
    for (const char* file : {"v.fvecs", "v.npy", "v.fbin", "v.i8bin"}) {
        Index index = first_layer("PQ2x4", vectors);
        write_vectors((directory / "a") + "/" + file, vectors.view());
        index.set_refinement(refine_file(file, directory / "a"));
        save((directory / "a") + "/i.smd", index);
        expect_same(load_index((directory / "a") + "/i.smd"), index);
        std::filesystem::rename(directory / "a", directory / "b");
        const Index moved = load_index((directory / "b") + "/i.smd");
        EXPECT_EQ(std::get<RefineFile>(*moved.refinement()).path, file);
        expect_same(moved, load_index((directory / "b") + "/i.smd"));
        std::filesystem::rename(directory / "b", directory / "a");
    }
}

TEST(IndexFile, VectorsThatAreOthersAreRefused) {
    const TemporaryDirectory directory;
    const std::string file = directory / "v.fvecs", path = directory / "i.smd";
    Matrix<float> vectors = base();
    Index index = first_layer("PQ2x4", vectors);
    write_vectors(file, vectors.view());
    index.set_refinement(refine_file(file));
    save(path, index);
    expect_same(load_index(path), index);

    write_vectors(file, vectors.view().slice(0, 59));
    expect_error([&] { load_index(path); },
                 {path, "the vectors of Refine(flat) in", file, "expected 60 of 8 dimensions, got 59 of 8"});
    vectors[59][7] += 1;
    write_vectors(file, vectors.view());
    expect_error([&] { load_index(path); }, {path, file, "some of their values are others"});
    std::filesystem::resize_file(file, 10);
    expect_error([&] { load_index(path); }, {path, file});
}

TEST(IndexFile, VectorsThatAreMissingAreMissedBySearchesThatNeedThem) {
    const TemporaryDirectory directory;
    const std::string file = directory / "v.fvecs", elsewhere = directory / "w.fvecs", path = directory / "i.smd";
    const Matrix<float> vectors = base(), queries = clustered(5, kDimensions, 2);
    Index index = first_layer("PQ2x4", vectors);
    write_vectors(file, vectors.view());
    index.set_refinement(refine_file("v.fvecs", directory / ""));
    save(path, index);
    std::filesystem::rename(file, elsewhere);

    const Index without = Index::open(path);
    EXPECT_EQ(without.search(queries.view(), {.k = 7, .refine = 0}),
              index.search(queries.view(), {.k = 7, .refine = 0}));
    expect_error([&] { without.search(queries.view(), {.k = 7}); },
                 {path, "the vectors of Refine(flat) are not in", file, "No such file", "--refine-file", "refine 0"});
    EXPECT_EQ(save(without), save(index));

    const Index found = Index::open(path, {.vectors = elsewhere});
    expect_same(found, index);
    EXPECT_EQ(save(found), save(index));
    expect_error([&] { Index::open(path, {.vectors = file}); }, {path, file, "No such file"});
    write_vectors(elsewhere, clustered(kSize, kDimensions, 3).view());
    expect_error([&] { Index::open(path, {.vectors = elsewhere}); },
                 {path, elsewhere, "some of their values are others"});
}

TEST(IndexFile, ForgedSecondLayersAreRefused) {
    const Matrix<float> vectors = base();
    Index index = first_layer("PQ2x4", vectors);
    add_codes(index, vectors);
    Bytes bytes = save(index);
    bytes[content_of(bytes, "refine_codes") + 5] = std::byte{4};
    reseal(bytes);
    expect_error([&] { load_index(bytes, "i.smd"); }, {"i.smd: index: the second layer names word 4"});
}

TEST(IndexFile, AModelIsNoIndex) {
    const Index flat = first_layer("PQ2x4", base());
    expect_error([&] { load_index(save(flat.quantizer()), "m.smd"); }, {"m.smd: holds a model, expected an index"});
}

}  // namespace summand::test
