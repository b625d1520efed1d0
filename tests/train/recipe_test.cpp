#include "train/recipe.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "summand/evaluate.h"
#include "summand/train.h"
#include "support/data.h"

namespace summand {
namespace {

using test::clustered;

TEST(Recipe, ASpecAndOptionsTrainTheSameModel) {
    const Matrix<float> vectors = clustered(600, 8);
    for (const auto& [spec, constraint] : {std::pair{"LOCQ3x3", Constraint::learnt_offsets},
                                           {"LOCQ6x3", Constraint::learnt_offsets},
                                           {"NOCQ3x3", Constraint::near_orthogonal},
                                           {"CQ3x3", Constraint::none},
                                           {"OCQ3x3", Constraint::orthogonal},
                                           {"UB3x3", Constraint::upper_bound}}) {
        const Spec parsed = parse_spec(spec);
        const CompositeOptions options{
            .constraint = constraint, .dictionaries = parsed.dictionaries, .words = parsed.words()};
        EXPECT_EQ(train(vectors.view(), parsed), train(vectors.view(), options)) << spec;
    }
}

TEST(Recipe, EveryOptionChangesTheHash) {
    std::set<std::uint64_t> hashes = {hash_of(default_recipe(Constraint::learnt_offsets, 8))};
    for (const RecipeOption& option : recipe_options()) {
        Recipe recipe = default_recipe(Constraint::learnt_offsets, 8);
        std::visit([](auto* value) { *value += 1; }, option.field(recipe));
        EXPECT_TRUE(hashes.insert(hash_of(recipe)).second) << option.name;
    }
}

// The mean of recall@1 and recall@10 over held-out queries of data with structure: a change that breaks a method shows
// at once, whatever else its own tests say.
TEST(Methods, FindAsManyNeighboursAsEver) {
    const Matrix<float> base = clustered(3000, 16), queries = clustered(300, 16, 2);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const std::pair<const char*, double> floors[] = {
        {"PQ4x4", 0.16},  {"OPQ4x4", 0.19}, {"CQ4x4", 0.51},   {"OCQ4x4", 0.22}, {"NOCQ4x4", 0.33}, {"LOCQ4x4", 0.41},
        {"CQe4x4", 0.32}, {"CQd4x4", 0.11}, {"CQc12x4", 0.51}, {"QAV4x4", 0.20}, {"UB4x4", 0.31},   {"SNOCQ4x4", 0.16},
        {"RQ4x4", 0.56},  {"AQ4x4", 0.58},  {"AQe4x4", 0.34},  {"OTQ4x4", 0.38}, {"ITQ16", 0.12}};
    std::set<std::string> tested;
    for (const auto& [text, floor] : floors) {
        const Spec spec = parse_spec(text);
        tested.insert(spec.method);
        const Quantizer model = train(base.view(), spec);
        const FlatIndex index(model, encode(model, base.view()), Metric::euclidean);
        const Neighbors found = index.search(queries.view(), {.k = 10});
        EXPECT_GE((recall(found, truth.ids.view(), 1) + recall(found, truth.ids.view(), 10)) / 2, floor) << text;
    }
    for (const MethodInfo& method : methods()) EXPECT_TRUE(tested.contains(std::string(method.name))) << method.name;
}

// Enough vectors for its rule: 550 are held out.
TEST(Locq, SearchesItsRuleWhereHeldOutVectorsCanTell) {
    const Matrix<float> vectors = clustered(11000, 6), base = clustered(4000, 6, 2), queries = clustered(400, 6, 3);
    const Neighbors truth = exact_neighbors(base.view(), queries.view(), 1, Metric::euclidean);
    const auto model = [&](const char* options) {
        return train(vectors.view(), parse_spec(std::string("LOCQ3x3(start=pq,iterations=6") + options + ")"));
    };
    const auto found = [&](const Quantizer& trained) {
        const FlatIndex index(trained, encode(trained, base.view()), Metric::euclidean);
        return recall(index.search(queries.view(), {.k = 10}), truth.ids.view(), 10);
    };
    const Quantizer searched = model("");
    EXPECT_TRUE(searched.encoder.expectation != 0.9f || searched.encoder.theta != 0.0f);
    EXPECT_GE(searched.encoder.expectation, 0.8f);
    EXPECT_LE(searched.encoder.expectation, 1.0f);
    EXPECT_EQ(model(",theta=0.25,expectation=0.75").encoder.theta, 0.25f);
    EXPECT_EQ(model(",theta=0.25").encoder.theta, 0.25f);
    EXPECT_GT(found(searched), found(model(",theta=-3,expectation=1")));
}

}  // namespace
}  // namespace summand
