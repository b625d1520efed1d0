#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "store/support.h"

namespace summand::test {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kPool = 120;  // vectors, and names

class Names : public ::testing::Test {
protected:
    TemporaryDirectory scratch_;
    const std::string folder_ = scratch_ / "index";
    const Matrix<float> base_ = clustered(kPool, kColumns, 3), queries_ = clustered(3, kColumns, 4);
    std::map<std::string, std::size_t> model_;  // the row of the vector that each name stands for

    static std::string name(std::size_t i) { return "n\u00e4me " + std::to_string(i * 7919 % 1000); }

    Matrix<float> vectors(const std::vector<std::size_t>& rows) const {
        return rows_of(base_, std::vector<std::int64_t>(rows.begin(), rows.end()));
    }

    float distance(std::size_t query, std::size_t row) const {
        float sum = 0;
        for (std::size_t d = 0; d < kColumns; ++d) {
            const float difference = queries_[query][d] - base_[row][d];
            sum += difference * difference;
        }
        return sum;
    }

    // Names and scores of all that is there, by comparing vectors.
    void expect_model(const LivingIndex& index) const {
        ASSERT_EQ(index.size(), model_.size());
        for (std::size_t i = 0; i < kPool; ++i) EXPECT_EQ(index.contains(name(i)), model_.contains(name(i)));
        const Neighbors found = index.search(queries_.view(), {.k = kPool, .refine = kPool});
        for (std::size_t q = 0; q < queries_.rows(); ++q) {
            const Texts names = index.names(found.ids[q]);
            std::set<std::string> seen;
            for (std::size_t i = 0; i < model_.size(); ++i) {
                ASSERT_TRUE(model_.contains(names[i])) << names[i];
                EXPECT_TRUE(seen.insert(names[i]).second) << names[i];
                EXPECT_NEAR(found.scores[q][i], distance(q, model_.at(names[i])), 1e-3f * found.scores[q][i] + 1e-5f);
            }
            if (model_.size() < kPool) {
                EXPECT_EQ(names[model_.size()], "");
            }
        }
    }

