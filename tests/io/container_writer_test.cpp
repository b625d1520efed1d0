#include "io/container_writer.h"

#include "io/container_support.h"

namespace summand::test {

TEST(ContainerWriter, FileAndMemoryHoldTheSameBytes) {
    const TemporaryDirectory directory;
    const auto fill = [](ContainerWriter& writer) {
        writer.metadata["a"] = 1;
        writer.add("numbers", Element::float64, {1}, std::vector<double>{0.5});
    };
    ContainerWriter in_memory(Kind::model), in_file(Kind::model);
    fill(in_memory);
    fill(in_file);
    const Bytes bytes = in_memory.finish();
    in_file.finish(directory / "a.smd");
    EXPECT_EQ(read_raw(directory / "a.smd"), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

TEST(ContainerWriter, RefusesMetadataThatIsNotUnicode) {
    ContainerWriter writer(Kind::model);
    writer.metadata["method"] = "\xff";
    expect_error([&] { writer.finish(); }, {"save: the metadata cannot be written"});
}

}  // namespace summand::test
