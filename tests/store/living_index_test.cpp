#include "summand/living_index.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "store/support.h"

namespace summand::test {
namespace {

const char* const kSpecs[] = {"PQ4x4",
                              "RQ4x4",
                              "CQ4x4",
                              "IVF8,PQ4x4",
                              "IVF8,LOCQ4x4,Refine(PQ4x4)",
                              "PQ4x4,Refine(fp16)",
                              "IVF8,PQ4x4,Refine(fp32)",
                              "IMI2x2,OPQ4x4"};

// An index of these rows of the base, made in one go, whose ids are named as the living one names them.
Neighbors expected(const IndexModel& model, Metric metric, const Matrix<float>& base,
                   const std::vector<std::int64_t>& ids, MatrixView<float> queries, SearchOptions options) {
    const Index index = build(rows_of(base, ids), model, {.metric = metric});
    Neighbors found = index.search(queries, options);
    for (std::size_t q = 0; q < found.ids.rows(); ++q)
        for (std::int64_t& id : found.ids[q])
            if (id != kNoId) id = ids[static_cast<std::size_t>(id)];
    return found;
}

class Living : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const std::string folder_ = scratch_ / "index";
    const Matrix<float> base_ = clustered(900, kColumns, 3), queries_ = clustered(20, kColumns, 4);

    void add(LivingIndex& index, std::int64_t first, std::int64_t last) {
        const std::vector<std::int64_t> ids = ids_between(first, last);
        index.add(rows_of(base_, ids), ids);
    }
    Neighbors search(const LivingIndex& index, std::size_t k = 10) { return index.search(queries_.view(), {.k = k}); }
};

}  // namespace

TEST_F(Living, SegmentsFindWhatOneIndexFindsBitForBit) {
    for (const char* spec : kSpecs)
        for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
            SCOPED_TRACE(std::string(spec) + " " + std::string(name(metric)));
            const TemporaryDirectory scratch;
            const IndexModel model = small_model(spec, metric);
            LivingIndex index = LivingIndex::create(scratch / "index", model, metric);
            add(index, 400, 900);
            add(index, 0, 1);
            add(index, 1, 400);
            std::vector<std::int64_t> gone{3, 400, 401, 899};
            for (std::int64_t id = 10; id < 900; id += 10) gone.push_back(id);
            EXPECT_EQ(index.remove(gone), gone.size() - 1);  // 400 is given twice
            std::vector<std::int64_t> kept = ids_between(0, 900);
            std::erase_if(kept, [&](std::int64_t id) { return std::find(gone.begin(), gone.end(), id) != gone.end(); });
            EXPECT_EQ(index.size(), kept.size());
            SearchOptions options{.k = 12};
            if (model.cells()) options.probes = 5;
            const Neighbors oracle = expected(model, metric, base_, kept, queries_.view(), options);
            EXPECT_EQ(index.search(queries_.view(), options), oracle);
            const IdFilter some = IdFilter::ranges({{50, 300}, {600, 700}});
            options.filter = &some;
            const Neighbors filtered = index.search(queries_.view(), options);
            const RangeNeighbors within = index.search_range(queries_.view(), oracle.scores[0][5], options);
            index.compact();
            EXPECT_EQ(index.info().segments.size(), 1u);
            EXPECT_EQ(index.info().dead, 0u);
            EXPECT_EQ(index.search(queries_.view(), options), filtered);
            EXPECT_EQ(index.search_range(queries_.view(), oracle.scores[0][5], options), within);
            options.filter = nullptr;
            EXPECT_EQ(index.search(queries_.view(), options), oracle);
        }
}

TEST_F(Living, CandidatesCountTheVectorsOfAllSegments) {
    for (const char* spec : {"IVF8,PQ4x4", "IMI2x2,OPQ4x4", "IVF8,PQ4x4,Refine(fp32)"}) {
        const TemporaryDirectory scratch;
        const IndexModel model = small_model(spec);
        LivingIndex index = LivingIndex::create(scratch / "index", model);
        for (const std::int64_t first : {600, 0, 300}) add(index, first, first + 300);
        for (const std::size_t candidates : {1, 100, 700}) {
            const SearchOptions options{.k = 12, .candidates = candidates};
            EXPECT_EQ(index.search(queries_.view(), options),
                      expected(model, Metric::euclidean, base_, ids_between(0, 900), queries_.view(), options))
                << spec << " " << candidates;
        }
    }
}

