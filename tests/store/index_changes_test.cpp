// Changes of an index in memory. The oracle is one built of the same vectors at once, with the same model.
#include <algorithm>
#include <limits>

#include "store/support.h"
#include "summand/error.h"
#include "summand/index.h"

namespace summand::test {
namespace {

const char* const kSpecs[] = {"PQ4x4",        "CQ4x4",
                              "RQ4x4",        "PQ4x4,Refine(fp16)",
                              "IVF8,PQ4x4",   "IVF8,LOCQ4x4,Refine(PQ4x4)",
                              "IMI2x2,PQ4x4", "IVF8,PQ4x4,Refine(fp32)"};

class IndexChanges : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const Matrix<float> base_ = clustered(900, kColumns, 3), queries_ = clustered(20, kColumns, 4);

    Index built(const IndexModel& model, std::int64_t first, std::int64_t last, Metric metric = Metric::euclidean) {
        return build(rows_of(base_, ids_between(first, last)), model, {.metric = metric});
    }
    Index built(const std::string& spec, std::int64_t last) { return built(small_model(spec), 0, last); }

    // What an index made of these rows at once finds, under their own numbers.
    Neighbors expected(const Index& like, const std::vector<std::int64_t>& rows, const SearchOptions& options) {
        const Index index = build(rows_of(base_, rows), model_of(like), {.metric = like.metric()});
        Neighbors found = index.search(queries_.view(), options);
        for (std::size_t q = 0; q < found.ids.rows(); ++q)
            for (std::int64_t& id : found.ids[q])
                if (id != kNoId) id = rows[static_cast<std::size_t>(id)];
        return found;
    }
};

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_F(IndexChanges, WhatIsAddedGivesTheBytesOfOneBuildOfAll) {
    for (const char* spec : kSpecs)
        for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
            SCOPED_TRACE(std::string(spec) + " " + std::string(name(metric)));
            const IndexModel model = small_model(spec, metric);
            Index index = built(model, 0, 500, metric);
            EXPECT_EQ(index.add(rows_of(base_, ids_between(500, 501))), 500);
            EXPECT_EQ(index.add(rows_of(base_, ids_between(501, 900))), 501);
            EXPECT_EQ(index.to_bytes(), built(model, 0, 900, metric).to_bytes());
        }
}

TEST_F(IndexChanges, WhatIsRemovedLeavesTheAnswersOfOneBuildOfTheRest) {
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        Index index = built(spec, 900);
        std::vector<std::int64_t> kept = ids_between(0, 900), gone{3, 400, 401, 899};
        for (std::int64_t id = 10; id < 900; id += 10) gone.push_back(id);
        EXPECT_EQ(index.remove(gone), gone.size() - 1);  // 400 is given twice
        std::erase_if(kept, [&](std::int64_t id) { return std::find(gone.begin(), gone.end(), id) != gone.end(); });
        SearchOptions options{.k = 12};
        if (index.inverted()) options.probes = 3;
        const Neighbors oracle = expected(index, kept, options);
        EXPECT_EQ(index.search(queries_.view(), options), oracle);
        EXPECT_EQ(index.ids(), kept);
        EXPECT_EQ(index.size(), kept.size());
        EXPECT_EQ(index.remove(gone), 0u);
        EXPECT_EQ(index.remove(IdFilter::range(0, 100)), 90u);
        EXPECT_FALSE(index.contains(99));
        EXPECT_TRUE(index.contains(101));
    }
}

TEST_F(IndexChanges, IdsOfTheCallerAreFilteredFoundAndSaved) {
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        const std::int64_t far = std::int64_t{1} << 62;
        Index index = built(spec, 300);
        index.add(rows_of(base_, {700, 701, 702}), std::vector<std::int64_t>{far, 9000, 400});
        EXPECT_TRUE(index.contains(400) && index.contains(far) && index.contains(299));
        EXPECT_FALSE(index.contains(300) || index.contains(-1));
        const IdFilter large = IdFilter::range(300, std::numeric_limits<std::int64_t>::max());
        SearchOptions options{.k = 4, .filter = &large};
        if (index.inverted()) options.probes = 16;
        const Neighbors found = index.search(queries_.view(), options);
        for (std::size_t q = 0; q < found.ids.rows(); ++q) {
            std::vector<std::int64_t> ids(found.ids[q].begin(), found.ids[q].end());
            std::sort(ids.begin(), ids.end());
            EXPECT_EQ(ids, (std::vector<std::int64_t>{kNoId, 400, 9000, far}));
        }
        const RangeNeighbors within = index.search_range(queries_.view(), 1e9f, options);
        EXPECT_EQ(within.entries.size(), 3 * queries_.rows());
        index.save(scratch_ / "index.smd");
        Index opened = Index::open(scratch_ / "index.smd");
        EXPECT_EQ(opened.search(queries_.view(), options), found);
        EXPECT_EQ(opened.search_range(queries_.view(), 1e9f, options), within);
        EXPECT_EQ(opened.ids(), index.ids());
        EXPECT_EQ(opened.add(rows_of(base_, {703})), far + 1);
        EXPECT_EQ(opened.add(rows_of(base_, {704})), far + 2);
        EXPECT_EQ(index.size(), 303u);  // the other one
    }
}

TEST_F(IndexChanges, AnIdIsNotGivenTwiceAfterItsVectorWasRemoved) {
    for (const char* spec : {"PQ4x4", "IVF8,PQ4x4"}) {
        Index index = built(spec, 300);
        index.remove(std::vector<std::int64_t>{298, 299});
        EXPECT_EQ(index.add(rows_of(base_, {500})), 300);
        index.remove(std::vector<std::int64_t>{300});
        EXPECT_EQ(Index::from_bytes(index.to_bytes()).add(rows_of(base_, {500})), 301);
    }
}