    void add(LivingIndex& index, std::size_t first, std::size_t last) {
        Texts names;
        std::vector<std::size_t> rows;
        for (std::size_t i = first; i < last; ++i) {
            names.push_back(name(i));
            rows.push_back(i);
            model_[name(i)] = i;
        }
        index.add(vectors(rows), names);
    }
};

std::string failure(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_F(Names, DoWhatAMapFromThemToVectorsDoes) {
    std::mt19937 random(5);
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4,Refine(fp32)"));
    const LivingIndex reader = LivingIndex::open(folder_);
    const auto some = [&] {
        std::set<std::size_t> numbers;
        while (numbers.size() < 6) numbers.insert(random() % kPool);
        return std::vector<std::size_t>(numbers.begin(), numbers.end());
    };
    for (std::size_t step = 0; step < 150; ++step) {
        SCOPED_TRACE(step);
        index.set_commit_every(step % 3);
        const std::vector<std::size_t> which = some();
        std::vector<std::size_t> rows = some();
        Texts names;
        for (const std::size_t i : which) names.push_back(name(i));
        const bool all = std::all_of(names.begin(), names.end(), [&](const auto& one) { return model_.contains(one); });
        const auto put = [&] {
            for (std::size_t i = 0; i < names.size(); ++i) model_[names[i]] = rows[i];
        };
        if (step % 5 < 2) {
            index.add(vectors(rows), names, Duplicates::replace);
            put();
        } else if (step % 5 == 2) {
            const std::string error = failure([&] { index.update(vectors(rows), names); });
            EXPECT_EQ(error.empty(), all) << error;
            if (all) put();
        } else if (step % 5 == 3) {
            std::size_t there = 0;
            for (const std::string& one : names) there += model_.erase(one);
            EXPECT_EQ(index.remove(names), there);
        } else {
            const IdFilter filter = index.filter(names);
            const Neighbors found = index.search(queries_.view(), {.k = 10, .filter = &filter});
            std::set<std::string> expected, kept;
            for (const std::string& one : names)
                if (model_.contains(one)) expected.insert(one);
            for (const std::string& one : index.names(found.ids[0]))
                if (!one.empty()) kept.insert(one);
            EXPECT_EQ(kept, expected);
        }
        if (step % 40 == 20) index.compact();
        if (step % 40 == 30) index.retrain();
        expect_model(index);
        if (step % 10 == 0) {
            index.commit();
            reader.refresh();
            expect_model(reader);
        }
    }
    index.commit();
    EXPECT_EQ(verify(folder_), Texts());
    expect_model(LivingIndex::open(folder_));
}

TEST_F(Names, AnIndexHasOneKindOfIds) {
    const IndexModel model = small_model("PQ4x4");
    const std::vector<std::int64_t> numbers{1};
    const Texts names{"a"};
    const Matrix<float> one = vectors({0});
    LivingIndex named = LivingIndex::create(folder_, model);
    EXPECT_FALSE(named.info().named);
    named.add(one, names);
    EXPECT_TRUE(named.info().named);
    const std::string of_texts = ": the ids of " + folder_ + " are texts, expected one for each vector";
    EXPECT_EQ(failure([&] { named.add(one); }), "add" + of_texts);
    EXPECT_EQ(failure([&] { named.add(one, numbers); }), "add" + of_texts);
    EXPECT_EQ(failure([&] { named.update(one, numbers); }), "update" + of_texts);
    EXPECT_EQ(failure([&] { named.for_each_rows([](std::span<const std::int64_t>, CellCodes) {}); }),
              "rows: the ids of " + folder_ + " are texts, expected numbers");
    EXPECT_EQ(named.remove(names), 1u);
    EXPECT_EQ(failure([&] { named.add(one); }), "add" + of_texts);  // for good
    LivingIndex numbered = LivingIndex::create(scratch_ / "numbers", model);
    numbered.add(one);
    EXPECT_EQ(failure([&] { numbered.add(one, names); }),
              "add: the ids of " + (scratch_ / "numbers") + " are numbers, got texts");
    EXPECT_EQ(numbered.names(std::vector<std::int64_t>{0, kNoId}), (Texts{"", ""}));
    EXPECT_FALSE(numbered.contains("a"));
}

TEST_F(Names, WrongOnesAreRefusedAndNothingIsAdded) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    add(index, 0, 3);
    const Matrix<float> two = vectors({4, 5});
    const std::string expected = "; expected from 1 to 1,024 bytes of UTF-8 without control characters";
    EXPECT_EQ(failure([&] { index.add(two, Texts{"a"}); }), "add: expected a name for each of 2 vectors, got 1");
    EXPECT_EQ(failure([&] { index.add(two, Texts{"a", ""}); }), "add: vector 1 has no name" + expected);
    EXPECT_EQ(failure([&] {
                  index.add(two, Texts{"a", "b\n"});
              }),
              "add: vector 1 has a name with a control character" + expected);
    EXPECT_EQ(failure([&] { index.add(two, Texts{"a", "a"}); }), "add: the id 'a' is given twice");
    EXPECT_EQ(failure([&] {
                  index.add(two, Texts{"a", name(1)});
              }),
              "add: the id '" + name(1) + "' is in the index already; replace it, or leave it out");
    EXPECT_EQ(failure([&] { index.update(two, Texts{name(1), "a"}); }), "update: the id 'a' is not in the index");
    EXPECT_EQ(index.size(), 3u);
    EXPECT_FALSE(index.contains("a"));
}

TEST_F(Names, ARemovedVectorIsNamedUntilItsSegmentGoes) {
    LivingIndex index = LivingIndex::create(folder_, small_model("PQ4x4"));
    add(index, 0, 3);
    index.remove(Texts{name(1)});
    EXPECT_EQ(index.names(std::vector<std::int64_t>{1}), Texts{name(1)});
    index.compact();
    EXPECT_EQ(index.names(std::vector<std::int64_t>{1, 2}), (Texts{"", name(2)}));
    index.add(vectors({1}), Texts{name(1)});
    EXPECT_EQ(index.names(std::vector<std::int64_t>{1, 3}), (Texts{"", name(1)}));  // a number is not given twice
}

TEST_F(Names, SurviveSplitMergeAndANewModelFromTheirVectors) {
    const IndexModel model = small_model("PQ4x4,Refine(fp32)");
    const Texts parts{scratch_ / "part 0", scratch_ / "part 1"};
    {
        LivingIndex index = LivingIndex::create(folder_, model);
        add(index, 0, 40);
        add(index, 40, 60);
        index.remove(Texts{name(7)});
        model_.erase(name(7));
        index.split(parts);
    }
    LivingIndex whole = LivingIndex::create(scratch_ / "whole", model);
    for (const std::string& part : parts) whole.merge(part);
    expect_model(whole);
    LivingIndex other = LivingIndex::create(scratch_ / "other", model);
    const Texts twice{name(80), name(8)};
    other.add(vectors({80, 8}), twice);
    EXPECT_EQ(failure([&] { whole.merge(scratch_ / "other"); }),
              (scratch_ / "other") + ": the id '" + name(8) + "' is in both indexes");
    other.remove(Texts{name(8)});
    whole.merge(scratch_ / "other");  // whose numbers begin at 0, as those of the parts
    model_[name(80)] = 80;
    expect_model(whole);
    LivingIndex numbers = LivingIndex::create(scratch_ / "numbers", model);
    numbers.add(vectors({1}));
    EXPECT_EQ(failure([&] { whole.merge(scratch_ / "numbers"); }),
              (scratch_ / "numbers") + ": its ids are numbers, those of " + (scratch_ / "whole") + " are not");

    Texts names;
    std::vector<std::size_t> rows;
    for (std::size_t i = kPool; i-- > 0;) {
        names.push_back(name(i));
        rows.push_back(i);
    }
    whole.retrain(vectors(rows), names, "PQ2x4,Refine(fp32)", {});
    expect_model(whole);
    EXPECT_EQ(verify(scratch_ / "whole"), Texts());
}

TEST_F(Names, ARepairBringsNoneBackTwice) {
    const IndexModel model = small_model("PQ4x4,Refine(fp32)");
    {
        LivingIndex index = LivingIndex::create(folder_, model);
        add(index, 0, 10);
        index.remove(Texts{name(3), name(4)});
        index.add(vectors({50}), Texts{name(3)});  // under another number
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
        if (entry.path().string().find(".dead-") != std::string::npos) std::filesystem::remove(entry.path());
    EXPECT_EQ(verify(folder_).size(), 1u);
    EXPECT_EQ(LivingIndex::repair(folder_).vectors, 0u);
    model_[name(3)] = 50;  // name(4) is back
    expect_model(LivingIndex::open(folder_));
    EXPECT_EQ(verify(folder_), Texts());
}

}  // namespace summand::test