// The best of the first layer are chosen among equals as one index chooses them: by cell, then by id.
TEST_F(Living, EqualVectorsOfManySegmentsAreRefinedAsThoseOfOneIndex) {
    Matrix<float> equal(900, kColumns);
    for (std::size_t i = 0; i < equal.rows(); ++i) std::copy_n(base_.row(i % 3), kColumns, equal.row(i));
    for (const char* spec : {"PQ4x4,Refine(fp16)", "IVF8,PQ4x4,Refine(fp32)", "IVF8,LOCQ4x4,Refine(PQ4x4)"}) {
        const TemporaryDirectory scratch;
        const IndexModel model = small_model(spec);
        LivingIndex index = LivingIndex::create(scratch / "index", model);
        for (std::int64_t part = 0; part < 5; ++part) {
            std::vector<std::int64_t> ids;
            for (std::int64_t id = part; id < 900; id += 5) ids.push_back(id);
            index.add(rows_of(equal, ids), ids);
        }
        SearchOptions options{.k = 12, .refine = 40};
        if (model.cells()) options.probes = 8;
        EXPECT_EQ(index.search(queries_.view(), options),
                  expected(model, Metric::euclidean, equal, ids_between(0, 900), queries_.view(), options))
            << spec;
    }
}

TEST_F(Living, WhatWasCommittedIsThereAfterOpeningAgain) {
    const IndexModel model = small_model("IVF8,PQ4x4,Refine(PQ4x4)");
    Neighbors before;
    {
        LivingIndex index = LivingIndex::create(folder_, model);
        add(index, 0, 300);
        const std::vector<std::int64_t> sparse{std::int64_t{1} << 62, 5000, 400};
        index.add(rows_of(base_, {700, 701, 702}), sparse);
        EXPECT_EQ(index.add(rows_of(base_, {703})), (std::int64_t{1} << 62) + 1);
        index.remove(std::vector<std::int64_t>{5, 6, 5000});
        before = search(index);
    }
    const LivingIndex reader = LivingIndex::open(folder_);
    EXPECT_EQ(search(reader), before);
    EXPECT_EQ(reader.size(), 301u);
    EXPECT_TRUE(reader.contains(400));
    EXPECT_FALSE(reader.contains(5000));
    EXPECT_EQ(reader.spec(), "IVF8,PQ4x4,Refine(PQ4x4)");
    LivingIndex writer = LivingIndex::open(folder_, Access::write);
    EXPECT_EQ(search(writer), before);
}

TEST_F(Living, ReadersSeeCommitsWhenTheyRefresh) {
    LivingIndex writer = LivingIndex::create(folder_, small_model("PQ4x4"));
    const LivingIndex reader = LivingIndex::open(folder_);
    EXPECT_EQ(search(reader).ids[0][0], kNoId);
    EXPECT_FALSE(reader.refresh());
    add(writer, 0, 200);
    EXPECT_EQ(reader.size(), 0u);
    EXPECT_TRUE(reader.refresh());
    EXPECT_EQ(search(reader), search(writer));
    const Neighbors before = search(reader);
    writer.remove(ids_between(0, 100));
    writer.compact();
    EXPECT_EQ(search(reader), before);  // its files are gone, and it keeps them
    EXPECT_TRUE(reader.refresh());
    EXPECT_EQ(search(reader), search(writer));
}

TEST_F(Living, BufferedChangesAreSearchedByTheirWriterAlone) {
    LivingIndex writer = LivingIndex::create(folder_, small_model("IVF8,PQ4x4"));
    const LivingIndex reader = LivingIndex::open(folder_);
    writer.set_commit_every(0);
    for (std::int64_t id = 0; id < 50; ++id) add(writer, id, id + 1);
    writer.remove(std::vector<std::int64_t>{7});
    EXPECT_EQ(writer.size(), 49u);
    EXPECT_EQ(writer.search(base_.view().slice(8, 1), {.k = 1, .probes = 8}).ids[0][0] != kNoId, true);
    EXPECT_FALSE(reader.refresh());
    writer.commit();
    EXPECT_TRUE(reader.refresh());
    EXPECT_EQ(search(reader), search(writer));
    EXPECT_EQ(writer.info().segments.size(), 1u);
    EXPECT_EQ(writer.info().commit, 1u);
}

