#include "summand/quantizer.h"

#include <gtest/gtest.h>

#include <set>

#include "index/random_index.h"
#include "summand/metric.h"
#include "support/data.h"

namespace summand {
namespace {

using test::expect_error;

TEST(Effort, NamesAreReadBack) {
    for (const Effort effort : {Effort::fast, Effort::standard, Effort::best})
        EXPECT_EQ(parse_effort(name(effort)), effort);
    EXPECT_EQ(name(Effort::standard), "default");
}

TEST(Effort, RefusesOtherNames) {
    for (const char* text : {"", "Fast", "standard", "bes", "best "})
        expect_error([&] { parse_effort(text); }, {"effort: expected fast, default or best, got '", text});
}

TEST(Metric, NamesAreReadBackAndOthersRefused) {
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine})
        EXPECT_EQ(parse_metric(name(metric)), metric);
    expect_error([] { parse_metric("l2"); }, {"metric: expected euclidean, ip or cosine, got 'l2'"});
}

TEST(Identity, ChangesWithEveryIngredient) {
    const Quantizer model =
        random_quantizer({.dictionaries = 2, .words = 4, .dimensions = 6, .blocks = true, .rotation = true});
    std::set<std::uint64_t> met{identity(model)};
    const auto expect_new = [&](const auto& change) {
        Quantizer changed = model;
        change(changed);
        EXPECT_TRUE(met.insert(identity(changed)).second);
    };
    for (std::size_t i = 0; i < 2 * 4 * 6; ++i) expect_new([&](Quantizer& m) { m.dictionaries.rows.data()[i] += 1; });
    for (std::size_t i = 0; i < 2 * 4; ++i) expect_new([&](Quantizer& m) { m.word_offsets[i] += 1; });
    for (std::size_t d = 0; d < 6; ++d) expect_new([&](Quantizer& m) { m.centre[d] += 1; });
    for (std::size_t i = 0; i < 36; ++i) expect_new([&](Quantizer& m) { m.rotation.data()[i] += 1; });
    expect_new([](Quantizer& m) { m.rotation = {}; });
    expect_new([](Quantizer& m) { m.unit_length = true; });
    expect_new([](Quantizer& m) { m.bias = Bias::stored; });
    expect_new([](Quantizer& m) { m.bias = Bias::derived; });
    expect_new([](Quantizer& m) { m.binary_queries = true; });
    expect_new([](Quantizer& m) { m.dictionaries.block_begin.clear(); });
    expect_new([](Quantizer& m) { m.dictionaries.block_begin[1] += 1; });
}

TEST(Identity, DoesNotChangeWithFiguresOfTheTraining) {
    const Quantizer model = random_quantizer({.dictionaries = 2, .words = 4, .dimensions = 6});
    Quantizer changed = model;
    changed.method = "other";
    changed.training = {
        .vectors = 5, .distortion = 1, .held_out_distortion = 2, .cross_term_deviation = 3, .objective = {1, 2}};
    changed.encoder.effort = Effort::best;
    EXPECT_EQ(identity(changed), identity(model));
    EXPECT_NE(changed, model);
}

TEST(CodeBytes, CountPackedCodesAndTheBias) {
    Quantizer model = random_quantizer({.dictionaries = 5, .words = 256});
    EXPECT_EQ(model.code_bytes(), 5u);
    model.dictionaries.words = 17;
    EXPECT_EQ(model.code_bytes(), 5u);
    model.dictionaries.words = 16;
    EXPECT_EQ(model.code_bytes(), 3u);
    model.bias = Bias::stored;
    EXPECT_EQ(model.code_bytes(), 7u);
    model.bias = Bias::derived;
    EXPECT_EQ(model.code_bytes(), 3u);
}

TEST(Decode, AddsTheWordsTurnsThemBackAndAddsTheCentre) {
    for (const bool rotation : {false, true}) {
        const Quantizer model =
            random_quantizer({.dictionaries = 3, .words = 5, .dimensions = 7, .rotation = rotation});
        const Codes codes = random_codes(model, 40, 2);
        const Matrix<float> decoded = decode(model, codes);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            const std::vector<float> sum = test::sum_of_words(model.dictionaries, codes.rows.row(i));
            for (std::size_t d = 0; d < 7; ++d) {
                double expected = rotation ? 0 : double{sum[d]};
                for (std::size_t e = 0; rotation && e < 7; ++e)
                    expected += double{model.rotation[e][d]} * double{sum[e]};
                EXPECT_NEAR(decoded[i][d], expected + double{model.centre[d]}, 1e-4);
            }
        }
    }
}

TEST(Decode, RefusesCodesThatDoNotFit) {
    const Quantizer model = random_quantizer({.dictionaries = 3, .words = 5, .dimensions = 7});
    Codes codes = random_codes(model, 4, 2);
    codes.rows[2][1] = 5;
    expect_error([&] { decode(model, codes); }, {"decode: row 2 names word 5 of a dictionary of 5 words"});
    codes.rows = Matrix<std::uint8_t>(4, 2);
    expect_error([&] { decode(model, codes); }, {"decode: expected codes of 3 bytes, got 2"});
}

}  // namespace
}  // namespace summand
