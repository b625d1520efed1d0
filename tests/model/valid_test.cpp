#include "model/valid.h"

#include <cmath>
#include <functional>

#include "io/container_support.h"
#include "summand/index.h"
#include "summand/inverted_index.h"
#include "support/data.h"

namespace summand::test {
namespace {

Partition groups_of_cells() {
    return {.dictionaries = random_dictionaries(1, 4, 3, 1),
            .word_offsets = {1, 2, 3, 4},
            .groups = random_matrix(2, 3, 2),
            .group_begin = {0, 1, 4}};
}

using Spoil = std::function<void(Partition&)>;

void expect_refused(const Spoil& spoil, std::string_view part) {
    Partition partition = groups_of_cells();
    spoil(partition);
    expect_error([&] { require_valid(partition, "test"); }, {"test: ", part});
}

}  // namespace

TEST(Valid, PartitionsWhosePartsDoNotFitAreRefused) {
    require_valid(groups_of_cells(), "test");
    expect_refused([](Partition& p) { p.dictionaries.count = 3; }, "expected cells of 1 or 2 dictionaries, got 3");
    expect_refused([](Partition& p) { p.dictionaries.words = 0; }, "expected 1 to 1048576 words of cells, got 0");
    expect_refused([](Partition& p) { p.dictionaries.words = 5; }, "expected words of cells of 5 rows, got 4×3");
    expect_refused([](Partition& p) { p.word_offsets.pop_back(); }, "expected 4 offsets of cells, got 3");
    expect_refused([](Partition& p) { p.group_begin = {0, 5, 4}; }, "expected groups that divide 4 cells");
    expect_refused([](Partition& p) { p.groups = Matrix<float>(2, 2); }, "expected groups that divide 4 cells");
    expect_refused([](Partition& p) { p.word_offsets[2] = HUGE_VALF; }, "the offsets of cells hold a number that is");
    expect_refused([](Partition& p) { p.dictionaries.rows[1][1] = std::nanf(""); }, "the cells hold a number that is");
}

TEST(Valid, AnIndexRefusesAModelThatIsNot) {
    Quantizer quantizer = dense_quantizer({2, 4, 3});
    quantizer.word_offsets.pop_back();
    expect_error([&] { FlatIndex(quantizer, Codes(), Metric::euclidean); }, {"index: expected 8 word offsets, got 7"});
    InvertedModel model{.partition = groups_of_cells(), .quantizer = dense_quantizer({2, 4, 3})};
    model.partition.word_offsets[0] = HUGE_VALF;
    expect_error([&] { InvertedBuilder builder(model); },
                 {"index: the offsets of cells hold a number that is not finite"});
}

}  // namespace summand::test