TEST_F(Living, ChangesAreCommittedWhenThereAreEnough) {
    LivingIndex writer = LivingIndex::create(folder_, small_model("PQ4x4"));
    writer.set_commit_every(20);
    for (std::int64_t id = 0; id < 50; ++id) add(writer, id, id + 1);
    EXPECT_EQ(LivingIndex::open(folder_).size(), 40u);
}

TEST_F(Living, UpdateReplacesInOneCommit) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    add(index, 0, 100);
    const std::uint64_t before = index.info().commit;
    index.update(rows_of(base_, {500, 501}), std::vector<std::int64_t>{3, 4});
    EXPECT_EQ(index.info().commit, before + 1);
    EXPECT_EQ(index.size(), 100u);
    std::vector<std::int64_t> rows = ids_between(0, 100);
    rows[3] = 500, rows[4] = 501;
    const Index oracle = build(rows_of(base_, rows), index.model());
    EXPECT_EQ(search(index), oracle.search(queries_.view(), {.k = 10}));
    index.add(rows_of(base_, {502, 503}), std::vector<std::int64_t>{4, 200}, Duplicates::replace);
    EXPECT_EQ(index.size(), 101u);
}

TEST_F(Living, IdsOfTheLibraryGoOnAfterTheLargestThatEverWas) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    EXPECT_EQ(index.add(rows_of(base_, {0, 1, 2})), 0);
    index.remove(std::vector<std::int64_t>{2});
    EXPECT_EQ(index.add(rows_of(base_, {3})), 3);
    index.remove(ids_between(0, 4));
    EXPECT_EQ(index.size(), 0u);
    EXPECT_EQ(index.info().segments.size(), 0u);
    index = LivingIndex::open(folder_);
    EXPECT_EQ(index.info().next_id, 4);
}

TEST_F(Living, WrongIdsAndVectorsAreRefusedAndChangeNothing) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    add(index, 0, 10);
    const auto refused = [&](const std::vector<std::int64_t>& ids, std::initializer_list<std::string_view> parts) {
        expect_error([&] { index.add(rows_of(base_, {20, 21}), ids); }, parts);
    };
    refused({11}, {"expected an id for each of 2 vectors, got 1"});
    refused({11, 9}, {"the id 9 is in the index already"});
    refused({11, 11}, {"the id 11 is given twice"});
    refused({11, -1}, {"expected ids from 0 to 2^63 - 2, got -1"});
    refused({11, std::numeric_limits<std::int64_t>::max()}, {"expected ids from 0 to 2^63 - 2"});
    expect_error([&] { index.update(rows_of(base_, {20}), std::vector<std::int64_t>{10}); },
                 {"update: the id 10 is not in the index"});
    expect_error([&] { index.add(random_matrix(3, kColumns + 1, 1)); },
                 {"add: expected vectors of 12 dimensions, got 13"});
    Matrix<float> bad = rows_of(base_, {20});
    bad[0][3] = NAN;
    expect_error([&] { index.add(bad); }, {"not finite"});
    EXPECT_EQ(index.remove(std::vector<std::int64_t>{77}), 0u);
    EXPECT_EQ(index.size(), 10u);
    EXPECT_EQ(index.info().commit, 1u);
}

TEST_F(Living, FiltersRemove) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    add(index, 0, 100);
    EXPECT_EQ(index.remove(IdFilter::ranges({{10, 19}, {90, 2000}})), 20u);
    EXPECT_EQ(index.size(), 80u);
    EXPECT_FALSE(index.contains(15));
}

TEST_F(Living, OneWriterAtATime) {
    LivingIndex writer = LivingIndex::create(folder_, small_model("PQ4x4"));
    expect_error([&] { LivingIndex::open(folder_, Access::write); }, {folder_, "there is one writer at a time"});
    LivingIndex reader = LivingIndex::open(folder_);
    expect_error([&] { reader.add(base_); }, {"add: ", "was opened for reading"});
    expect_error([&] { reader.compact(); }, {"compact: "});
    writer = LivingIndex::open(folder_);  // lets the lock go
    EXPECT_NO_THROW(LivingIndex::open(folder_, Access::write));
}

