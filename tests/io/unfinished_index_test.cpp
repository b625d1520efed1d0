#include "summand/unfinished_index.h"

#include "io/atomic_file.h"
#include "io/container_support.h"
#include "io/index_bytes.h"
#include "support/data.h"

namespace summand::test {

namespace {

const BuildTask kTask{{"--seed", "1"}, {"BASE", "300 vectors"}};

InvertedModel small_model(const std::string& spec = "IVF6,PQ2x4", Metric metric = Metric::euclidean) {
    return train(clustered(300, 8).view(), parse_index_spec(spec), {.metric = metric});
}

/// Encodes and keeps up to `end`, in chunks of `size`.
void go_on(const std::string& path, InvertedBuilder& builder, std::size_t size, std::size_t end = 300) {
    const Matrix<float> vectors = clustered(300, 8);
    while (builder.size() < end) {
        const std::size_t first = builder.size();
        const CellCodes chunk = builder.encode(vectors.view().slice(first, std::min(size, end - first)));
        append_chunk(path, chunk, builder);
        builder.add(chunk);
    }
}

/// A file with so many chunks of 100 vectors.
std::string unfinished(const TemporaryDirectory& directory, std::size_t chunks) {
    const InvertedModel model = small_model();
    begin_index(directory / "u.smd", kTask, model);
    InvertedBuilder builder(model);
    go_on(directory / "u.smd", builder, 100, 100 * chunks);
    return read_raw(directory / "u.smd");
}

}  // namespace

TEST(UnfinishedIndex, ResumedAnywhereItBecomesTheSameIndex) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    for (const char* spec : {"IVF6,PQ2x8", "IVF9(groups=3,coding=plain),CQ2x4(iterations=1)", "IMI2x2,RQ2x4"})
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            const InvertedModel model = small_model(spec, metric);
            InvertedBuilder whole(model);
            whole.add(clustered(300, 8).view());
            begin_index(path, kTask, model);
            for (const std::size_t end : {0, 70, 71, 250, 300}) {
                InvertedBuilder builder = resume_index(path, kTask);
                EXPECT_EQ(builder.model(), model);
                go_on(path, builder, 64, end);
                EXPECT_EQ(resume_index(path, kTask).size(), end);
            }
            EXPECT_EQ(save(resume_index(path, kTask).finish()), save(std::move(whole).finish())) << spec;
        }
}

TEST(UnfinishedIndex, WhateverIsMissingOfTheLastChunkIsEncodedAgain) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    const std::string two = unfinished(directory, 2), three = unfinished(directory, 3);
    for (std::size_t size = two.size(); size < three.size(); size += 37) {
        write_raw(path, three.substr(0, size));
        InvertedBuilder builder = resume_index(path, kTask);
        EXPECT_EQ(builder.size(), 200u);
        EXPECT_EQ(read_raw(path), two);
        go_on(path, builder, 100);
        EXPECT_EQ(read_raw(path), three);
    }
}

// What a crash leaves where the size of the file was written before its content.
TEST(UnfinishedIndex, ATailOfZerosIsCutOff) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    const std::string two = unfinished(directory, 2), three = unfinished(directory, 3);
    for (std::size_t size = two.size(); size < three.size(); size += 41) {
        write_raw(path, three.substr(0, size) + std::string(three.size() - size + size % 3 * 50'000, '\0'));
        InvertedBuilder builder = resume_index(path, kTask);
        EXPECT_EQ(builder.size(), 200u);
        EXPECT_EQ(read_raw(path), two);
        go_on(path, builder, 100);
        EXPECT_EQ(read_raw(path), three);
    }
}

TEST(UnfinishedIndex, DamageIsRefused) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    const std::string one = unfinished(directory, 1), good = unfinished(directory, 2);
    for (std::size_t byte = 0; byte < good.size(); byte += byte % 7 + 1) {
        std::string bad = good;
        bad[byte] ^= 4;
        write_raw(path, bad);
        expect_error([&] { resume_index(path, kTask); }, {"u.smd: "});
        ASSERT_EQ(read_raw(path).size(), good.size()) << byte;
    }
    std::string bad = good;
    bad[one.size() + 400] ^= 1;
    write_raw(path, bad);
    expect_error([&] { resume_index(path, kTask); }, {"u.smd: chunk 1: section codes is damaged"});
}

TEST(UnfinishedIndex, AnotherTaskIsRefusedByTheNameOfWhatDiffers) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    const std::string before = unfinished(directory, 1);
    BuildTask other = kTask;
    other["--seed"] = "2";
    expect_error([&] { resume_index(path, other); }, {"u.smd: belongs to another build: --seed was 1, now it is 2"});
    other = kTask;
    other["--metric"] = "ip";
    expect_error([&] { resume_index(path, other); }, {"--metric was not given, now it is ip"});
    EXPECT_EQ(read_raw(path), before);
    EXPECT_EQ(unfinished_task(path), kTask);
}

TEST(UnfinishedIndex, ChunksThatDoNotFollowEachOtherAreRefused) {
    const TemporaryDirectory directory;
    const std::string path = directory / "u.smd";
    unfinished(directory, 1);
    const InvertedBuilder empty(small_model());
    append_chunk(path, empty.encode(clustered(300, 8).view()), empty);  // as another process would
    expect_error([&] { resume_index(path, kTask); }, {"u.smd: chunk 1: begins with vector 0, expected 100"});
}

TEST(UnfinishedIndex, CellsBeyondThePartitionAreRefused) {
    const TemporaryDirectory directory;
    const std::string none = unfinished(directory, 0), one = unfinished(directory, 1);
    const auto appended = std::as_bytes(std::span(one)).subspan(none.size());
    Bytes chunk(appended.begin(), appended.end());
    store_little(&chunk[content_of(chunk, "cells")], std::uint32_t{6});
    reseal(chunk);
    write_raw(directory / "u.smd", none);
    append_file(directory / "u.smd", chunk);
    expect_error([&] { resume_index(directory / "u.smd", kTask); },
                 {"u.smd: chunk 0: add: expected cells below 6, got 6"});
}

TEST(UnfinishedIndex, OtherFilesHoldNone) {
    const TemporaryDirectory directory;
    unfinished(directory, 0);
    EXPECT_TRUE(holds_unfinished_index(directory / "u.smd"));
    EXPECT_FALSE(holds_unfinished_index(directory / "missing.smd"));
    save(directory / "m.smd", small_model().quantizer);
    EXPECT_FALSE(holds_unfinished_index(directory / "m.smd"));
    write_raw(directory / "short.smd", "SUMMAND\n");
    EXPECT_FALSE(holds_unfinished_index(directory / "short.smd"));
    expect_error([&] { resume_index(directory / "m.smd", kTask); }, {"holds a model, expected an unfinished index"});
    expect_error([&] { load_index(directory / "u.smd"); }, {"holds an unfinished index, expected an index"});
}

}  // namespace summand::test
