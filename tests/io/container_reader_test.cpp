#include "io/container_reader.h"

#include "io/container_support.h"
#include "io/container_writer.h"
#include "io/metadata.h"

namespace summand::test {

namespace {

Bytes small_container() {
    ContainerWriter writer(Kind::codes);
    writer.metadata["answer"] = 42;
    writer.add("numbers", Element::float32, {2, 2}, std::vector<float>{1, 2, 3, 4});
    writer.add("nothing", Element::uint64, {0}, std::vector<std::uint64_t>{});
    writer.add("letters", Element::uint8, {3}, std::vector<std::uint8_t>{7, 8, 9});
    return writer.finish();
}

void open(const Bytes& bytes) { ContainerReader(MemoryBytes(std::span<const std::byte>(bytes)), "x.smd"); }

/// Overwrites a number of the table's row for "numbers" and makes the checksums right again.
template <class T>
Bytes forged(std::size_t field, T value) {
    Bytes bytes = small_container();
    store_little(&bytes[entry_of(bytes, "numbers") + field], value);
    reseal(bytes);
    return bytes;
}

}  // namespace

TEST(Container, WhatWasAddedIsReadBack) {
    const Bytes bytes = small_container();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    const ContainerReader reader(source, "x.smd");
    EXPECT_EQ(reader.kind(), Kind::codes);
    EXPECT_EQ(reader.version(), 1u);
    EXPECT_EQ(reader.metadata()["answer"], 42);
    EXPECT_EQ(reader.values<float>("numbers", Element::float32, {2, 2}), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_TRUE(reader.values<std::uint64_t>("nothing", Element::uint64, {0}).empty());
    EXPECT_EQ(reader.values<std::uint8_t>("letters", Element::uint8, {3}), (std::vector<std::uint8_t>{7, 8, 9}));
}

TEST(Container, DeeplyNestedMetadataIsRefused) {
    Bytes bytes = small_container();
    const std::size_t row = entry_of(bytes, "metadata"), begin = content_of(bytes, "metadata");
    for (const std::string& level : {std::string("["), std::string("{\"a\":")}) {
        std::string text = "{\"codes\":";
        while (text.size() < 900'000) text += level;
        bytes.resize(begin);
        const auto content = std::as_bytes(std::span(text));
        bytes.insert(bytes.end(), content.begin(), content.end());
        store_little(&bytes[row + entry::kShape], std::uint64_t{text.size()});
        store_little(&bytes[row + entry::kLength], std::uint64_t{text.size()});
        store_little(&bytes[header::kTotal], std::uint64_t{bytes.size()});
        reseal(bytes);
        const MemoryBytes source{std::span<const std::byte>(bytes)};
        const ContainerReader reader(source, "x.smd");
        expect_error([&] { Fields(reader, reader.metadata(), "codes"); },
                     {"x.smd: section metadata nests objects deeper than 8 levels"});
    }
}

TEST(Container, SectionsAreAlignedToACacheLine) {
    const Bytes bytes = small_container();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    const ContainerReader reader(source, "x.smd");
    for (const Section& section : reader.sections()) EXPECT_EQ(section.offset % 64, 0u);
}

TEST(Container, ForeignAndEmptyFilesAreRefused) {
    expect_error([] { open({}); }, {"x.smd: the file is empty"});
    expect_error([] { open(Bytes(100)); }, {"x.smd: is not a summand file: it does not begin with SUMMAND"});
    expect_error([] { open(Bytes(3)); }, {"is not a summand file"});
}

TEST(Container, ATruncatedFileSaysHowMuchIsMissing) {
    const Bytes good = small_container();
    Bytes bad = good;
    bad.resize(good.size() - 5);
    expect_error([&] { open(bad); }, {concatenate("truncated: 5 of ", good.size(), " bytes are missing")});
    bad.resize(100);
    expect_error([&] { open(bad); }, {concatenate("truncated: ", good.size() - 100, " of ", good.size(), " bytes")});
    bad.resize(30);
    expect_error([&] { open(bad); }, {"truncated: the header takes 64 bytes, the file has 30"});
}

TEST(Container, OtherVersionsAndKindsAreRefused) {
    Bytes bytes = small_container();
    store_little(&bytes[header::kVersion], std::uint32_t{2});
    reseal(bytes);
    expect_error([&] { open(bytes); }, {"format version 2, this program reads version 1"});
    bytes = small_container();
    store_little(&bytes[header::kKind], std::uint32_t{11});
    reseal(bytes);
    expect_error(
        [&] { open(bytes); },
        {"kind 11, expected 1 (model), 2 (codes), 3 (index), 4 (checkpoint), 5 (inverted index), 6 (vocabulary), "
         "7 (unfinished index), 8 (inverted model), 9 (manifest) or 10 (segment)"});
}

TEST(Container, AnotherKindThanExpectedIsNamed) {
    const Bytes bytes = small_container();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    const ContainerReader reader(source, "x.smd");
    expect_error([&] { reader.expect(Kind::index, {}); }, {"x.smd: holds codes, expected an index"});
    expect_error(
        [&] {
            reader.expect(Kind::codes, {"letters", "nothing"});
        },
        {"has a section numbers, which does not belong to codes"});
}

TEST(Container, DamageIsTracedToItsPlace) {
    Bytes bytes = small_container();
    bytes[header::kTotal] ^= std::byte{1};
    expect_error([&] { open(bytes); }, {"damaged header: its checksum does not match"});
    bytes = small_container();
    bytes[content_of(bytes, "numbers") + 16] = std::byte{1};
    expect_error([&] { open(bytes); }, {"damaged: the padding before section nothing is not zero"});
    bytes = small_container();
    bytes[content_of(bytes, "letters")] ^= std::byte{1};
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    const ContainerReader reader(source, "x.smd");
    expect_error([&] { reader.values<std::uint8_t>("letters", Element::uint8, {3}); },
                 {"x.smd: section letters is damaged: its checksum does not match"});
}

TEST(Container, AForgedTableIsRefusedBeforeAnythingIsAllocated) {
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
    expect_error([&] { open(forged(entry::kShape, kHuge)); }, {"section numbers has 16 bytes, which its shape"});
    expect_error([&] { open(forged(entry::kShape, std::uint64_t{3})); }, {"its shape 3×2 of float32 does not take"});
    expect_error([&] { open(forged(entry::kLength, kHuge)); }, {"section numbers has 4611686018427387904 bytes"});
    expect_error([&] { open(forged(entry::kOffset, kHuge)); }, {"section numbers lies at byte 4611686018427387904"});
    expect_error([&] { open(forged(entry::kOffset, std::uint64_t{0})); }, {"section numbers lies at byte 0"});
    expect_error([&] { open(forged(entry::kType, std::uint32_t{8})); }, {"has element type 8, expected 1 to 7"});
    expect_error([&] { open(forged(entry::kDimensions, std::uint32_t{5})); }, {"has 5 dimensions, expected 1 to 4"});
    expect_error([&] { open(forged(entry::kDimensions, std::uint32_t{0})); }, {"has 0 dimensions"});
    expect_error([&] { open(forged(entry::kName, std::uint8_t{0})); }, {"section 0 has a name that is not made of"});
    Bytes bytes = small_container();
    std::memcpy(&bytes[entry_of(bytes, "numbers")], "nothing", 7);
    reseal(bytes);
    expect_error([&] { open(bytes); }, {"section nothing occurs twice"});
    bytes = small_container();
    store_little(&bytes[header::kSections], std::uint32_t{0xffffffff});
    expect_error([&] { open(bytes); }, {"damaged header: 4294967295 sections, expected 1 to 32"});
}

TEST(Container, ASectionOfAnotherShapeOrTypeIsRefused) {
    const Bytes bytes = small_container();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    const ContainerReader reader(source, "x.smd");
    expect_error([&] { reader.values<float>("numbers", Element::float32, {4}); },
                 {"section numbers is 2×2 float32, expected 4 float32"});
    expect_error([&] { reader.values<std::uint8_t>("numbers", Element::uint8, {2, 2}); }, {"expected 2×2 uint8"});
    expect_error([&] { reader.values<float>("more", Element::float32, {4}); }, {"x.smd: has no section more"});
}

TEST(Container, MetadataThatIsNoObjectIsRefused) {
    ContainerWriter writer(Kind::model);
    writer.metadata = nlohmann::json::array({1, 2});
    const Bytes bytes = writer.finish();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    expect_error([&] { ContainerReader(source, "x.smd").metadata(); }, {"section metadata is not a JSON object"});
}

TEST(Container, NumbersThatAreNotFiniteAreRefused) {
    ContainerWriter writer(Kind::model);
    writer.add("numbers", Element::float32, {1}, std::vector<float>{std::numeric_limits<float>::infinity()});
    const Bytes bytes = writer.finish();
    const MemoryBytes source{std::span<const std::byte>(bytes)};
    expect_error([&] { ContainerReader(source, "x.smd").values<float>("numbers", Element::float32, {1}); },
                 {"section numbers holds a number that is not finite"});
}

}  // namespace summand::test
