#include "summand/describe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "summand/build.h"
#include "summand/error.h"
#include "support/data.h"

namespace summand {
namespace {

using Json = nlohmann::json;

TEST(Describe, AnIndexSaysWhatItIs) {
    const Matrix<float> base = test::clustered(500, 8, 1);
    const Index index = build(base, "IVF4,PQ2x4,Refine(fp16)", {.metric = Metric::cosine});
    const Json said = Json::parse(describe(index));
    EXPECT_EQ(said["vectors"], 500);
    EXPECT_EQ(said["metric"], "cosine");
    EXPECT_EQ(said["cells"], 4);
    EXPECT_EQ(said["memory_bytes"], index.memory_bytes());
    EXPECT_EQ(said["refine"]["format"], "fp16");
    EXPECT_EQ(said["model"], Json::parse(describe(index.quantizer())));
}

TEST(Describe, AModelNamesItsIdentityInSixteenDigits) {
    const Quantizer model = build(test::clustered(500, 8, 1), "PQ2x4").quantizer();
    const std::string text = Json::parse(describe(model))["identity"];
    EXPECT_EQ(text.size(), 16u);
    EXPECT_EQ(std::stoull(text, nullptr, 16), identity(model));
}

TEST(Describe, AFileThatIsMissingIsAnError) { EXPECT_THROW(describe_file("missing.smd"), Error); }

}  // namespace
}  // namespace summand
