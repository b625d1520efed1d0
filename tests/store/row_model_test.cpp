#include "summand/row_model.h"

#include <algorithm>

#include "store/support.h"

namespace summand::test {
namespace {

class Rows : public ::testing::Test {
protected:
    const Matrix<float> base_ = clustered(1500, kColumns, 3), queries_ = clustered(30, kColumns, 4);

    RowModel model(const std::string& spec, Metric metric = Metric::euclidean) {
        return RowModel(small_model(spec, metric), metric);
    }

    static CellCodes some(const CellCodes& all, const std::vector<std::int64_t>& rows) {
        CellCodes part{.codes = {Matrix<std::uint8_t>(rows.size(), all.codes.rows.columns()), {}, all.codes.model}};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto row = static_cast<std::size_t>(rows[i]);
            std::copy_n(all.codes.rows.row(row), all.codes.rows.columns(), part.codes.rows.row(i));
            if (!all.cells.empty()) part.cells.push_back(all.cells[row]);
            if (!all.codes.bias.empty()) part.codes.bias.push_back(all.codes.bias[row]);
        }
        return part;
    }
};

// The k best of the answers of several indexes; row i of index p is ids[p][i].
Neighbors merged(const std::vector<Neighbors>& found, const std::vector<std::vector<std::int64_t>>& ids,
                 std::size_t k) {
    const std::size_t queries = found.front().ids.rows();
    Neighbors best{Matrix<std::int64_t>(queries, k), Matrix<float>(queries, k)};
    for (std::size_t q = 0; q < queries; ++q) {
        TopK top(k);
        for (std::size_t p = 0; p < found.size(); ++p)
            for (std::size_t i = 0; i < k; ++i)
                if (found[p].ids[q][i] != kNoId)
                    top.offer({found[p].scores[q][i], ids[p][static_cast<std::size_t>(found[p].ids[q][i])]});
        std::vector<Neighbor> taken = top.take();
        taken.resize(k, {std::numeric_limits<float>::infinity(), kNoId});
        for (std::size_t i = 0; i < k; ++i) {
            best.ids[q][i] = taken[i].id;
            best.scores[q][i] = taken[i].score;
        }
    }
    return best;
}

}  // namespace

TEST_F(Rows, OfAllVectorsMakeTheIndexThatABuildMakes) {
    for (const char* spec : {"PQ4x4", "CQ3x4", "IVF8,PQ4x4", "IVF8,CQ3x4", "IMI2x3,LOCQ2x4"})
        for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
            SCOPED_TRACE(concatenate(spec, " ", name(metric)));
            const RowModel rows = model(spec, metric);
            const Index oracle = build(base_, rows.model(), {.metric = metric});
            const Index index = rows.index_of(rows.encode(base_.view()));
            EXPECT_EQ(index.search(queries_.view(), {.k = 20}), oracle.search(queries_.view(), {.k = 20}));
        }
}

TEST_F(Rows, InPartsFindWhatTheWholeFinds) {
    for (const char* spec : {"PQ4x4", "IVF16,PQ4x4", "IVF16,CQ3x4"}) {
        SCOPED_TRACE(spec);
        const RowModel rows = model(spec);
        const CellCodes all = rows.encode(base_.view());
        std::vector<std::vector<std::int64_t>> ids(3);
        for (std::int64_t id = 0; id < 1500; ++id) ids[static_cast<std::size_t>(id * id % 7 % 3)].push_back(id);
        const SearchOptions options{.k = 20, .probes = all.cells.empty() ? std::size_t{0} : 5};
        std::vector<Neighbors> found;
        for (const auto& own : ids) found.push_back(rows.index_of(some(all, own)).search(queries_.view(), options));
        EXPECT_EQ(merged(found, ids, 20), rows.index_of(all).search(queries_.view(), options));
    }
}

TEST_F(Rows, OfVisitedCellsAreEnough) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::inner_product})
        for (const SearchParameters parameters : {SearchParameters{.probes = 3}, {.reach = 1}}) {
            if (metric == Metric::inner_product && parameters.reach > 0) continue;
            const RowModel rows = model("IVF16,PQ4x4", metric);
            const CellCodes all = rows.encode(base_.view());
            const auto options = SearchOptions{.k = 20}.with(parameters);
            const Neighbors whole = rows.index_of(all).search(queries_.view(), options);
            const auto visited = rows.visited(queries_.view(), parameters);
            for (std::size_t q = 0; q < queries_.rows(); ++q) {
                EXPECT_EQ(visited[q].size(), parameters.probes > 0 ? 3u : 8u);  // a reach of one: eight cells
                std::vector<std::int64_t> ids;
                for (std::size_t i = 0; i < all.cells.size(); ++i)
                    if (std::find(visited[q].begin(), visited[q].end(), all.cells[i]) != visited[q].end())
                        ids.push_back(static_cast<std::int64_t>(i));
                const Neighbors part = rows.index_of(some(all, ids)).search(queries_.view().slice(q, 1), options);
                const Neighbors best = merged({part}, {ids}, 20);
                EXPECT_TRUE(std::ranges::equal(best.ids[0], whole.ids[q]));
                EXPECT_TRUE(std::ranges::equal(best.scores[0], whole.scores[q]));
            }
        }
}

