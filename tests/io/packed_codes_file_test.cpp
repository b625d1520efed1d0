#include "io/packed_codes_file.h"

#include <gtest/gtest.h>

#include "base/byte_order.h"
#include "index/index_parts.h"
#include "index/random_index.h"
#include "io/container_support.h"
#include "io/index_bytes.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kLarge = 140000;  // codes of 8 bytes take more than a mebibyte

FlatIndex flat_index(bool bias, Planes planes) {
    const Quantizer quantizer = random_quantizer({.dimensions = 8, .bias = bias});
    return IndexParts::flat(
        quantizer, PackedCodes::pack(summand::random_codes(quantizer, kLarge, 2), quantizer, Metric::euclidean, planes),
        Metric::euclidean);
}

InvertedIndex inverted_index() {
    const Matrix<float> vectors = clustered(600, 8);
    const InvertedModel model = train(vectors.view(), parse_index_spec("IVF6,PQ8"));
    CellCodes encoded{{}, summand::random_codes(model.quantizer, kLarge, 3)};
    for (std::size_t i = 0; i < kLarge; ++i) encoded.cells.push_back(static_cast<std::uint32_t>(i % 6));
    InvertedBuilder builder(model);
    builder.add(encoded);
    return std::move(builder).finish();
}

const Section& section_of(const ContainerReader& reader, std::string_view name) {
    for (const Section& section : reader.sections())
        if (section.name == name) return section;
    throw Error(concatenate("no section ", name));
}

// Flips a bit of the section, in the piece that vector `vector` of all lies in.
void damage(const std::string& path, const std::string& section, std::size_t vector) {
    std::string bytes = read_raw(path);
    const InputFile file(path);
    const ContainerReader reader(file, path);
    const Section& found = section_of(reader, section);
    const std::size_t at = found.offset + found.length / kLarge * vector;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write_raw(path, bytes);
}

Neighbors search(const Index& index, std::size_t probes = 0) {
    return index.search(clustered(5, 8, 2).view(), {.k = 20, .probes = probes});
}

class PieceSums : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const std::string path_ = scratch_ / "index.smd";
};

}  // namespace

TEST_F(PieceSums, FilesThatHaveThemGiveTheSameAnswers) {
    for (const bool bias : {false, true})
        for (const Planes planes : {Planes::whole, Planes::quads}) {
            const Index index = flat_index(bias, planes);
            index.save(path_);
            EXPECT_EQ(search(Index::open(path_)), search(index));
            EXPECT_EQ(save(Index::open(path_)), save(index));
        }
    const Index index = inverted_index();
    index.save(path_);
    EXPECT_EQ(search(Index::open(path_), 3), search(index, 3));
    EXPECT_EQ(save(Index::open(path_)), save(index));
}

TEST_F(PieceSums, DamageIsToldByWhoeverUsesThePiece) {
    for (const char* section : {"packed", "packed_tops", "bias"}) {
        SCOPED_TRACE(section);
        save(path_, flat_index(true, Planes::quads));
        damage(path_, section, 20000);
        const Index index = Index::open(path_);
        for (int turn = 0; turn < 2; ++turn)
            expect_error([&] { search(index); }, {path_, "codes from vector 16384 on are damaged"});
        expect_error([&] { index.save(path_ + ".copy"); }, {path_, "are damaged"});
        expect_error([&] { verify_index(path_); }, {path_, section, "its checksum does not match"});
    }
}

// Lists of other pieces can be searched.
TEST_F(PieceSums, DamageOfAListIsToldByThoseWhoVisitIt) {
    for (const char* section : {"packed", "ids"}) {
        SCOPED_TRACE(section);
        save(path_, inverted_index());
        const Neighbors before = search(Index::open(path_), 1);
        damage(path_, section, 20000);
        const Index index = Index::open(path_);
        expect_error([&] { search(index, 6); }, {path_, "codes from vector 16384 on are damaged"});
        std::size_t told = 0;
        for (const auto& query : {0, 1, 2, 3, 4}) {
            const Matrix<float> queries = clustered(5, 8, 2);
            try {
                index.search(queries.view().slice(static_cast<std::size_t>(query), 1), {.k = 20, .probes = 1});
            } catch (const Error&) {
                ++told;
            }
        }
        EXPECT_LT(told, 5u);
    }
}

// A file whose checksums are right may still hold what makes no sense.
TEST_F(PieceSums, IdsBeyondTheirRangeAreRefused) {
    const InvertedIndex index = inverted_index();
    const InvertedLists::Parts& lists = IndexParts::lists(index)->parts();
    std::vector<std::uint64_t> ids(lists.ids.begin(), lists.ids.end());
    ids[20000] = std::uint64_t{1} << 63;
    ContainerWriter writer(Kind::inverted);
    add_packed_codes(writer, *lists.packed, ids);
    writer.add("ids", Element::uint64, {ids.size()}, ids);
    writer.finish(path_);
    const IndexFile file(mapped(path_), path_, Checking::on_first_use);
    const PackedSections sections = read_packed_codes(file, IdsBeside::any);
    EXPECT_NO_THROW(sections.codes->require_sound(0, 16));
    expect_error([&] { sections.codes->require_sound(0, 48); }, {path_, "expected ids up to 9223372036854775807"});
    const PackedSections rows = read_packed_codes(file, IdsBeside::rows);
    expect_error([&] { rows.codes->require_sound(); }, {path_, "expected ids up to 139999"});
}

TEST_F(PieceSums, SmallFilesHaveNone) {
    const Quantizer quantizer = random_quantizer({.dimensions = 8});
    save(path_, FlatIndex(quantizer, summand::random_codes(quantizer, 1000, 2), Metric::euclidean));
    const InputFile file(path_);
    EXPECT_FALSE(ContainerReader(file, path_).has("piece_sums"));
    save(path_, flat_index(false, Planes::whole));
    const InputFile large(path_);
    EXPECT_TRUE(ContainerReader(large, path_).has("piece_sums"));
}

}  // namespace summand::test
