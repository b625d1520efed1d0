#include <filesystem>

#include "store/support.h"

namespace summand::test {
namespace {

class Shards : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const std::string folder_ = scratch_ / "index";
    const Matrix<float> base_ = clustered(900, kColumns, 3), queries_ = clustered(20, kColumns, 4);

    LivingIndex filled(const std::string& spec) {
        LivingIndex index = LivingIndex::create(folder_, small_model(spec));
        for (const std::int64_t first : {0, 300, 600}) {
            const std::vector<std::int64_t> ids = ids_between(first, first + 300);
            index.add(rows_of(base_, ids), ids);
        }
        index.remove(std::vector<std::int64_t>{5, 6, 301});
        return index;
    }
    Neighbors search(const LivingIndex& index) { return index.search(queries_.view(), {.k = 20}); }
};

}  // namespace

TEST_F(Shards, PutTogetherFindWhatTheWholeFinds) {
    for (const char* spec : {"PQ4x4", "IVF8,PQ4x4,Refine(PQ4x4)", "IVF8,PQ4x4,Refine(fp16)"}) {
        SCOPED_TRACE(spec);
        std::filesystem::remove_all(scratch_.path());
        std::filesystem::create_directory(scratch_.path());
        const LivingIndex whole = filled(spec);
        const std::vector<std::string> parts{scratch_ / "a", scratch_ / "b", scratch_ / "c"};
        whole.split(parts);
        EXPECT_EQ(LivingIndex::open(parts[1]).size(), 299u);  // 301 is gone
        LivingIndex together = LivingIndex::open(parts[0], Access::write);
        together.merge(parts[1]);
        together.merge(parts[2]);
        EXPECT_EQ(together.size(), whole.size());
        EXPECT_EQ(search(together), search(whole));
        EXPECT_EQ(verify(parts[0]), std::vector<std::string>());
        together.compact();
        EXPECT_EQ(search(together), search(whole));
        EXPECT_EQ(together.add(rows_of(base_, {1})), 900);
    }
}

TEST_F(Shards, OfAnotherModelOrWithTheSameIdsAreRefused) {
    LivingIndex index = filled("PQ4x4");
    const std::string other = scratch_ / "other", same = scratch_ / "same";
    LivingIndex::create(other, small_model("PQ2x4"));
    expect_error([&] { index.merge(other); }, {other, "is of another model"});
    LivingIndex::create(same, small_model("PQ4x4")).add(rows_of(base_, {1, 2, 3}));
    expect_error([&] { index.merge(same); }, {same, "the id 0 is in both indexes"});
    expect_error([&] { index.merge(folder_); }, {"cannot be merged into itself"});
    EXPECT_EQ(index.size(), 897u);
}

TEST_F(Shards, ANewModelIsLearntFromKeptVectors) {
    LivingIndex index = filled("IVF8,PQ4x4,Refine(fp32)");
    const LivingIndex reader = LivingIndex::open(folder_);
    const Neighbors before = search(reader);
    index.retrain("IVF16,OPQ4x4,Refine(fp16)");
    EXPECT_EQ(index.spec(), "IVF16,OPQ4x4,Refine(fp16)");
    EXPECT_EQ(index.size(), 897u);
    EXPECT_EQ(search(reader), before);
    EXPECT_TRUE(reader.refresh());
    EXPECT_EQ(search(reader), search(index));
    EXPECT_EQ(verify(folder_), std::vector<std::string>());
}

TEST_F(Shards, ANewModelIsLearntFromVectorsThatAreGiven) {
    LivingIndex index = filled("PQ4x4");
    expect_error([&] { index.retrain(); }, {"keeps no vectors to encode again", "Refine(fp16)"});
    expect_error([&] { index.retrain(rows_of(base_, ids_between(0, 800)), ids_between(0, 800)); },
                 {"has no vector of the id 800"});
    index.retrain(base_, ids_between(0, 900), "OPQ4x4");
    EXPECT_EQ(index.spec(), "OPQ4x4");
    std::vector<std::int64_t> live = ids_between(0, 900);
    for (const std::int64_t gone : {301, 6, 5}) live.erase(live.begin() + gone);
    const Index oracle = build(rows_of(base_, live), index.model());
    Neighbors expected = oracle.search(queries_.view(), {.k = 20});
    for (std::size_t q = 0; q < expected.ids.rows(); ++q)
        for (std::int64_t& id : expected.ids[q]) id = live[static_cast<std::size_t>(id)];
    EXPECT_EQ(search(index), expected);
}

}  // namespace summand::test
