#include <filesystem>

#include "io/container_reader.h"
#include "store/manifest.h"
#include "store/row_set.h"
#include "store/support.h"
#include "support/memory.h"

namespace summand::test {
namespace {

void flip(const std::string& path, std::size_t at) {
    std::string bytes = read_raw(path);
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write_raw(path, bytes);
}

class Verify : public ::testing::Test {
protected:
    Verify() {
        LivingIndex index = LivingIndex::create(folder_, small_model("IVF8,PQ4x4,Refine(PQ4x4)"));
        const Matrix<float> base = clustered(100, kColumns, 3);
        index.add(rows_of(base, ids_between(0, 60)));
        index.add(rows_of(base, ids_between(60, 100)));
        index.update(rows_of(base, {1, 2}), std::vector<std::int64_t>{5, 70});
        index.remove(std::vector<std::int64_t>{7, 8, 80});
    }
    void expect_problem(std::initializer_list<std::string_view> parts) {
        const std::vector<std::string> problems = verify(folder_);
        ASSERT_EQ(problems.size(), 1u) << (problems.empty() ? "" : problems[1]);
        for (const std::string_view part : parts) EXPECT_NE(problems[0].find(part), std::string::npos) << problems[0];
    }

    TemporaryDirectory scratch_;
    const std::string folder_ = scratch_ / "index";
};

}  // namespace

TEST_F(Verify, SoundFoldersAndFilesHaveNoProblems) {
    EXPECT_EQ(verify(folder_), std::vector<std::string>());
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        if (entry.path().extension() != ".smd") continue;
        EXPECT_EQ(verify(entry.path().string()), std::vector<std::string>()) << entry.path();
    }
    EXPECT_EQ(verify(scratch_ / "nothing").size(), 1u);
}

TEST_F(Verify, EveryFlippedBitOfAFolderIsFound) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        const std::string path = entry.path().string(), whole = read_raw(path);
        SCOPED_TRACE(path);
        for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 97) {
            flip(path, at);
            EXPECT_FALSE(verify(folder_).empty()) << at;
            write_raw(path, whole.substr(0, at));
            EXPECT_FALSE(verify(folder_).empty()) << at;
            write_raw(path, whole);
        }
    }
    EXPECT_EQ(verify(folder_), std::vector<std::string>());
}

// Opening does not read the codes of a large segment; what uses them looks at their checksums first.
TEST_F(Verify, DamageOfALargeSegmentIsToldByWhoeverUsesIt) {
    const std::string folder = scratch_ / "large", path = folder + "/segment-00000001.smd";
    const Matrix<float> base = clustered(140000, kColumns, 3);
    LivingIndex::create(folder, small_model("IVF8,PQ8")).add(base);
    const auto search = [&](const LivingIndex& index) { return index.search(base.view().slice(0, 9), {.k = 10}); };
    const Neighbors before = search(LivingIndex::open(folder));
    EXPECT_EQ(search(LivingIndex::open(folder, Access::write)), before);
    const InputFile file(path);
    const ContainerReader reader(file, path);
    for (const Section& section : reader.sections()) {
        if (section.name != "packed" && section.name != "ids") continue;
        SCOPED_TRACE(section.name);
        flip(path, section.offset + section.length / 2);
        LivingIndex index = LivingIndex::open(folder, Access::write);
        expect_error([&] { search(index); }, {path, "are damaged: their checksum does not match"});
        expect_error(
            [&] {
                index.remove(ids_between(0, 9));
                index.compact();
            },
            {path, "are damaged"});
        EXPECT_EQ(verify(folder).size(), 1u);
        flip(path, section.offset + section.length / 2);
    }
    EXPECT_EQ(verify(folder), std::vector<std::string>());
}

// Dead rows are a bit for each vector that the manifest claims.
TEST_F(Verify, AManifestThatClaimsBillionsOfVectorsTakesNoMemoryForThem) {
    Manifest manifest = read_manifest(folder_);
    manifest.segments[0].vectors = kMostRows - 1;
    write_manifest(folder_, manifest);
    const std::size_t before = most_memory();
    expect_problem({"expected 4294967295 vectors, got 60"});
    EXPECT_LT(most_memory() - before, 200'000'000u);
}

TEST_F(Verify, MissingFilesAreNamed) {
    std::filesystem::remove(folder_ + "/segment-00000001.smd");
    expect_problem({"segment-00000001.smd", "No such file"});
}

TEST_F(Verify, ADamagedSegmentIsDroppedByRepair) {
    flip(folder_ + "/segment-00000002.smd", 400);
    expect_problem({"segment-00000002.smd"});
    expect_error([&] { LivingIndex::open(folder_); }, {"segment-00000002.smd"});
    const Repaired repaired = LivingIndex::repair(folder_);
    EXPECT_EQ(repaired.vectors, 38u);
    ASSERT_EQ(repaired.losses.size(), 1u);
    EXPECT_NE(repaired.losses[0].find("its 38 vectors are lost"), std::string::npos) << repaired.losses[0];
    EXPECT_EQ(verify(folder_), std::vector<std::string>());
    EXPECT_EQ(LivingIndex::open(folder_).size(), 59u);
    EXPECT_TRUE(LivingIndex::repair(folder_).losses.empty());
}

TEST_F(Verify, WithoutItsDeadRowsASegmentKeepsItsVectorsAndTheLaterOnesCount) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
        if (entry.path().string().find("segment-00000001.dead-") != std::string::npos) flip(entry.path().string(), 20);
    const Repaired repaired = LivingIndex::repair(folder_);
    EXPECT_EQ(repaired.vectors, 0u);
    ASSERT_EQ(repaired.losses.size(), 2u);
    EXPECT_NE(repaired.losses[1].find("2 vectors that were removed are back"), std::string::npos) << repaired.losses[1];
    EXPECT_EQ(verify(folder_), std::vector<std::string>());
    const LivingIndex index = LivingIndex::open(folder_);
    EXPECT_EQ(index.size(), 99u);
    EXPECT_TRUE(index.contains(7));
}

TEST_F(Verify, AnIdThatIsThereTwiceIsFound) {
    const std::string copy = folder_ + "/segment-00000004.smd";
    std::filesystem::copy_file(folder_ + "/segment-00000003.smd", copy);
    Manifest manifest = read_manifest(folder_);
    manifest.segments.push_back(manifest.segments.back());
    manifest.segments.back().number = 4;
    manifest.next_segment = 5;
    write_manifest(folder_, manifest);
    expect_problem({"the id 5 is there twice"});
}

}  // namespace summand::test