TEST_F(Rows, ThatTheModelCannotHaveMadeAreRefused) {
    const RowModel rows = model("IVF8,PQ4x4"), flat = model("PQ4x4");
    const CellCodes good = rows.encode(base_.view());
    const auto expect_refusal = [&](auto spoil, const std::string& why) {
        CellCodes bad = good;
        spoil(bad);
        expect_error([&] { rows.index_of(bad); }, {why});
    };
    expect_refusal([](CellCodes& bad) { bad.cells[7] = 8; }, "expected cells below 8, got 8");
    expect_refusal([](CellCodes& bad) { bad.cells.pop_back(); }, "expected 1500 cells for 1500 codes, got 1499");
    expect_refusal([](CellCodes& bad) { bad.codes.rows[3][1] = 16; }, "names word 16 of a dictionary of 16 words");
    expect_refusal([](CellCodes& bad) { bad.codes.bias.resize(1500); }, "expected 0 biases, got 1500");
    expect_refusal([](CellCodes& bad) { ++bad.codes.model; }, "made by another model");
    expect_error([&] { flat.visited(queries_.view(), {}); }, {"the model has no cells"});
    expect_error([&] { rows.visited(queries_.view(), {.candidates = 9}); }, {"candidates", "use probes"});
    expect_error([&] { RowModel(small_model("PQ4x4,Refine(fp32)")); }, {"without Refine(...)"});
}

TEST_F(Rows, HaveTheIdentityOfCellsAndMetricToo) {
    const IndexModel cells = small_model("IVF8,PQ4x4"), flat = small_model("PQ4x4");
    EXPECT_NE(RowModel(cells).identity(), RowModel({.first = cells.quantizer()}).identity());
    EXPECT_NE(RowModel(flat).identity(), RowModel(flat, Metric::inner_product).identity());
    EXPECT_EQ(RowModel(flat).identity(), RowModel::from_bytes(RowModel(flat).to_bytes()).identity());
    EXPECT_EQ(RowModel(cells).identity(), RowModel::from_bytes(RowModel(cells).to_bytes()).identity());
}

TEST_F(Rows, OfALivingIndexAreThoseThatLive) {
    TemporaryDirectory scratch;
    LivingIndex living = LivingIndex::create(scratch / "index", small_model("IVF8,CQ3x4,Refine(fp16)"));
    living.add(rows_of(base_, ids_between(0, 800)), ids_between(0, 800));
    living.add(rows_of(base_, ids_between(800, 1500)), ids_between(800, 1500));
    living.remove(std::vector<std::int64_t>{3, 900});
    const RowModel rows = living.row_model();
    const CellCodes all = rows.encode(base_.view());
    std::vector<std::int64_t> ids;
    living.for_each_rows([&](std::span<const std::int64_t> own, const CellCodes& part) {
        EXPECT_EQ(part, some(all, {own.begin(), own.end()}));
        ids.insert(ids.end(), own.begin(), own.end());
    });
    std::vector<std::int64_t> expected = ids_between(0, 1500);
    for (const std::int64_t gone : {900, 3}) expected.erase(expected.begin() + gone);
    EXPECT_EQ(ids, expected);
}

TEST_F(Rows, AreScoredAgainAsBySecondLayers) {
    for (const Metric metric : {Metric::euclidean, Metric::inner_product, Metric::cosine}) {
        const Index oracle = build(base_, "PQ4x4,Refine(fp32)", {.metric = metric});
        const Neighbors found = oracle.search(queries_.view(), {.k = 1500, .refine = 1500});
        const std::vector<float> scores = exact_scores(metric, queries_[2], base_.view());
        for (std::size_t i = 0; i < 1500; ++i)
            EXPECT_EQ(found.scores[2][i], scores[static_cast<std::size_t>(found.ids[2][i])]);
    }
}

}  // namespace summand::test
