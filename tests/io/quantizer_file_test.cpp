#include "io/quantizer_file.h"

#include <cmath>
#include <functional>

#include "io/container_support.h"

namespace summand::test {

namespace {

/// A model file whose metadata was changed and whose checksums are right.
Bytes with_metadata(const std::function<void(nlohmann::json&)>& change) {
    const Quantizer quantizer = dense_quantizer({2, 3, 4});
    ContainerWriter writer(Kind::model);
    add_quantizer(writer, quantizer);
    change(writer.metadata["model"]);
    return writer.finish();
}

void expect_model_refused(const std::function<void(nlohmann::json&)>& change, std::string_view part) {
    const Bytes bytes = with_metadata(change);
    expect_error([&] { load_quantizer(bytes, "m.smd"); }, {"m.smd: ", part});
}

void expect_not_saved(const std::function<void(Quantizer&)>& change, std::string_view part) {
    Quantizer quantizer = block_quantizer({2, 3, 4});
    change(quantizer);
    expect_error([&] { save(quantizer); }, {"save: ", part});
}

}  // namespace

TEST(QuantizerFile, LoadGivesBackWhatWasSaved) {
    const TemporaryDirectory directory;
    for (const Quantizer& quantizer : {dense_quantizer({3, 5, 7}), block_quantizer({3, 5, 7}),
                                       dense_quantizer({1, 2, 1}), block_quantizer({4, 256, 10})}) {
        EXPECT_EQ(load_quantizer(save(quantizer)), quantizer);
        save(directory / "m.smd", quantizer);
        EXPECT_EQ(load_quantizer(directory / "m.smd"), quantizer);
    }
}

TEST(QuantizerFile, KeepsHowCodesAreSearchedAndWhereTheBiasComesFrom) {
    Quantizer quantizer = dense_quantizer({3, 5, 7});
    for (const CodeSearch search : {CodeSearch::modes, CodeSearch::beam, CodeSearch::residual, CodeSearch::tree})
        for (const Bias bias : {Bias::none, Bias::stored, Bias::derived}) {
            quantizer.encoder.search = search;
            quantizer.bias = bias;
            EXPECT_EQ(load_quantizer(save(quantizer)), quantizer);
        }
    quantizer.encoder.absolute_penalty = 0.75f;
    quantizer.encoder.norm = 0.25f;
    quantizer.binary_queries = true;
    EXPECT_EQ(load_quantizer(save(quantizer)), quantizer);
}

TEST(QuantizerFile, SavingTwiceGivesTheSameBytes) {
    const Quantizer quantizer = dense_quantizer({3, 5, 7});
    EXPECT_EQ(save(quantizer), save(load_quantizer(save(quantizer))));
}

TEST(QuantizerFile, BlocksStoreOnlyTheirColumns) {
    Quantizer dense = block_quantizer({8, 256, 64});
    const std::size_t blocks = save(dense).size();
    dense.dictionaries.block_begin.clear();
    EXPECT_LT(blocks + 6 * 256 * 64 * sizeof(float), save(dense).size());
}

TEST(QuantizerFile, FiguresThatAreNotANumberStaySo) {
    Quantizer quantizer = dense_quantizer({2, 3, 4});
    quantizer.training.distortion = std::nan("");
    EXPECT_TRUE(std::isnan(load_quantizer(save(quantizer)).training.distortion));
}

TEST(QuantizerFile, AHeldOutDistortionThatWasNotMeasuredIsNullInTheFile) {
    Quantizer quantizer = dense_quantizer({2, 3, 4});
    quantizer.training.held_out_distortion = std::nullopt;
    const Bytes bytes = save(quantizer);
    EXPECT_EQ(load_quantizer(bytes), quantizer);
    EXPECT_NE(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
                  .find("\"held_out_distortion\":null"),
              std::string_view::npos);
}

TEST(QuantizerFile, EveryDamageIsRefused) {
    for (const Quantizer& quantizer : {dense_quantizer({2, 3, 3}), block_quantizer({2, 3, 3})})
        expect_every_damage_refused(save(quantizer), [](const Bytes& bytes) { load_quantizer(bytes); });
}

TEST(QuantizerFile, ForgedMetadataIsRefused) {
    expect_model_refused([](auto& m) { m["dictionaries"] = 0; }, "model.dictionaries is 0, expected 1 to 64");
    expect_model_refused([](auto& m) { m["dictionaries"] = 65; }, "model.dictionaries is 65, expected 1 to 64");
    expect_model_refused([](auto& m) { m["words"] = 1; }, "model.words is 1, expected 2 to 256");
    expect_model_refused([](auto& m) { m["words"] = 257; }, "model.words is 257, expected 2 to 256");
    expect_model_refused([](auto& m) { m["words"] = 4; }, "section words is 2×3×4 float32, expected 2×4×4 float32");
    expect_model_refused([](auto& m) { m["dimensions"] = 5; }, "section centre is 4 float32, expected 5 float32");
    expect_model_refused([](auto& m) { m["dimensions"] = 0; }, "model.dimensions is 0");
    expect_model_refused([](auto& m) { m["iterations"] = 1; }, "section objective is 3 float64, expected 1");
    expect_model_refused([](auto& m) { m["effort"] = "heroic"; }, "model.effort is 'heroic', expected fast");
    expect_model_refused([](auto& m) { m["identity"] = "0000000000000000"; }, "the file says 0000000000000000");
    expect_model_refused([](auto& m) { m["unit_length"] = true; }, "the model's identity is");
    expect_model_refused([](auto& m) { m.erase("method"); }, "metadata has no model.method");
    expect_model_refused([](auto& m) { m["derives_bias"] = true; }, "the model's bias is both stored and derived");
    expect_model_refused([](auto& m) { m["search"] = "luck"; },
                         "model.search is 'luck', expected beam, residual or tree");
    expect_model_refused([](auto& m) { m["binary_queries"] = true; }, "the model's identity is");
}

TEST(QuantizerFile, ForgedBlocksAreRefused) {
    Bytes bytes = save(block_quantizer({2, 3, 4}));
    store_little(&bytes[content_of(bytes, "blocks") + 8], std::uint64_t{1} << 60);
    reseal(bytes);
    expect_error([&] { load_quantizer(bytes); }, {"memory: the blocks do not cover all 4 dimensions in order"});
}

TEST(QuantizerFile, AForgedNumberThatIsNotFiniteIsRefused) {
    Bytes bytes = save(dense_quantizer({2, 3, 4}));
    store_little(&bytes[content_of(bytes, "word_offsets")], std::nanf(""));
    reseal(bytes);
    expect_error([&] { load_quantizer(bytes); }, {"section word_offsets holds a number that is not finite"});
}

TEST(QuantizerFile, APartThatDoesNotFitIsNotSaved) {
    expect_not_saved([](auto& q) { q.dictionaries.count = 65; }, "expected 1 to 64 dictionaries, got 65");
    expect_not_saved([](auto& q) { q.dictionaries.words = 1; }, "expected 2 to 256 words, got 1");
    expect_not_saved([](auto& q) { q.centre.clear(); }, "expected a centre of at least 1 dimension");
    expect_not_saved([](auto& q) { q.centre.push_back(0); }, "expected words of 6×5, got 6×4");
    expect_not_saved([](auto& q) { q.word_offsets.pop_back(); }, "expected 6 word offsets, got 5");
    expect_not_saved([](auto& q) { q.rotation = Matrix<float>(4, 3); }, "expected a rotation of 4×4, got 4×3");
    expect_not_saved([](auto& q) { q.dictionaries.block_begin = {0, 5, 4}; }, "expected blocks that cover all 4");
    expect_not_saved([](auto& q) { q.dictionaries.word(0, 1)[3] = 1; }, "word 1 of dictionary 0 is not zero outside");
    expect_not_saved([](auto& q) { q.encoder.penalty = std::nanf(""); }, "hold a number that is not finite");
    expect_not_saved([](auto& q) { q.encoder.absolute_penalty = HUGE_VALF; }, "hold a number that is not finite");
}

TEST(QuantizerFile, AMissingFileIsNamed) {
    expect_error([] { load_quantizer(std::string("none.smd")); }, {"none.smd: cannot open for reading: No such file"});
}

}  // namespace summand::test
