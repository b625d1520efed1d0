#include "train/cost.h"

#include <string>

#include "support/data.h"
#include "train/method_costs.h"
#include "train/registry.h"

namespace summand::test {
namespace {

// Few words, so that all of them are trained in a moment; two of ITQ's eight bits and more than CQc's float takes.
std::string small_spec(std::string_view method) {
    const std::string name(method);
    if (name == "ITQ") return "ITQ16";
    return name + (name == "CQc" ? "10x4" : "4x4");
}

void expect_shape(const std::string& text) {
    SCOPED_TRACE(text);
    const Spec spec = parse_spec(text);
    const CodeShape shape = method_row(spec.method).codes(spec);
    const Quantizer model = train(clustered(1000, 24).view(), spec);
    EXPECT_EQ(shape.dictionaries, model.dictionaries.count);
    EXPECT_EQ(shape.words, model.dictionaries.words);
    EXPECT_EQ(shape.blocks, model.dictionaries.blocks());
    EXPECT_EQ(shape.rotated, !model.rotation.empty());
    if (!shape.blocks) {
        EXPECT_EQ(shape.search, model.encoder.search);
    }
    EXPECT_EQ(shape.stored_bias, model.bias == Bias::stored);
    const EncodingCost said = encoding_cost(spec, 24), is = encoding_cost(model);
    EXPECT_EQ(said.operations, is.operations);
    EXPECT_EQ(said.table_bytes, is.table_bytes);
    EXPECT_EQ(said.code_bytes, is.code_bytes);
    EXPECT_EQ(said.model_bytes, is.model_bytes);
    EXPECT_EQ(said.held_bytes, is.held_bytes);
    if (spec.options.empty()) {
        EXPECT_EQ(spec_number(model), spec.dictionaries);
    }
}

}  // namespace

TEST(Cost, TheRowOfEveryMethodSaysWhatItsCodesAreLike) {
    for (const MethodRow& row : method_rows()) expect_shape(small_spec(row.info.name));
    for (const char* spec : {"CQ4x4(bias=byte)", "CQ4x4(bias=dropped)"}) expect_shape(spec);
}

TEST(Cost, EveryMethodCostsMoreForMoreVectorsDimensionsAndIterations) {
    for (const MethodRow& row : method_rows()) {
        const std::string text = concatenate(row.info.name, row.info.name == "ITQ" ? "64" : "8");
        SCOPED_TRACE(text);
        const Spec spec = parse_spec(text), longer = parse_spec(text + "(iterations=1000)");
        const TrainingCost one = training_cost(spec, {100'000, 128}), more = training_cost(spec, {400'000, 128}),
                           wider = training_cost(spec, {100'000, 512});
        EXPECT_GT(more.operations, 1.5 * one.operations);
        EXPECT_GT(wider.operations, one.operations);
        EXPECT_GT(training_cost(longer, {100'000, 128}).operations, 5 * one.operations);
        // The vectors themselves and at least one copy of them exist at the same time.
        for (const auto& [cost, values] : {std::pair{one, 1e5 * 128}, {more, 4e5 * 128}, {wider, 1e5 * 512}})
            EXPECT_GT(cost.bytes, 2 * sizeof(float) * values);
    }
}

TEST(Cost, LevelsAreNoWordsToLearn) {
    const Sizes sizes{100'000, 128};
    EXPECT_EQ(training_cost(parse_spec("CQe8"), sizes).operations, training_cost(parse_spec("CQ7"), sizes).operations);
    EXPECT_EQ(training_cost(parse_spec("AQe8"), sizes).operations, training_cost(parse_spec("AQ7"), sizes).operations);
}

TEST(Cost, CodesThatLeaveNoWordsAreRefused) { EXPECT_THROW(training_cost(parse_spec("CQc4"), {1000, 16}), Error); }

}  // namespace summand::test