TEST_F(IndexChanges, AnIdThatIsThereIsRefusedOrReplaced) {
    Index index = built("IVF8,PQ4x4,Refine(fp32)", 300);
    const std::vector<std::int64_t> ids{5, 300};
    EXPECT_EQ(message_of([&] {
                  index.add(rows_of(base_, {500, 501}), ids);
              }),
              "add: the id 5 is in the index already; replace it, or leave it out");
    EXPECT_EQ(index.size(), 300u);
    index.add(rows_of(base_, {500, 501}), ids, {.duplicates = Duplicates::replace});
    EXPECT_EQ(index.size(), 301u);
    const Neighbors found = index.search(base_.view().slice(500, 1), {.k = 1, .probes = 8, .refine = 300});
    EXPECT_EQ(found.ids[0][0], 5);
    EXPECT_EQ(found.scores[0][0], 0);
}

TEST_F(IndexChanges, EverythingCanBeRemovedSavedAndAddedAgain) {
    for (const char* spec : kSpecs) {
        SCOPED_TRACE(spec);
        Index index = built(spec, 300);
        const Neighbors before = index.search(queries_.view(), {.k = 5});
        EXPECT_EQ(index.remove(IdFilter::range(0, 1000)), 300u);
        EXPECT_EQ(index.size(), 0u);
        EXPECT_EQ(index.search(queries_.view(), {.k = 5}).ids[0][0], kNoId);
        Index opened = Index::from_bytes(index.to_bytes());
        EXPECT_EQ(opened.search(queries_.view(), {.k = 5}).ids[0][0], kNoId);
        EXPECT_EQ(opened.spec(), index.spec());
        opened.add(rows_of(base_, ids_between(0, 300)), ids_between(0, 300));
        EXPECT_EQ(opened.search(queries_.view(), {.k = 5}), before);
    }
}

TEST_F(IndexChanges, ListsMadeWithOtherIdsKeepThem) {
    const IndexModel model = small_model("IVF8,PQ4x4");
    InvertedBuilder builder(std::get<InvertedModel>(model.first), {.seed = 1});
    std::vector<std::int64_t> ids = ids_between(5000, 5300);
    std::reverse(ids.begin(), ids.end());
    builder.add(rows_of(base_, ids_between(0, 300)).view(), ids);
    Index index(std::move(builder).finish());
    EXPECT_TRUE(index.contains(5000));
    EXPECT_FALSE(index.contains(0));
    const Neighbors before = index.search(queries_.view(), {.k = 5});
    EXPECT_EQ(index.add(rows_of(base_, {600})), 5300);
    EXPECT_EQ(index.remove(std::vector<std::int64_t>{5300}), 1u);
    EXPECT_EQ(index.search(queries_.view(), {.k = 5}), before);
}

TEST_F(IndexChanges, DefaultsStay) {
    Index index = built("IVF8,PQ4x4,Refine(fp16)", 300);
    index.set_defaults({.probes = 3, .refine = 20});
    index.add(rows_of(base_, {500}));
    EXPECT_EQ(index.defaults(), (SearchParameters{.probes = 3, .refine = 20}));
}

TEST_F(IndexChanges, WhatDoesNotFitIsRefusedAndNothingChanges) {
    Index index = built("PQ4x4", 300);
    const auto before = index.to_bytes();
    const auto error_of = [&](const std::vector<std::int64_t>& ids, const Matrix<float>& vectors) {
        return message_of([&] { index.add(vectors, ids); });
    };
    EXPECT_EQ(error_of({900}, Matrix<float>(1, 3)), "add: expected vectors of 12 dimensions, got 3");
    EXPECT_EQ(error_of({900, 901}, rows_of(base_, {500})), "add: expected an id for each of 1 vectors, got 2");
    EXPECT_EQ(error_of({-1}, rows_of(base_, {500})), "add: expected ids from 0 to 2^63 - 2, got -1");
    EXPECT_EQ(error_of({900, 900}, rows_of(base_, {500, 501})), "add: the id 900 is given twice");
    EXPECT_EQ(index.to_bytes(), before);

    Index ranges = built("PQ4x4,Refine(sq8)", 300);
    EXPECT_EQ(message_of([&] { ranges.add(rows_of(base_, {500})); }),
              "add: the ranges of Refine(sq8) are those of the vectors that the index was built of; build it with "
              "Refine(fp16)");
    Index filed = built("PQ4x4", 300);
    filed.set_refinement(RefineFile{.path = "base.fvecs", .rows = 300, .columns = kColumns});
    EXPECT_EQ(
        message_of([&] { filed.remove(std::vector<std::int64_t>{1}); }),
        "remove: Refine(flat) finds the vector of each row in the file that the index was built of; build it with "
        "Refine(fp32), Refine(fp16) or Refine(u8)");
}

TEST_F(IndexChanges, DamagedIdsAreRefused) {
    Index index = built("PQ4x4", 300);
    index.add(rows_of(base_, {500}), std::vector<std::int64_t>{900});
    std::vector<std::byte> bytes = index.to_bytes();
    EXPECT_NO_THROW(Index::from_bytes(bytes));
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t place = text.find("\"next_id\":901");
    ASSERT_NE(place, std::string::npos);
    bytes[place + 10] = std::byte{'8'};
    EXPECT_THROW(Index::from_bytes(bytes), Error);
}

}  // namespace summand::test