TEST_F(Living, FoldersThatHoldSomethingAreRefused) {
    const IndexModel model = small_model("PQ4x4");
    LivingIndex::create(folder_, model);
    expect_error([&] { LivingIndex::create(folder_, model); }, {folder_, "holds an index already"});
    const std::string other = scratch_ / "other";
    std::filesystem::create_directory(other);
    write_raw(other + "/letter.txt", "dear");
    expect_error([&] { LivingIndex::create(other, model); }, {other, "one that holds letter.txt"});
    expect_error([&] { LivingIndex::open(other); }, {other, "there is no manifest.smd"});
    expect_error([&] { LivingIndex::open(scratch_ / "nowhere"); }, {"nowhere: is no folder"});
    expect_error([&] { LivingIndex::create(scratch_ / "a/b", model); }, {"a/b"});
}

TEST_F(Living, SpecsWhoseVectorsLieElsewhereAreRefused) {
    const Matrix<float> learn = clustered(600, kColumns, 7);
    expect_error([&] { LivingIndex::create(folder_, learn, "PQ4x4,Refine(flat)"); }, {"Refine(flat)", "Refine(fp32)"});
    expect_error([&] { LivingIndex::create(folder_, learn, "PQ4x4,Refine(sq8)"); }, {"Refine(sq8)", "Refine(fp16)"});
    EXPECT_FALSE(std::filesystem::exists(folder_));
    LivingIndex index = LivingIndex::create(folder_, learn, "IVF8,PQ4x4,Refine(PQ4x4)");
    EXPECT_EQ(index.spec(), "IVF8,PQ4x4,Refine(PQ4x4)");
}

TEST_F(Living, SegmentsOfAnotherModelAreRefused) {
    const std::string other = scratch_ / "other";
    LivingIndex first = LivingIndex::create(folder_, small_model("PQ4x4")),
                second = LivingIndex::create(other, small_model("PQ2x4"));
    add(first, 0, 50);
    add(second, 0, 50);
    std::filesystem::copy_file(other + "/segment-00000001.smd", folder_ + "/segment-00000001.smd",
                               std::filesystem::copy_options::overwrite_existing);
    expect_error([&] { LivingIndex::open(folder_); },
                 {"segment-00000001.smd", "is not the segment that the manifest names"});
}

TEST_F(Living, AWriterRemovesWhatACrashLeft) {
    { LivingIndex::create(folder_, small_model("PQ4x4")).add(base_); }
    const auto count = [&] {
        return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator{});
    };
    const auto before = count();
    for (const char* left : {"segment-00000002.smd", "segment-00000001.dead-00000009", "manifest.smd.tmp-123-0",
                             "segment-00000003.smd.tmp-99-1", "model-00000002.smd"})
        write_raw(folder_ + "/" + left, "half");
    LivingIndex::open(folder_);
    EXPECT_EQ(count(), before + 5);
    LivingIndex::open(folder_, Access::write);
    EXPECT_EQ(count(), before);
}

TEST_F(Living, SearchesGoOnWhileTheIndexChanges) {
    LivingIndex index = LivingIndex::create(folder_, small_model("IVF8,PQ4x4"));
    add(index, 0, 300);
    std::atomic<bool> done = false;
    std::thread searcher([&] {
        while (!done) {
            const Neighbors found = search(index);
            for (const std::int64_t id : found.ids[0]) ASSERT_TRUE(id == kNoId || id < 900);
        }
    });
    std::thread compactor([&] {
        while (!done) index.compact(Compaction::tiers);
    });
    for (std::int64_t id = 300; id < 400; id += 5) {
        add(index, id, id + 5);
        index.remove(std::vector<std::int64_t>{id - 300, id + 1});
    }
    done = true;
    searcher.join();
    compactor.join();
    EXPECT_EQ(index.size(), 360u);
    const Neighbors before = search(index);
    index.compact();
    EXPECT_EQ(search(index), before);
    EXPECT_EQ(LivingIndex::open(folder_).size(), 360u);
}

}  // namespace summand::test
