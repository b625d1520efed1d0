#include "io/container_support.h"

namespace summand::test {

TEST(ContainerInfo, ListsKindVersionAndSections) {
    const TemporaryDirectory directory;
    const Quantizer quantizer = dense_quantizer({3, 16, 7});
    save(directory / "c.smd", random_codes(quantizer, 5, 1), quantizer);
    const ContainerInfo info = container_info(directory / "c.smd");
    EXPECT_EQ(info.kind, "codes");
    EXPECT_EQ(info.version, 1u);
    ASSERT_EQ(info.sections.size(), 3u);
    EXPECT_EQ(info.sections[0].name, "codes");
    EXPECT_EQ(info.sections[0].type, "nibble");
    EXPECT_EQ(info.sections[0].shape, (std::vector<std::uint64_t>{5, 3}));
    EXPECT_EQ(info.sections[0].bytes, 10u);
    EXPECT_EQ(info.sections[1].name, "bias");
    EXPECT_EQ(info.sections[2].type, "text");
}

TEST(ContainerInfo, RefusesWhatIsNoContainer) {
    const TemporaryDirectory directory;
    write_raw(directory / "a.smd", "hello");
    expect_error([&] { container_info(directory / "a.smd"); }, {"a.smd: is not a summand file"});
}

}  // namespace summand::test
