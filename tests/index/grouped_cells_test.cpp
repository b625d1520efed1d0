#include "index/grouped_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "index/random_index.h"
#include "support/data.h"

namespace summand::test {
namespace {

constexpr std::size_t kDimensions = 9;

// Cells of `groups` groups, 5 + g % 40 of each.
Partition grouped_partition(std::size_t groups) {
    Partition partition;
    partition.groups = clustered(groups, kDimensions, 5);
    partition.group_begin = {0};
    for (std::size_t g = 0; g < groups; ++g) partition.group_begin.push_back(partition.group_begin[g] + 5 + g % 40);
    const std::size_t cells = partition.group_begin.back();
    partition.dictionaries = {.count = 1, .words = cells, .rows = clustered(cells, kDimensions, 6)};
    for (std::size_t c = 0; c < cells; ++c) partition.word_offsets.push_back(static_cast<float>(c) / 7);
    return partition;
}

float score_of(const Partition& partition, Metric metric, const float* query, std::size_t cell) {
    float product = 0;
    for (std::size_t d = 0; d < kDimensions; ++d)
        product = std::fma(query[d], partition.dictionaries.rows[cell][d], product);
    return is_distance(metric) ? partition.word_offsets[cell] + -2 * product : 0 + -1 * product;
}

TEST(GroupedCells, ScoresHaveTheBitsOfAPlainLoopOnEveryLevel) {
    const Partition partition = grouped_partition(60);
    const Lists lists(partition.cells());
    const Matrix<float> queries = clustered(7, kDimensions, 7);
    for (const Metric metric : {Metric::euclidean, Metric::inner_product})
        with_each_level([&] {
            const GroupedCells cells(partition, metric);
            for (const ProbeLimit limit : {ProbeLimit{.probes = 3}, ProbeLimit{.candidates = 1}}) {
                const std::vector<ScoredCells> found =
                    cells.near("test", queries.view(), 0, ListParts(*lists.lists), limit);
                for (std::size_t q = 0; q < queries.rows(); ++q)
                    for (std::size_t i = 0; i < found[q].cells.size(); ++i)
                        ASSERT_EQ(found[q].scores[i], score_of(partition, metric, queries.row(q), found[q].cells[i]));
            }
        });
}

// The groups in the order of their centres' distances, whole ones, eight at least, until they hold 32 cells for each
// that is probed, or 16 vectors for each candidate.
TEST(GroupedCells, AreThoseOfTheNearestGroups) {
    const Partition partition = grouped_partition(60);
    const std::size_t all = partition.cells();
    const Lists lists(all);
    const Matrix<float> queries = clustered(20, kDimensions, 7);
    const GroupedCells cells(partition, Metric::euclidean);
    for (const std::size_t wanted : {std::size_t{1}, std::size_t{10}, std::size_t{20}, all, 10 * all})
        for (const ProbeLimit limit : {ProbeLimit{.probes = wanted}, ProbeLimit{.candidates = 3 * wanted}}) {
            const std::vector<ScoredCells> found =
                cells.near("test", queries.view(), 0, ListParts(*lists.lists), limit);
            for (std::size_t q = 0; q < queries.rows(); ++q) {
                std::vector<std::pair<double, std::size_t>> order;
                for (std::size_t g = 0; g < partition.groups.rows(); ++g)
                    order.emplace_back(squared_distance(queries.row(q), partition.groups.row(g), kDimensions), g);
                std::sort(order.begin(), order.end());
                std::set<std::uint32_t> expected;
                std::size_t vectors = 0;
                const auto enough = [&] {
                    return limit.candidates > 0 ? vectors >= 16 * limit.candidates : expected.size() >= 32 * wanted;
                };
                for (std::size_t i = 0; i < order.size() && (i < 8 || !enough()); ++i) {
                    const std::size_t g = order[i].second;
                    for (std::size_t c = partition.group_begin[g]; c < partition.group_begin[g + 1]; ++c) {
                        expected.insert(static_cast<std::uint32_t>(c));
                        vectors += lists.lists->length(c);
                    }
                }
                EXPECT_EQ(std::set(found[q].cells.begin(), found[q].cells.end()), expected);
                EXPECT_EQ(found[q].cells.size(), expected.size());
            }
        }
}

TEST(GroupedCells, NamesTheQueryWhoseScoresOverflow) {
    Matrix<float> queries = clustered(5, kDimensions, 7);
    std::fill_n(queries.row(3), kDimensions, 3e38f);
    const Partition partition = grouped_partition(6);
    const Lists lists(partition.cells());
    const GroupedCells cells(partition, Metric::inner_product);
    expect_error([&] { cells.near("search", queries.view(), 10, ListParts(*lists.lists), {.probes = 1}); },
                 {"search: row 13 makes scores of cells that are not finite"});
}

}  // namespace
}  // namespace summand::test
