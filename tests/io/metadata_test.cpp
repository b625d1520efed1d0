#include "io/metadata.h"

#include <cmath>

#include "io/container_writer.h"
#include "io/support.h"

namespace summand::test {

namespace {

const Bytes& any_container() {
    static const Bytes bytes = ContainerWriter(Kind::model).finish();
    return bytes;
}

}  // namespace

TEST(Metadata, EveryFieldIsCheckedForItsType) {
    const MemoryBytes source{std::span<const std::byte>(any_container())};
    const ContainerReader reader(source, "x.smd");
    const nlohmann::json metadata = {
        {"model",
         {{"count", 7u}, {"negative", -7}, {"flag", true}, {"text", "PQ"}, {"large", 1e300}, {"none", nullptr}}}};
    const Fields fields(reader, metadata, "model");
    EXPECT_EQ(fields.count("count", 1, 7), 7u);
    EXPECT_TRUE(fields.flag("flag"));
    EXPECT_EQ(fields.text("text"), "PQ");
    EXPECT_EQ(fields.figure("large"), 1e300);
    EXPECT_TRUE(std::isnan(fields.figure("none")));
    EXPECT_EQ(fields.measured("large"), 1e300);
    EXPECT_EQ(fields.measured("none"), std::nullopt);
    expect_error([&] { fields.count("count", 8, 9); }, {"x.smd: metadata model.count is 7, expected 8 to 9"});
    expect_error([&] { fields.count("negative"); }, {"metadata model.negative is not a whole number"});
    expect_error([&] { fields.count("large"); }, {"metadata model.large is not a whole number"});
    expect_error([&] { fields.flag("text"); }, {"metadata model.text is not true or false"});
    expect_error([&] { fields.text("flag"); }, {"metadata model.flag is not a text"});
    expect_error([&] { fields.number("large"); }, {"metadata model.large is not a finite number"});
    expect_error([&] { fields.number("none"); }, {"metadata model.none is not a finite number"});
    expect_error([&] { fields.figure("text"); }, {"metadata model.text is not a number"});
    expect_error([&] { fields.measured("text"); }, {"metadata model.text is not a number"});
    expect_error([&] { fields.hash("text"); }, {"model.text is 'PQ', expected 16 hexadecimal digits"});
    expect_error([&] { fields.text("missing"); }, {"metadata has no model.missing"});
    expect_error([&] { Fields(reader, metadata, "codes"); }, {"metadata has no object codes"});
}

TEST(Metadata, HashesAreSixteenDigits) {
    EXPECT_EQ(hex(0), "0000000000000000");
    EXPECT_EQ(hex(0x0123456789abcdef), "0123456789abcdef");
}

}  // namespace summand::test
